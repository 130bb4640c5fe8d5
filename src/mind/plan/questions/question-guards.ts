import type { RuleDecision } from "../../../model/plan/decision.js";
import type { Limits } from "../../../model/plan/policy.js";
import type { QuestionPack } from "../../../model/plan/questions.js";
import { abortGuard, blockGuard, clip, type Guard, passGuard } from "../transition.js";
import type { QuestionRules, Triage } from "./govern.js";
import type { ReadAnswers } from "./integrate-answers.js";
import { type AnswerConflict, checkAnswerConflicts, type Weighed } from "./weigh-answers.js";

/** The guards before a person is asked anything. */
export function questionGuards(
  { questions, policy_constraints }: QuestionPack,
  sorted: Triage,
  rules: QuestionRules,
): Guard[] {
  const { question_budget, budget_remaining } = policy_constraints;
  return [
    modeAllowsQuestions(rules),
    nothingStuck(sorted, rules),
    questions.length <= rules.max && budget_remaining >= 0
      ? passGuard(
          "question_budget_available",
          `${questions.length} of a budget of ${question_budget}, ${budget_remaining} left`,
          ["policy://question_budget"],
        )
      : blockGuard(
          "question_budget_available",
          `${questions.length} questions; at most ${rules.max} may be asked`,
          fail("Raise the question budget."),
        ),
    questionsHaveEvidence(questions),
    questionsHaveFallback(questions),
  ];
}

export function modeAllowsQuestions({ mode, ask }: QuestionRules): Guard {
  if (mode !== "full_auto" && ask !== "never")
    return passGuard("mode_allows_questions", `${mode} may ask ${ask === "all" ? "everything" : "blockers"}`);
  return abortGuard("mode_allows_questions", `Red line I2: ${mode} with question policy ${ask} asks nothing`, {
    type: "red_line_violation",
    recovery: ["Choose interactive or semi_auto."],
  });
}

export function questionsHaveEvidence(questions: QuestionPack["questions"]): Guard {
  const bare = questions.find((q) => q.evidence_refs.length === 0);
  if (bare === undefined) return passGuard("questions_have_evidence", "Every question says what raised it");
  return blockGuard(
    "questions_have_evidence",
    `${bare.question_id} says nothing of what raised it`,
    fail("Report this as a defect."),
  );
}

/** A question has something to fall back on, or it says by its level that it must be answered. */
export function questionsHaveFallback(questions: QuestionPack["questions"]): Guard {
  const bare = questions.find((q) => q.default_strategy === undefined && q.type !== "blocker");
  if (bare === undefined) return passGuard("questions_have_fallback", "Every question has a fallback or is a blocker");
  return blockGuard(
    "questions_have_fallback",
    `${bare.question_id} has no fallback and is not a blocker`,
    fail(`Give the parameter or fact behind it a default, or a higher blocking level.`),
  );
}

/** Nothing that must be known may go unasked. */
export function nothingStuck({ stuck }: Triage, { mode, ask, budget }: QuestionRules): Guard {
  const name = "no_blocker_unasked";
  if (stuck.length === 0) return passGuard(name, "Whatever must be known is known, asked or has a fallback");
  const why = ask === "never" ? `${mode} asks nothing` : `the budget of ${budget} questions is spent`;
  return blockGuard(
    name,
    clip(`${why}, and these have no fallback: ${stuck.map((u) => u.question).join(" · ")}`, 1000),
    {
      type: "constraint_violation",
      recovery: [
        "Say it in the fact pack or the policy, give it a default in the registry, or let questions be asked.",
      ],
      diagnostics: stuck.map((u) => ({ code: "QUESTION_UNASKED", path: u.id, message: u.question })),
    },
  );
}

/** The guards of an AnswerPack before the graph may be finalised. */
export function answerGuards({ settled, unanswered }: ReadAnswers, weighed: Weighed): Guard[] {
  const critical = unanswered.filter((u) => u.fallback === null);
  const stopped = settled.filter(
    ({ answer, uncertainty }) => uncertainty.subject.kind === "scope" && answer === "stop",
  );
  return [
    passGuard("answers_valid", `${settled.length} answers, each to an open question`),
    critical.length === 0
      ? passGuard(
          "critical_questions_answered",
          unanswered.length === 0 ? "Every question is answered" : `${unanswered.length} left to their fallback`,
        )
      : blockGuard(
          "critical_questions_answered",
          `No answer and no fallback: ${critical.map((u) => `${u.id} (${u.question})`).join(" · ")}`,
          {
            type: "constraint_violation",
            recovery: ["Answer these questions too and plan again."],
            diagnostics: critical.map((u) => ({ code: "QUESTION_UNANSWERED", path: u.id, message: u.question })),
          },
        ),
    stopped.length === 0
      ? passGuard("nobody_said_stop", "No answer ends the plan")
      : blockGuard(
          "nobody_said_stop",
          `A person stopped it: ${stopped.map((s) => s.uncertainty.question).join(" · ")}`,
          fail("Change the intent, then plan it again."),
        ),
    ...(weighed.conflicts.length === 0 ? [passGuard("no_rule_conflicts", "No answer conflicts with a rule")] : []),
  ];
}

export function replanRoundsLeft(
  round: number,
  { max_replan_rounds }: Limits,
  conflicts: readonly AnswerConflict[],
): Guard {
  const shown = conflicts
    .slice(0, 5)
    .map((c) => `${c.target}: ${c.rule_id} says ${c.after} (${c.reason})`)
    .join("; ");
  if (round <= max_replan_rounds)
    return passGuard("replan_rounds_left", clip(`Round ${round} of ${max_replan_rounds}: ${shown}`, 1000));
  return blockGuard(
    "replan_rounds_left",
    clip(`Answers conflicted with rules ${round} times; ${max_replan_rounds} are allowed. Last: ${shown}`, 1000),
    {
      type: "constraint_violation",
      recovery: ["Change the rule, or change the intent so that the question does not arise."],
      diagnostics: conflicts.map((c) => ({
        code: "ANSWER_CONFLICT",
        path: c.target,
        message: `${c.rule_id}: ${c.reason}`,
      })),
    },
  );
}

/** Fallbacks are answers nobody gave: they too must not make a rule stricter than it was. */
export function noRuleConflicts(before: readonly RuleDecision[], after: readonly RuleDecision[]): Guard {
  const conflicts = checkAnswerConflicts(before, after);
  if (conflicts.length === 0) return passGuard("no_rule_conflicts", "No fallback conflicts with a rule");
  return blockGuard(
    "no_rule_conflicts",
    conflicts.map((c) => `${c.target}: ${c.rule_id} says ${c.after} (${c.reason})`).join("; "),
    fail("Answer the question instead of leaving it to its fallback."),
  );
}

/** Answers to questions that were never asked are a mistake of anyone who gave them, and must not be passed over. */
export function noSurplusAnswers(given: number, taken: number): Guard {
  const name = "no_surplus_answers";
  if (given <= taken)
    return passGuard(name, given === 0 ? "No answers were given" : `All ${given} answer packs were taken`);
  const reason = `${given - taken} of ${given} answer packs answer nothing: the plan asks no more questions`;
  return blockGuard(name, reason, {
    ...fail("Take the answers away; nothing is asked that they could answer."),
    diagnostics: [{ code: "ANSWER_SURPLUS", path: "", message: reason }],
    invalidInput: true,
  });
}

function fail(recovery: string): { type: "constraint_violation"; recovery: string[] } {
  return { type: "constraint_violation", recovery: [recovery] };
}
