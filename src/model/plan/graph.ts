import { z } from "zod";
import { RegistryVersions } from "./intent.js";
import { Checksum, DateTime, IntentId, Mode, NodeId, ReviewCategory, RiskLevel, SemVer, text } from "../primitives.js";
import { DecisionKind } from "./registry.js";
import { IntentTask } from "../task.js";

/*
 * The ExecutionGraph, the only thing execution accepts. It follows the v0.9.2 contract; what we add stands in the
 * places that contract leaves open (node metadata, graph metadata) or widens a list of words (effects).
 */

/** The contract's five effects and the intent's six: the graph must be able to say what an intent can say. */
export const GraphEffect = z.enum(["read", "write", "deploy", "delete", "configure", "network", "security", "data"]);

/** Why an action stands in its lane. */
const OwnerBecause = z.enum(["task_names_it", "owns_command", "covers_phase"]);

/**
 * The fields of an action that later stages need: the task, its owner, its paths, its estimate and the decision that let it in.
 * Data that is the same for every action of a command (reasons, rollback, versions) stands once, in tape, review and lineage.
 */
const ActionMetadata = z.strictObject({
  decision: z.strictObject({ decision: DecisionKind, rule_id: z.string() }),
  estimate: z.strictObject({
    before_learning: z
      .strictObject({ minutes: z.number().min(0), samples: z.int().min(1), tokens: z.int().min(0) })
      .optional()
      .describe("The figures before what earlier runs taught corrected them, and how many tasks taught it."),
    cost_usd: z.number().min(0),
    minutes: z.number().min(0),
    source: z.enum(["registry", "task", "memory"]),
    tokens: z.int().min(0),
  }),
  model_decision: z.string(),
  owner: z.string(),
  owner_because: OwnerBecause,
  parameters: z.record(z.string(), z.string()).optional(),
  phase: z.string(),
  reads: z.array(z.string()).optional(),
  task: IntentTask.optional(),
  workflow_id: z.string(),
  writes: z.array(z.string()).optional(),
});

const node = {
  node_id: NodeId,
  label: text(1, 160),
  description: text(0, 1000).optional(),
};

const PhaseNode = z.strictObject({
  ...node,
  node_type: z.literal("phase"),
  phase_ref: z.string(),
  metadata: z.strictObject({ workflow_id: z.string() }),
});

export const ActionNode = z.strictObject({
  ...node,
  node_type: z.literal("action_proposal"),
  command_ref: z.string(),
  effects: z.array(GraphEffect).min(1),
  risk_level: RiskLevel,
  evidence_refs: z.array(text(1, 512)).min(1),
  metadata: ActionMetadata,
});

const DecisionNode = z.strictObject({
  ...node,
  node_type: z.literal("decision_point"),
  rule_refs: z.array(z.string()).min(1),
  metadata: z.strictObject({ decision: DecisionKind, targets: z.array(z.string()) }),
});

const QuestionNode = z.strictObject({
  ...node,
  node_type: z.literal("question"),
  question_ref: z.string(),
  metadata: z.discriminatedUnion("status", [
    z.strictObject({ status: z.literal("placeholder") }),
    z.strictObject({ status: z.literal("answered"), answer: z.string(), provided_by: z.string() }),
    z.strictObject({ status: z.literal("fallback"), answer: z.string(), strategy: z.string() }),
  ]),
});

export const ReviewNode = z.strictObject({
  ...node,
  node_type: z.literal("review_gate"),
  review_criteria: z.array(z.string()).min(1),
  metadata: z.strictObject({
    category: ReviewCategory,
    reviewers: z.array(z.string()),
    when: z.enum(["before_action", "after_work"]),
  }),
});

export const GraphNode = z.discriminatedUnion("node_type", [
  PhaseNode,
  ActionNode,
  DecisionNode,
  QuestionNode,
  ReviewNode,
]);
export type GraphNode = z.infer<typeof GraphNode>;
export type ActionNode = z.infer<typeof ActionNode>;
export type ReviewNode = z.infer<typeof ReviewNode>;

export const EdgeType = z.enum(["sequential", "parallel", "conditional", "fallback"]);
export type EdgeType = z.infer<typeof EdgeType>;

export const GraphEdge = z.strictObject({
  edge_id: z.string().regex(/^edge_[a-z0-9_]{4,32}$/),
  from_node: NodeId,
  to_node: NodeId,
  edge_type: EdgeType,
  condition: text(0, 500).optional(),
  label: text(0, 100).optional(),
});
export type GraphEdge = z.infer<typeof GraphEdge>;

export const Swimlane = z.strictObject({
  swimlane_id: z.string().regex(/^swimlane_[a-z0-9_]{4,32}$/),
  agent_id: z.string(),
  role: text(1, 100),
  node_refs: z.array(NodeId),
});
export type Swimlane = z.infer<typeof Swimlane>;

export const Lineage = z.strictObject({
  derived_from_intent: IntentId,
  intent_checksum: Checksum,
  registry_versions: RegistryVersions,
  coordinator_version: SemVer,
});
export type Lineage = z.infer<typeof Lineage>;

export const ExecutionGraph = z.strictObject({
  graph_id: z.string().regex(/^graph_[a-z0-9_]{6,64}$/),
  schema_version: z.literal("0.9.2"),
  intent_id: IntentId,
  created_at: DateTime,
  // The contract's 200 nodes are the policy's default limit, not the schema's: a team may raise it.
  nodes: z.array(GraphNode).min(1),
  edges: z.array(GraphEdge),
  swimlanes: z.array(Swimlane),
  lineage: Lineage,
  checksum: Checksum.describe("SHA-256 of the canonical form of nodes, edges and swimlanes."),
  metadata: z.strictObject({
    execution_policy: Mode,
    estimated_duration: z.string(),
    complexity_score: z.number().min(0).max(100),
    topological_order: z.array(NodeId),
    levels: z.array(z.array(NodeId)).describe("Actions by level: each builds only on earlier levels."),
    critical_path: z.array(NodeId),
  }),
});
export type ExecutionGraph = z.infer<typeof ExecutionGraph>;
