import type { IntakeStep } from "../../../model/request.js";
import type { ClarificationAnswer } from "../answers.js";
import type { CompiledPolicy } from "../compile-policy.js";
import { type Reading, read } from "../reading/reading.js";
import { checkSafety, HELD, isSafetyQuestion, SAFETY_QUESTIONS, type SafetyQuestionId } from "./check-safety.js";
import type { SafetyFinding } from "./check-safety.js";
import type { HarmModel } from "./judge-harm.js";

/*
 * Judges a person's answers about a request that is held. A pretext does not turn harm into work: the answers are judged as the
 * request is, alone and together with it, and what names nobody who agreed leaves the request held.
 */

/** Signs in an answer by which those concerned know nothing of it, or did not agree. */
const AGAINST = ["unnoticed", "without_consent", "covert"];
const AUTHORITY = "names_authority";
const PRETEXT = "pretext";
/** Fewer words say neither what for nor who. */
const LEAST_WORDS = 4;

export type AnswersFinding =
  /** The questions that are still to be answered, and why what was said does not do. */
  | { readonly verdict: "hold"; readonly open: readonly SafetyQuestionId[]; readonly step: IntakeStep }
  | { readonly verdict: "refuse"; readonly category: string | null; readonly step: IntakeStep }
  | { readonly verdict: "pass"; readonly step: IntakeStep };

export interface HeldRequest {
  readonly reading: Reading;
  /** The finding without the answers: held, or nothing against it. */
  readonly before: SafetyFinding;
}

/** The answers to the questions of safety, the last of each; blank ones say nothing. */
export function safetyAnswers(answers: readonly ClarificationAnswer[]): ReadonlyMap<SafetyQuestionId, string> {
  const found = new Map<SafetyQuestionId, string>();
  for (const { id, answer } of answers) if (isSafetyQuestion(id) && answer.trim() !== "") found.set(id, answer.trim());
  return found;
}

/** Contract: pure and total. A request that was refused without its answers must not be brought here. */
export function judgeSafetyAnswers(
  policy: CompiledPolicy,
  harm: HarmModel | null,
  { reading, before }: HeldRequest,
  answers: ReadonlyMap<SafetyQuestionId, string>,
): AnswersFinding {
  const said = [...answers.values()].join("\n\n");
  const { category } = before;
  for (const text of [said, `${reading.text}\n\n${said}`]) {
    const found = checkSafety(policy, [read(policy.vocabulary, text)], false, harm);
    if (found.verdict === "refuse") return pretext(found);
  }
  if (before.verdict === "pass") return { verdict: "pass", step: before.step };
  const signs = harm === null ? new Set<string>() : signsIn(harm, said);
  const against = AGAINST.find((name) => signs.has(name));
  if (against !== undefined)
    return {
      verdict: "refuse",
      category,
      step: step(
        "safety_pretext",
        "Request violates safety policies: by its answer, those concerned do not know or did not agree",
      ),
    };
  const open: SafetyQuestionId[] = [];
  const reasons: string[] = [];
  for (const id of SAFETY_QUESTIONS) {
    const lack = lackOf(id, answers.get(id), harm);
    if (lack === null) continue;
    open.push(id);
    reasons.push(lack);
  }
  if (open.length > 0)
    return {
      verdict: "hold",
      open,
      step: { ...step(HELD, `Held: ${reasons.join("; ")}`), evidence: [...before.step.evidence] },
    };
  return {
    verdict: "pass",
    step: {
      ...step(
        "safety_cleared",
        `Held as ${(category ?? "unclear").replaceAll("_", " ")}, then cleared by what was said of purpose and authorisation`,
      ),
      outcome: "passed",
    },
  };
}

function pretext({ category, step: found }: SafetyFinding): AnswersFinding {
  return { verdict: "refuse", category, step: { ...found, rule_id: "safety_pretext" } };
}

/** The part an answer lacks, in words; null when it lacks none. */
function lackOf(id: SafetyQuestionId, answer: string | undefined, harm: HarmModel | null): string | null {
  const what = id === "purpose" ? "what it is for" : "who owns it or agreed to it";
  if (answer === undefined) return `it is not said ${what}`;
  if (wordsOf(answer) < LEAST_WORDS) return `"${answer.slice(0, 60)}" does not say ${what}`;
  const signs = harm === null ? null : signsIn(harm, answer);
  if (id === "authorisation" && signs !== null && !signs.has(AUTHORITY))
    return "the authorisation names neither an owner nor anybody who agreed";
  if (signs?.has(PRETEXT) === true && !signs.has(AUTHORITY)) return "an assurance does not say " + what;
  return null;
}

function signsIn({ signs }: HarmModel, text: string): ReadonlySet<string> {
  return new Set(signs.matcher.find(text, 0, text.length).map(({ sign }) => signs.names[sign] ?? ""));
}

/** Words, and for scripts without blanks pairs of characters. */
function wordsOf(text: string): number {
  const dense = text.match(/[\u2e80-\u9fff\uac00-\ud7af]/g)?.length ?? 0;
  return (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) + Math.floor(dense / 2);
}

function step(rule_id: string, reason: string): IntakeStep {
  return { step: "safety", outcome: "failed", rule_id, reason, evidence: [] };
}
