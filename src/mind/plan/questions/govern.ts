import type { Mode, RiskLevel } from "../../../model/primitives.js";
import { RISK_LEVELS } from "../../../model/primitives.js";
import type { Question, QuestionPack } from "../../../model/plan/questions.js";
import type { ExecutionIntent } from "../../../model/plan/intent.js";
import type { ExecutionPolicy } from "../../../model/plan/policy.js";
import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { GraphDraft } from "../graph/draft.js";
import { clip } from "../transition.js";
import type { Uncertainty } from "./uncertainty.js";

/** Limits on questions: the strictest of the mode, the intent's question policy and the budgets. */
export interface QuestionRules {
  readonly mode: Mode;
  readonly ask: "all" | "blockers_only" | "never";
  readonly budget: number;
  readonly max: number;
}

export function questionRules(intent: ExecutionIntent, policy: ExecutionPolicy): QuestionRules {
  const { mode, question_policy, question_budget } = intent.interaction;
  const ask =
    mode === "full_auto" || question_policy === "never"
      ? "never"
      : mode === "semi_auto" || question_policy === "blockers_only"
        ? "blockers_only"
        : "all";
  return { mode, ask, budget: Math.min(question_budget, policy.question_budget), max: policy.limits.max_questions };
}

/** Whether an uncertainty may become a question, the budget aside. INVARIANT: full_auto never asks. */
export function shouldAsk({ type }: Uncertainty, { mode, ask }: QuestionRules): boolean {
  if (mode === "full_auto" || ask === "never") return false;
  return ask === "all" || type === "blocker";
}

export interface Triage {
  readonly ask: readonly Uncertainty[];
  /** Not asked, and settled by what was prepared for that. */
  readonly fallBack: readonly Uncertainty[];
  /** Not asked, and nothing safe can be assumed: the plan cannot go on. */
  readonly stuck: readonly Uncertainty[];
}

const urgency = (level: RiskLevel) => -RISK_LEVELS.indexOf(level);

/** Spend what is left of the budget on the most pressing questions. */
export function triage(uncertainties: readonly Uncertainty[], rules: QuestionRules, alreadyAsked: number): Triage {
  const pressing = [...uncertainties].sort(
    (a, b) =>
      Number(b.fallback === null) - Number(a.fallback === null) ||
      urgency(a.blockingLevel) - urgency(b.blockingLevel) ||
      byCodeUnit(a.id, b.id),
  );
  let left = Math.max(0, Math.min(rules.budget - alreadyAsked, rules.max));
  const ask: Uncertainty[] = [];
  const fallBack: Uncertainty[] = [];
  const stuck: Uncertainty[] = [];
  for (const uncertainty of pressing) {
    if (shouldAsk(uncertainty, rules) && left > 0) {
      left--;
      ask.push(uncertainty);
    } else if (uncertainty.fallback !== null) fallBack.push(uncertainty);
    else stuck.push(uncertainty);
  }
  return { ask, fallBack, stuck };
}

export interface PackSource {
  readonly intent: ExecutionIntent;
  readonly rules: QuestionRules;
  readonly draft: GraphDraft;
  readonly alreadyAsked: number;
  readonly round: number;
  readonly runId: string;
  readonly now: string;
  /** Why an earlier answer to a question was not taken, by question id. */
  readonly refused: ReadonlyMap<string, string>;
}

/** The QuestionPack for what is asked, most pressing first. */
export function buildQuestionPack(ask: readonly Uncertainty[], source: PackSource): QuestionPack {
  const { intent, rules, alreadyAsked, round, runId, now } = source;
  return {
    pack_id: `qpack_${intent.id.slice("intent_".length, "intent_".length + 56)}_r${round}`,
    schema_version: "0.9.2",
    coordinator_run_id: runId,
    intent_id: intent.id,
    questions: ask.map((uncertainty) => questionOf(uncertainty, source)),
    policy_constraints: {
      execution_mode: rules.mode,
      question_budget: rules.budget,
      question_policy: rules.ask,
      budget_consumed: ask.length,
      budget_remaining: Math.max(0, rules.budget - alreadyAsked - ask.length),
    },
    created_at: now,
    metadata: { emitted_from_state: "GRAPH_DRAFTED", total_questions: ask.length, round },
  };
}

function questionOf(uncertainty: Uncertainty, { draft, refused }: PackSource): Question {
  const refusal = refused.get(uncertainty.id);
  const context =
    refusal === undefined ? uncertainty.context : `${uncertainty.context} Your last answer was not taken: ${refusal}`;
  return {
    question_id: uncertainty.id,
    type: uncertainty.type,
    blocking_level: uncertainty.blockingLevel,
    question_text: clip(uncertainty.question, 2000),
    context: clip(context, 4000),
    evidence_refs: uncertainty.evidence.map((ref) => clip(ref, 512)),
    ...(uncertainty.fallback === null ? {} : { default_strategy: clip(uncertainty.fallback.strategy, 1000) }),
    impact: impactOf(uncertainty, draft),
    ...(uncertainty.suggested.length === 0 ? {} : { suggested_answers: uncertainty.suggested }),
  };
}

/** The effects of a different answer. */
function impactOf({ subject, actions }: Uncertainty, draft: GraphDraft): Question["impact"] {
  const nodes = actions
    .map((i) => draft.nodes[draft.actionNodes[i] as number]?.node_id ?? "")
    .filter((id) => id !== "");
  const slots = new Set(actions.map((i) => draft.slotOfAction[i]));
  const scope =
    subject.kind === "reviewer" || slots.size > 1
      ? "entire_plan"
      : actions.length === 1
        ? "single_action"
        : actions.length === 0
          ? "entire_plan"
          : "single_phase";
  const what = {
    fact: "which rules let the actions pass",
    evidence: "which rules let the actions pass",
    parameter: "how the actions are carried out",
    reviewer: "who must approve the plan",
    scope: "whether the action may be planned",
  }[subject.kind];
  const count =
    actions.length === 0 ? "the whole plan" : actions.length === 1 ? "one action" : `${actions.length} actions`;
  return { scope, description: `It decides ${what}: ${count}.`, affected_nodes: nodes };
}
