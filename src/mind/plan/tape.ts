import type { RiskAssessment, RuleDecision } from "../../model/plan/decision.js";
import type { QuestionPack } from "../../model/plan/questions.js";
import type { FailureInfo, PlanState, RunTape, StateTransition } from "../../model/tape.js";
import { IdMaker } from "./ids.js";
import { type ActionCost, distinctModels } from "./models/route-models.js";
import { clip } from "./transition.js";

export interface TapeSource {
  readonly runId: string;
  readonly intentId: string;
  readonly coordinatorVersion: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly state: PlanState;
  readonly transitions: readonly StateTransition[];
  readonly decisions: readonly RuleDecision[];
  readonly risk: RiskAssessment | null;
  readonly questions: readonly QuestionPack[];
  readonly costs: readonly ActionCost[];
  readonly graphNotes: { readonly nodes: number; readonly edges: number; readonly conflicts: number } | null;
  readonly failure: FailureInfo | null;
}

/** How many names a line of the tape lists before it only counts. The graph and the audit log name every one. */
const NAMED = 20;

/** The record of one planning run: every transition with its guards, and every kind of decision with its reasons. */
export function buildTape(source: TapeSource): RunTape {
  const terminal = source.state === "DONE" || source.state === "BLOCKED" || source.state === "ABORTED";
  const decisions = tapeDecisions(source);
  return {
    run_id: source.runId,
    schema_version: "0.9.2",
    intent_id: source.intentId,
    coordinator_version: source.coordinatorVersion,
    started_at: source.startedAt,
    ...(terminal ? { completed_at: source.endedAt } : {}),
    final_state: source.state,
    states: [...source.transitions],
    decisions,
    rule_evaluations: ruleEvaluations(source),
    model_routing_decisions: modelDecisions(source),
    ...(source.failure === null ? {} : { failure_info: source.failure }),
    metadata: { state_transitions_count: source.transitions.length, decisions_count: decisions.length },
  };
}

function tapeDecisions(source: TapeSource): RunTape["decisions"] {
  const ids = new IdMaker();
  const timestamp = source.startedAt;
  const found: RunTape["decisions"] = [];
  for (const group of groupDecisions(source.decisions))
    found.push({
      decision_id: ids.anonymous("decision_rule_", `${group.decision} ${group.rule_id}`),
      decision_type: "rule_adjudication",
      timestamp,
      inputs: { evidence_refs: group.evidence, context_refs: [], rule_refs: group.rules },
      rationale: clip(`${group.rule_id}: ${group.reason || "no reason given"}`, 4000),
      outcome: clip(`${group.decision} for ${names(group.targets)}`, 1000),
      alternatives_considered: group.alternatives,
    });
  if (source.risk !== null)
    found.push({
      decision_id: "decision_risk_of_plan",
      decision_type: "risk_assessment",
      timestamp,
      inputs: {
        evidence_refs: [...new Set(source.risk.factors.flatMap((f) => f.evidence_refs))].slice(0, NAMED),
        context_refs: [],
        rule_refs: [],
      },
      rationale: clip(
        source.risk.factors.map((f) => `${f.factor} (${f.level})`).join("; ") || "No factor was found.",
        4000,
      ),
      outcome: source.risk.overall_risk,
      alternatives_considered: [],
    });
  if (source.graphNotes !== null)
    found.push({
      decision_id: "decision_graph_shape",
      decision_type: "graph_building",
      timestamp,
      inputs: { evidence_refs: [], context_refs: [`intent://${source.intentId}`], rule_refs: [] },
      rationale: `Actions of one phase run beside each other unless one needs another or both write the same files; ${source.graphNotes.conflicts} pairs do.`,
      outcome: `${source.graphNotes.nodes} nodes, ${source.graphNotes.edges} edges`,
      alternatives_considered: [],
    });
  for (const pack of source.questions)
    for (const question of pack.questions)
      found.push({
        decision_id: ids.anonymous("decision_ask_", `${pack.pack_id} ${question.question_id}`),
        decision_type: "question_emission",
        timestamp: pack.created_at,
        inputs: { evidence_refs: question.evidence_refs, context_refs: [pack.pack_id], rule_refs: [] },
        rationale: clip(question.context, 4000),
        outcome: clip(`ask ${question.question_id} (${question.type}, ${question.blocking_level})`, 1000),
        alternatives_considered:
          question.default_strategy === undefined
            ? []
            : [{ alternative: question.default_strategy, reason_rejected: "A person may know better." }],
      });
  return found;
}

interface DecisionGroup {
  readonly decision: RuleDecision["decision"];
  readonly rule_id: string;
  readonly reason: string;
  readonly targets: string[];
  readonly evidence: string[];
  readonly rules: string[];
  readonly alternatives: RuleDecision["alternatives"];
}

function groupDecisions(decisions: readonly RuleDecision[]): DecisionGroup[] {
  const groups = new Alike<DecisionGroup>();
  for (let i = 0; i < decisions.length; i++) {
    const judged = decisions[i] as RuleDecision;
    const group = groups.find(judged);
    if (group !== undefined) group.targets.push(judged.target);
    else {
      const { decision, rule_id, reason, target, evidence_refs, evaluations, alternatives } = judged;
      groups.add({
        decision,
        rule_id,
        reason,
        targets: [target],
        evidence: evidence_refs.slice(0, NAMED),
        rules: evaluations.map((e) => e.rule_id),
        alternatives,
      });
    }
  }
  return groups.all;
}

type Said = Pick<RuleDecision, "rule_id" | "decision" | "reason">;

/** Things by the rule, its decision and its reason. */
class Alike<T extends Said> {
  readonly all: T[] = [];
  readonly #ofRule = new Map<string, Map<string, T[]>>();

  find({ rule_id, decision, reason }: Said): T | undefined {
    // At most as many as there are decisions.
    const same = this.#ofRule.get(rule_id)?.get(reason);
    if (same === undefined) return undefined;
    for (let i = 0; i < same.length; i++) if (same[i]?.decision === decision) return same[i];
    return undefined;
  }

  add(thing: T): void {
    this.all.push(thing);
    let ofReason = this.#ofRule.get(thing.rule_id);
    if (ofReason === undefined) this.#ofRule.set(thing.rule_id, (ofReason = new Map()));
    const same = ofReason.get(thing.reason);
    if (same === undefined) ofReason.set(thing.reason, [thing]);
    else same.push(thing);
  }
}

function names(targets: readonly string[]): string {
  const shown = targets.slice(0, NAMED).join(", ");
  return targets.length > NAMED ? `${shown} and ${targets.length - NAMED} more` : shown;
}

interface FiredRule extends Said {
  readonly targets: string[];
  readonly evidence: string[];
}

/** One line for each rule that fired and what it said, with the actions it fired on. */
function ruleEvaluations({ decisions, startedAt }: TapeSource): RunTape["rule_evaluations"] {
  const fired = new Alike<FiredRule>();
  for (let i = 0; i < decisions.length; i++) {
    const { evaluations, target, evidence_refs } = decisions[i] as RuleDecision;
    for (let j = 0; j < evaluations.length; j++) {
      const evaluation = evaluations[j] as RuleDecision["evaluations"][number];
      const line = fired.find(evaluation);
      if (line !== undefined) line.targets.push(target);
      else {
        const { rule_id, decision, reason } = evaluation;
        fired.add({ rule_id, decision, reason, targets: [target], evidence: evidence_refs.slice(0, NAMED) });
      }
    }
  }
  const ids = new IdMaker();
  return fired.all.map(({ rule_id, decision, reason, targets, evidence }) => ({
    evaluation_id: ids.anonymous("eval_", `${rule_id} ${decision} ${reason}`),
    rule_id,
    decision,
    timestamp: startedAt,
    target: names(targets),
    evidence_used: evidence,
    reason: clip(reason, 2000),
  }));
}

function modelDecisions({ costs, startedAt }: TapeSource): RunTape["model_routing_decisions"] {
  return distinctModels(costs).map((decision) => ({
    decision_id: decision.decision_id,
    task_type: decision.task_type,
    model_selected: clip(decision.model ?? "none", 100),
    timestamp: startedAt,
    reason: clip(decision.reason, 2000),
    cost_estimate: decision.cost_estimate_usd,
    budget_remaining: decision.budget_remaining_usd,
    data_sensitivity: decision.data_sensitivity,
    fallback_available: decision.fallbacks.length > 0,
  }));
}
