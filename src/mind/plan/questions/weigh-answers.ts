import type { RuleDecision } from "../../../model/plan/decision.js";
import type { DecisionKind } from "../../../model/plan/registry.js";
import type { Judgement } from "../rules/judge-action.js";
import type { Triage } from "./govern.js";
import { fallBack, type ReadAnswers, resolve, type Settled } from "./integrate-answers.js";
import type { Resolutions } from "./resolutions.js";

/** An answer that makes a rule stricter on an action than it was when the question was asked. */
export interface AnswerConflict {
  readonly target: string;
  readonly before: DecisionKind;
  readonly after: DecisionKind;
  readonly rule_id: string;
  readonly reason: string;
}

export interface Weighed {
  /** The outcome of the rules with every answer taken. */
  readonly judgement: Judgement;
  readonly settled: readonly Settled[];
  readonly conflicts: readonly AnswerConflict[];
  /** The answers that stand even so: facts are facts, whatever a rule makes of them. */
  readonly kept: readonly Settled[];
  /** Choices a rule does not allow, by question id: they are asked again. */
  readonly refused: ReadonlyMap<string, string>;
}

const STRICTNESS: Readonly<Record<DecisionKind, number>> = { allow: 0, warn: 1, require_review: 2, deny: 3 };

/** Actions that are judged more strictly than before. */
export function checkAnswerConflicts(
  before: readonly RuleDecision[],
  after: readonly RuleDecision[],
): AnswerConflict[] {
  return after.flatMap(({ target, decision, rule_id, reason }, i) => {
    const was = before[i]?.decision ?? "allow";
    return STRICTNESS[decision] > STRICTNESS[was] ? [{ target, before: was, after: decision, rule_id, reason }] : [];
  });
}

/** Take the answers, let the rules speak again, and find what does not go together. */
export function weighAnswers(
  read: ReadAnswers,
  sorted: Triage,
  before: Judgement,
  judge: (resolutions: Resolutions) => Judgement,
): Weighed {
  const settled = [...read.settled, ...fallBack([...read.unanswered, ...sorted.fallBack])];
  const judgement = settleWhatFollows(settled, before.resolutions, judge);
  const conflicts = checkAnswerConflicts(before.decisions, judgement.decisions);
  const open = judgement.source.uncertainties.filter((u) => u.fallback === null && !isStop(read, u.id));
  for (const uncertainty of open)
    conflicts.push({
      target: uncertainty.id,
      before: "require_review",
      after: "require_review",
      rule_id: "question_still_open",
      reason: `With these answers something else must be known: ${uncertainty.question}`,
    });
  if (conflicts.length === 0) return { judgement, settled, conflicts, kept: settled, refused: new Map() };
  const kept: Settled[] = [];
  const refused = new Map<string, string>();
  for (const answer of read.settled) {
    const why = isChoice(answer) ? refusalOf(answer, before, judge) : null;
    if (why === null) kept.push(answer);
    else refused.set(answer.uncertainty.id, why);
  }
  return { judgement, settled, conflicts, kept, refused };
}

/**
 * An answer may let a rule look further and meet the next thing nobody has said. A question with a fallback takes it, so that
 * it stands in the graph and among the warnings like the rest; each turn settles at least one, so this ends.
 */
function settleWhatFollows(
  settled: Settled[],
  from: Resolutions,
  judge: (resolutions: Resolutions) => Judgement,
): Judgement {
  for (;;) {
    const judgement = judge(resolve(from, settled));
    const known = new Set(settled.map((s) => s.uncertainty.id));
    const next = fallBack(judgement.source.uncertainties.filter((u) => !known.has(u.id)));
    if (next.length === 0) return judgement;
    settled.push(...next);
  }
}

function isStop({ settled }: ReadAnswers, id: string): boolean {
  return settled.some(({ uncertainty, answer }) => uncertainty.id === id && answer === "stop");
}

/** People choose parameters, reviewers and scopes; they do not choose facts. */
function isChoice({ uncertainty: { subject } }: Settled): boolean {
  return subject.kind === "parameter" || subject.kind === "reviewer" || subject.kind === "scope";
}

/** Why a rule does not take this one answer by itself, or null when it does. */
function refusalOf(answer: Settled, before: Judgement, judge: (resolutions: Resolutions) => Judgement): string | null {
  const alone = judge(resolve(before.resolutions, [answer]));
  const [conflict] = checkAnswerConflicts(before.decisions, alone.decisions);
  return conflict === undefined
    ? null
    : `${conflict.rule_id} says ${conflict.after} for ${conflict.target}: ${conflict.reason}`;
}
