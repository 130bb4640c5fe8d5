import type { ClarificationQuestion, IntakeStep } from "../../model/request.js";
import type { CompiledPolicy } from "./compile-policy.js";
import { evidenceOf } from "./evidence.js";
import { isForeign } from "./reading/language.js";
import type { IntentFinding } from "./parse-intent.js";
import { questionsFor } from "./questions.js";
import type { Reading } from "./reading/reading.js";

export interface ClarityFinding {
  readonly questions: readonly ClarificationQuestion[];
  readonly step: IntakeStep;
}

/** A longer request that mentions an alternative explains itself. */
const MOST_WORDS_OF_A_CHOICE = 60;

/**
 * Can work start on this? Not when it cannot be read (`isJudged`: whether safety could judge its wording), not when it names nothing to work on, and not when it leaves open which of two things it
 * wants. A request that is clear about what but not about how is clear: routing sends it to product.
 */
export function checkClarity(
  policy: CompiledPolicy,
  reading: Reading,
  found: IntentFinding,
  minObjectWords: number,
  isJudged: boolean,
): ClarityFinding {
  const { other_languages: others } = policy.policy.clarity;
  const foreign = others !== "accept" && isForeign(policy, reading);
  if (foreign && others === "judge" && isJudged) return judgeForeignText(reading);
  if (foreign) {
    const reason = "Cannot be judged: it is not in English, and the rules read English only";
    const question = "Please say in English what should be done. The rules for safety and clarity read English only.";
    return {
      questions: [{ id: "object", question }],
      step: { step: "clarity", outcome: "failed", rule_id: "clarity_language", reason, evidence: [] },
    };
  }
  if (found.objectWords.length < minObjectWords || found.intent.object === null) {
    const generic = found.genericWords[0];
    const questions = questionsFor(found, policy.policy.clarity.max_questions);
    const rule_id =
      reading.own.length === 0
        ? "clarity_empty"
        : generic === undefined
          ? "clarity_no_object"
          : "clarity_generic_object";
    const evidence = generic === undefined ? [] : [evidenceOf(reading, generic.start, generic.end, "too general")];
    return { questions, step: { step: "clarity", outcome: "failed", rule_id, reason: REASONS[rule_id], evidence } };
  }
  const choice = reading.ownWords <= MOST_WORDS_OF_A_CHOICE ? openChoice(policy, reading) : null;
  if (choice !== null) {
    const question = `The request leaves two readings open ("${choice.text}"). Which one is meant?`;
    return {
      questions: [{ id: "choice", question }],
      step: {
        step: "clarity",
        outcome: "failed",
        rule_id: "clarity_several_readings",
        reason: "Several interpretations are valid",
        evidence: [choice],
      },
    };
  }
  const reason = `Clear and actionable: ${found.intent.object}`;
  return {
    questions: [],
    step: { step: "clarity", outcome: "passed", rule_id: "clarity_actionable", reason, evidence: [] },
  };
}

/** Fewer letters ask for nothing in any language. */
const LEAST_LETTERS = 6;

/** The word lists are English: of another language is known what its wording says of harm, and that something is said. */
function judgeForeignText(reading: Reading): ClarityFinding {
  let letters = 0;
  for (const { tokens } of reading.own)
    for (const { start, end } of tokens) {
      letters += end - start;
      // One sign of Chinese, Japanese or Korean stands for a syllable or a word.
      for (let at = start; at < end; at++) if (reading.text.charCodeAt(at) >= 0x1100) letters += 2;
    }
  if (letters < LEAST_LETTERS) {
    const question = "What exactly should be done? Name the feature, page, command, file or component.";
    return {
      questions: [{ id: "object", question }],
      step: {
        step: "clarity",
        outcome: "failed",
        rule_id: "clarity_no_object",
        reason: REASONS.clarity_no_object,
        evidence: [],
      },
    };
  }
  const reason = "Not in English: judged by its wording; product works out what is asked";
  return {
    questions: [],
    step: { step: "clarity", outcome: "noted", rule_id: "clarity_other_language", reason, evidence: [] },
  };
}

const REASONS = {
  clarity_empty: "Nothing is asked",
  clarity_no_object: "Missing critical information: it names nothing to work on",
  clarity_generic_object: "Ambiguous: what it names is too general to start on",
} as const;

function openChoice(policy: CompiledPolicy, reading: Reading): IntakeStep["evidence"][number] | null {
  let open: IntakeStep["evidence"][number] | null = null;
  for (const { tokens } of reading.own) {
    if (policy.decided.scan(tokens).length > 0) return null;
    const hit = policy.choices.scan(tokens)[0];
    if (hit !== undefined && open === null)
      open = evidenceOf(reading, tokens[hit.at]?.start ?? 0, tokens[hit.at + hit.length - 1]?.end ?? 0, "choice");
  }
  return open;
}
