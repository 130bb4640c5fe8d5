import type { ModelDecision, ModelUse } from "../../model/plan/decision.js";
import { type ExplanationOf, findSimilar } from "../../model/plan/explanation.js";
import type { ActionNode, ExecutionGraph, GraphNode } from "../../model/plan/graph.js";
import type { Question, QuestionPack } from "../../model/plan/questions.js";
import type { Registry, RuleEntry } from "../../model/plan/registry.js";
import type { ReviewPack } from "../../model/plan/review.js";
import type { RunTape } from "../../model/tape.js";
import { describeWorker } from "./models/rank-workers.js";

/** The parts of a plan that an explanation is made from. */
export interface ExplainSource {
  readonly graph: ExecutionGraph | null;
  readonly questions: readonly QuestionPack[];
  readonly review: ReviewPack | null;
  readonly tape: RunTape;
  readonly registry: Registry;
}

/** Why something is in a plan the way it is. */
export type Explanation = ExplanationOf<
  "action" | "phase" | "decision" | "review" | "question" | "rule" | "model" | "guard" | "edge" | "lane"
>;

/**
 * Explain a node, edge, lane, rule, question, model decision or guard of a plan; a task or command id stands for its
 * action. Null when the plan knows no such id.
 */
export function explain(id: string, source: ExplainSource): Explanation | null {
  const { graph } = source;
  const asked = new Set(source.questions.flatMap((pack) => pack.questions.map((q) => q.question_id)));
  const node = graph?.nodes.find(
    (n) =>
      n.node_id === id ||
      (n.node_type === "question" && n.question_ref === id && !asked.has(id)) ||
      (n.node_type === "action_proposal" && (n.metadata.task?.id === id || n.command_ref === id)),
  );
  if (node !== undefined && graph !== null) return explainNode(node, source, graph);
  const question = source.questions.flatMap((pack) => pack.questions).find((q) => q.question_id === id);
  if (question !== undefined) return explainQuestion(question, source);
  const model = source.review?.models.find((m) => m.decision_id === id || m.model === id);
  if (model !== undefined) return explainModel(model, source);
  const rule = source.registry.rules.find((r) => r.id === id);
  if (rule !== undefined || source.tape.rule_evaluations.some((e) => e.rule_id === id))
    return explainRule(id, rule, source);
  return explainGuard(id, source) ?? explainStructure(id, graph);
}

/** Ids that are close to one that is not there, for "did you mean". */
export function similarIds(id: string, { graph, questions, registry }: ExplainSource): string[] {
  const all = [
    ...(graph?.nodes.flatMap((n) =>
      n.node_type === "action_proposal" ? [n.node_id, n.metadata.task?.id ?? n.command_ref] : [n.node_id],
    ) ?? []),
    ...questions.flatMap((pack) => pack.questions.map((q) => q.question_id)),
    ...registry.rules.map((r) => r.id),
  ];
  return findSimilar(id, all);
}

function explainNode(node: GraphNode, source: ExplainSource, graph: ExecutionGraph): Explanation {
  switch (node.node_type) {
    case "action_proposal":
      return explainAction(node, source, graph);
    case "question": {
      const { metadata } = node;
      const question = source.questions.flatMap((p) => p.questions).find((q) => q.question_id === node.question_ref);
      const settled =
        metadata.status === "answered"
          ? [`Answered: ${metadata.answer} (${metadata.provided_by}).`]
          : metadata.status === "fallback"
            ? [`Not answered: ${metadata.strategy}`]
            : [];
      const base = question === undefined ? null : explainQuestion(question, source);
      return {
        id: node.node_id,
        kind: "question",
        title: node.label,
        why: [...(base?.why ?? [node.description ?? ""]), ...settled],
        evidence: base?.evidence ?? [],
        alternatives: base?.alternatives ?? [],
        see: [node.question_ref],
      };
    }
    case "decision_point":
      return plain(
        node,
        "decision",
        [
          `${node.metadata.decision} for ${node.metadata.targets.slice(0, 20).join(", ")}.`,
          `Rules that spoke: ${node.rule_refs.join(", ")}.`,
        ],
        node.rule_refs,
      );
    case "review_gate":
      return plain(node, "review", [
        node.metadata.when === "after_work"
          ? "The intent asks for this review of the finished work."
          : "A rule wants this review before the actions behind it.",
        `Reviewers: ${node.metadata.reviewers.join(", ") || "nobody named"}.`,
        ...node.review_criteria.map((c) => `Criterion: ${c}`),
      ]);
    case "phase":
      return plain(node, "phase", [
        `The ${node.phase_ref} phase of ${node.metadata.workflow_id}.`,
        ...(node.description === undefined ? [] : [node.description]),
      ]);
  }
}

function plain(node: GraphNode, kind: Explanation["kind"], why: string[], see: string[] = []): Explanation {
  return { id: node.node_id, kind, title: node.label, why, evidence: [], alternatives: [], see };
}

const OWNED_BECAUSE: Readonly<Record<ActionNode["metadata"]["owner_because"], string>> = {
  task_names_it: "the task names it",
  owns_command: "it owns the command",
  covers_phase: "the command's owner is not selected, and this agent covers the phase",
};

function explainAction(node: ActionNode, { tape, review }: ExplainSource, graph: ExecutionGraph): Explanation {
  const { metadata } = node;
  const judged = tape.decisions.find(
    (d) => d.decision_type === "rule_adjudication" && d.rationale.startsWith(`${metadata.decision.rule_id}:`),
  );
  const before = graph.edges.filter((e) => e.to_node === node.node_id && e.from_node.startsWith("node_action_"));
  const model = review?.models.find((m) => m.decision_id === metadata.model_decision);
  const level = graph.metadata.levels.findIndex((l) => l.includes(node.node_id));
  return {
    id: node.node_id,
    kind: "action",
    title: node.label,
    why: [
      `${metadata.decision.decision}, by ${metadata.decision.rule_id}: ${judged?.rationale.slice(metadata.decision.rule_id.length + 2) ?? ""}`,
      `It stands in level ${level + 1}, in the ${metadata.phase} phase of ${metadata.workflow_id}.`,
      `Its agent is ${metadata.owner}: ${OWNED_BECAUSE[metadata.owner_because]}.`,
      ...before.map((e) => `It comes after ${e.from_node}: ${e.label ?? "it depends on it"}.`),
      `Estimate: ${metadata.estimate.tokens} tokens, ${metadata.estimate.minutes} min, $${metadata.estimate.cost_usd.toFixed(4)} (from the ${metadata.estimate.source}).`,
      describeCorrection(metadata.estimate.before_learning),
      model === undefined ? "" : `Model: ${model.model ?? "none"}. ${model.reason}`,
    ].filter((line) => line !== ""),
    evidence: [...new Set([...node.evidence_refs, ...(judged?.inputs.evidence_refs ?? [])])],
    alternatives: judged?.alternatives_considered ?? [],
    see: [metadata.decision.rule_id, metadata.model_decision],
  };
}

function explainQuestion(question: Question, { graph }: ExplainSource): Explanation {
  const node = graph?.nodes.find((n) => n.node_type === "question" && n.question_ref === question.question_id);
  return {
    id: question.question_id,
    kind: "question",
    title: question.question_text,
    why: [
      question.context,
      `A ${question.type} question, ${question.blocking_level}. ${question.impact.description}`,
      question.default_strategy === undefined
        ? "Without an answer the plan is blocked."
        : `Without an answer: ${question.default_strategy}`,
    ],
    evidence: question.evidence_refs,
    alternatives: (question.suggested_answers ?? []).map((s) => ({
      alternative: s.answer_text,
      reason_rejected: s.rationale,
    })),
    see: [...(node === undefined ? [] : [node.node_id]), ...(question.impact.affected_nodes ?? [])],
  };
}

/** `codex with gpt-5.5`; a model alone where no agent is configured. */
function describeUse({ agent, model }: ModelUse): string {
  return agent === undefined ? (model ?? "No model") : describeWorker({ agent, model });
}

function explainModel(model: ModelDecision, { graph }: ExplainSource): Explanation {
  const users =
    graph?.nodes.filter((n) => n.node_type === "action_proposal" && n.metadata.model_decision === model.decision_id) ??
    [];
  return {
    id: model.decision_id,
    kind: "model",
    title: `${describeUse(model)} for ${model.task_type}`,
    why: [
      model.reason,
      `Data sensitivity ${model.data_sensitivity}; ${model.actions} ${model.actions === 1 ? "action" : "actions"}; $${model.cost_estimate_usd.toFixed(4)} (${model.cost_is}).`,
      model.fallbacks.length === 0
        ? "There is no fallback."
        : `If it is unavailable or limited: ${model.fallbacks.map(describeUse).join(", then ")}.`,
    ],
    evidence: [],
    alternatives: model.rejected,
    see: users.slice(0, 10).map((n) => n.node_id),
  };
}

function explainRule(id: string, rule: RuleEntry | undefined, { tape, graph }: ExplainSource): Explanation {
  const fired = tape.rule_evaluations.filter((e) => e.rule_id === id);
  const decided =
    graph?.nodes.filter((n) => n.node_type === "action_proposal" && n.metadata.decision.rule_id === id) ?? [];
  return {
    id,
    kind: "rule",
    title: rule?.title ?? "A rule of the policy itself",
    why: [
      ...(rule === undefined ? [] : [`When ${rule.when.trim()}, then ${rule.then.decision}. ${rule.then.reason}`]),
      ...(fired.length === 0
        ? ["It did not fire in this plan."]
        : fired.map((e) => `${e.decision} for ${e.target}. ${e.reason}`)),
    ],
    evidence: fired.flatMap((e) => e.evidence_used),
    alternatives: (rule?.then.alternatives ?? []).map((alternative) => ({
      alternative,
      reason_rejected: "Suggested by the rule.",
    })),
    see: decided.slice(0, 10).map((n) => n.node_id),
  };
}

function explainGuard(id: string, { tape }: ExplainSource): Explanation | null {
  const seen = tape.states.flatMap((s) =>
    s.guards_evaluated.filter((g) => g.guard_name === id).map((g) => ({ ...g, from: s.from_state, to: s.to_state })),
  );
  if (seen.length === 0) return null;
  return {
    id,
    kind: "guard",
    title: `A guard of the way to ${[...new Set(seen.map((g) => g.to))].join(", ")}`,
    why: seen.map((g) => `${g.from} → ${g.to}: ${g.passed ? "passed" : "did not pass"}. ${g.reason}`),
    evidence: seen.flatMap((g) => g.evidence_refs),
    alternatives: [],
    see: [],
  };
}

function explainStructure(id: string, graph: ExecutionGraph | null): Explanation | null {
  const edge = graph?.edges.find((e) => e.edge_id === id);
  if (edge !== undefined)
    return {
      id,
      kind: "edge",
      title: `${edge.from_node} → ${edge.to_node}`,
      why: [`${edge.edge_type}: ${edge.condition ?? edge.label ?? "the order of the phases"}`],
      evidence: [],
      alternatives: [],
      see: [edge.from_node, edge.to_node],
    };
  const lane = graph?.swimlanes.find((l) => l.swimlane_id === id || l.agent_id === id);
  if (lane === undefined) return null;
  return {
    id,
    kind: "lane",
    title: `${lane.agent_id} (${lane.role})`,
    why: [`${lane.node_refs.length} nodes stand in this lane.`],
    evidence: [],
    alternatives: [],
    see: lane.node_refs.slice(0, 10),
  };
}

function describeCorrection(before: { tokens: number; minutes: number; samples: number } | undefined): string {
  if (before === undefined) return "";
  return `Corrected by what ${before.samples} earlier tasks like it used; it was ${before.tokens} tokens and ${before.minutes} min.`;
}
