import type { RiskAssessment, RuleDecision } from "../../model/plan/decision.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { ExecutionGraph, Lineage } from "../../model/plan/graph.js";
import type { FactPack } from "../../model/settings/packs.js";
import type { QuestionPack } from "../../model/plan/questions.js";
import type { ReviewPack } from "../../model/plan/review.js";
import type { PlanState, RunTape } from "../../model/tape.js";
import { type Action, listActions } from "./rules/actions.js";
import { contextGuards } from "./rules/context-guards.js";
import { freeze, freezeGuards, type FrozenOutputs, outputsCarryTheirChecksums } from "./freeze.js";
import { buildDraft, type Watch } from "./graph/build-graph.js";
import type { GraphDraft } from "./graph/draft.js";
import { finishGraph, type FinishedGraph } from "./graph/finish-graph.js";
import { graphIsAcyclic, checkNodeLimit, noPlaceholderLeft } from "./graph/graph-guards.js";
import type { PlanInputs } from "./inputs.js";
import type { PlanningContext } from "./rules/judge-action.js";
import type { ParsedIntent } from "./parse-intent.js";
import { registryVersions } from "./inputs/registry-references.js";
import { precheck } from "./rules/precheck.js";
import type { Settled } from "./questions/integrate-answers.js";
import { Recorder } from "./recorder.js";
import { budgetOf, buildReviewPack, reviewGuards } from "./review-pack.js";
import { type ActionCost, routeModels } from "./models/route-models.js";
import { riskFitsMode } from "./rules/rule-guards.js";
import { checksumOf, type Services } from "./services.js";
import { type Settlement, settleQuestions } from "./settle-questions.js";

/** How planning ended, and everything it produced on the way. */
export interface PlanOutcome {
  readonly state: PlanState;
  readonly tape: RunTape;
  /** Every single problem behind a refusal, with its place. */
  readonly problems: readonly Diagnostic[];
  /** The input itself is wrong (a usage error), as opposed to being refused. */
  readonly invalidInput: boolean;
  readonly intentId: string;
  readonly runId: string;
  readonly parsed: ParsedIntent | null;
  readonly lineage: Lineage | null;
  readonly actions: readonly Action[];
  readonly decisions: readonly RuleDecision[];
  readonly risk: RiskAssessment | null;
  readonly costs: readonly ActionCost[];
  readonly questions: readonly QuestionPack[];
  readonly settled: readonly Settled[];
  readonly graph: ExecutionGraph | null;
  readonly review: ReviewPack | null;
  readonly frozen: FrozenOutputs | null;
}

/**
 * Turn an ExecutionIntent into a frozen plan, or say why not.
 *
 * Contract: pure and total. It always ends in one of the thirteen states. In AWAITING_ANSWERS it has stopped for a
 * person; calling it again with the same inputs and one more AnswerPack goes on from there, because a plan is a
 * function of its inputs and nothing else needs to be kept.
 */
export function plan(inputs: PlanInputs, services: Services, watch?: Watch): PlanOutcome {
  const record = new Recorder(inputs, services);
  record.move({ to: "RECEIVED", trigger: "Intent submitted", guards: [] });

  const { guards, parsed, intentChecksum } = precheck(inputs, services);
  if (
    !record.move({
      to: "PRECHECKED",
      trigger: "Intent checked",
      guards,
      outputs: record.output("precheck_report", { intentChecksum }),
    })
  )
    return record.outcome();
  if (parsed === null) throw new Error("an intent that was not read cannot have passed its checks");
  const lineage: Lineage = {
    derived_from_intent: parsed.intent.id,
    intent_checksum: intentChecksum,
    registry_versions: registryVersions(parsed, inputs.registry.registry, inputs.registry.index),
    coordinator_version: services.coordinatorVersion,
  };
  record.know({ parsed, lineage });

  const { facts, memory } = inputs;
  const context = {
    facts: facts === null ? null : checksumOf(facts, services),
    memory: memory === null ? null : checksumOf(memory, services),
  };
  if (
    !record.move({
      to: "CONTEXT_BUILT",
      trigger: "Context assembled",
      guards: contextGuards(parsed, facts, memory),
      outputs: record.output("context_bundle", context),
    })
  )
    return record.outcome();

  const actions = listActions(parsed, inputs.registry.index, memory);
  const costs = routeModels(
    actions,
    inputs.registry.registry.models,
    inputs.policy,
    budgetOf(parsed.intent.budgets, inputs.policy).cost_usd,
  );
  const ground: PlanningContext = { inputs, services, parsed, lineage, facts: facts as FactPack, actions, costs };
  record.know({ actions, costs });

  const settlement = settleQuestions(ground, record, watch);
  return settlement === null ? record.outcome() : conclude(ground, settlement, record, watch);
}

/** Finalise, review, freeze. */
function conclude(ground: PlanningContext, settlement: Settlement, record: Recorder, watch?: Watch): PlanOutcome {
  const { parsed, lineage, services } = ground;
  const { judgement } = settlement;
  const { source } = judgement;
  // A question that was settled in two rounds counts once, by its last answer.
  const settled = [...new Map(settlement.settled.map((s) => [s.uncertainty.id, s])).values()];
  record.know({ decisions: judgement.decisions, risk: judgement.risk, settled });
  const draft = settlement.draft ?? buildDraft({ ...source, uncertainties: settled.map((s) => s.uncertainty) }, watch);
  answerPlaceholders(draft, settled);
  const guards = [
    ...settlement.guards,
    graphIsAcyclic(draft),
    noPlaceholderLeft(draft),
    // Answers and fallbacks may have let a rule fire that raises the risk.
    riskFitsMode(parsed, judgement.risk),
    // Questions of earlier rounds stand in this draft and stood in no other.
    checkNodeLimit(draft, ground.inputs.policy.limits),
  ];
  const sound = guards.every((guard) => guard.passed);
  const finished: FinishedGraph | null = sound
    ? finishGraph(draft, parsed.intent, lineage, record.now, services)
    : null;
  const structure =
    finished === null ? [] : record.checked("execution_graph", finished.graph.graph_id, finished.graph.checksum);
  if (
    !record.move({ to: "GRAPH_FINALIZED", trigger: settlement.trigger, guards, outputs: structure }) ||
    finished === null
  )
    return record.outcome();

  const review = buildReviewPack({ source, draft, order: finished.order, settled, runId: record.runId });
  const frozen = freeze({ graph: finished.graph, questions: record.questions, review }, lineage, services);
  const reviewed = record.checked("review_pack", review.review_id, frozen.checksums.review);
  if (
    !record.move({
      to: "REVIEW_PACK_BUILT",
      trigger: "Review pack built",
      guards: reviewGuards(review, source),
      outputs: reviewed,
    })
  )
    return record.outcome();

  if (
    !record.move({
      to: "FROZEN_OUTPUTS",
      trigger: "Outputs frozen",
      guards: freezeGuards(frozen),
      outputs: record.output("frozen_outputs", frozen.checksums),
    })
  )
    return record.outcome();
  record.know({
    graph: finished.graph,
    review,
    frozen,
    graphNotes: { nodes: draft.nodes.length, edges: finished.graph.edges.length, conflicts: draft.conflicts.length },
  });
  const proven = outputsCarryTheirChecksums(record.transitions, finished.graph, frozen);
  record.move({ to: "DONE", trigger: "Planning complete", guards: [proven] });
  return record.outcome();
}

/** Question nodes say how they were settled. A question asked again after a refusal keeps its last answer. */
function answerPlaceholders(draft: GraphDraft, settled: readonly Settled[]): void {
  const answers = new Map(settled.map((s) => [s.uncertainty.id, s]));
  for (const { node: n } of draft.questionNodes) {
    const node = draft.nodes[n];
    if (node?.node_type !== "question") continue;
    const answer = answers.get(node.question_ref);
    if (answer === undefined) continue;
    node.metadata =
      answer.by === "human"
        ? { status: "answered", answer: answer.answer, provided_by: answer.by }
        : { status: "fallback", answer: answer.answer, strategy: answer.uncertainty.fallback?.strategy ?? "" };
  }
}
