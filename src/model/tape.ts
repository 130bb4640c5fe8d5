import { z } from "zod";
import {
  Checksum,
  DateTime,
  IntentId,
  Mode,
  QuestionId,
  RiskLevel,
  RunId,
  SemVer,
  Sensitivity,
  text,
} from "./primitives.js";
import { DecisionKind } from "./plan/registry.js";
import { Alternative } from "./plan/decision.js";

export const PLAN_STATES = [
  "RECEIVED",
  "PRECHECKED",
  "CONTEXT_BUILT",
  "RULES_EVALUATED",
  "GRAPH_DRAFTED",
  "QUESTIONS_EMITTED",
  "AWAITING_ANSWERS",
  "GRAPH_FINALIZED",
  "REVIEW_PACK_BUILT",
  "FROZEN_OUTPUTS",
  "DONE",
  "BLOCKED",
  "ABORTED",
] as const;
export const PlanState = z.enum(PLAN_STATES);
export type PlanState = z.infer<typeof PlanState>;

export const GuardResult = z.strictObject({
  guard_name: text(1, 100),
  passed: z.boolean(),
  reason: text(0, 1000),
  evidence_refs: z.array(z.string()),
});
export type GuardResult = z.infer<typeof GuardResult>;

const ArtifactType = z.enum([
  "precheck_report",
  "context_bundle",
  "rule_decisions",
  "execution_graph",
  "question_pack",
  "review_pack",
  "frozen_outputs",
]);

export const ProducedOutput = z.strictObject({
  artifact_type: ArtifactType,
  artifact_id: z.string(),
  checksum: Checksum,
});
export type ProducedOutput = z.infer<typeof ProducedOutput>;

export const StateTransition = z.strictObject({
  sequence: z.int().min(1),
  from_state: z.enum(["INIT", ...PLAN_STATES.filter((s) => s !== "DONE" && s !== "BLOCKED" && s !== "ABORTED")]),
  to_state: PlanState,
  timestamp: DateTime,
  trigger: text(1, 500),
  guards_evaluated: z.array(GuardResult),
  outputs_produced: z.array(ProducedOutput),
});
export type StateTransition = z.infer<typeof StateTransition>;

export const FailureType = z.enum([
  "constraint_violation",
  "missing_registry",
  "rule_denied",
  "red_line_violation",
  "policy_violation",
]);
export type FailureType = z.infer<typeof FailureType>;

export const FailureInfo = z.strictObject({
  failure_type: FailureType,
  failure_message: text(1, 4000),
  failed_at_state: z.string(),
  recovery_suggestions: z.array(z.string()),
});
export type FailureInfo = z.infer<typeof FailureInfo>;

export const RunTape = z.strictObject({
  run_id: RunId,
  schema_version: z.literal("0.9.2"),
  intent_id: IntentId,
  coordinator_version: SemVer,
  started_at: DateTime,
  completed_at: DateTime.optional(),
  final_state: PlanState,
  states: z.array(StateTransition).min(1),
  decisions: z.array(
    z.strictObject({
      decision_id: z.string().regex(/^decision_[a-z0-9_]{6,32}$/),
      decision_type: z.enum([
        "rule_adjudication",
        "model_routing",
        "question_emission",
        "graph_building",
        "risk_assessment",
        "policy_check",
      ]),
      timestamp: DateTime,
      inputs: z.strictObject({
        evidence_refs: z.array(z.string()),
        context_refs: z.array(z.string()),
        rule_refs: z.array(z.string()),
      }),
      rationale: text(1, 4000),
      outcome: text(0, 1000),
      alternatives_considered: z.array(Alternative),
    }),
  ),
  rule_evaluations: z.array(
    z.strictObject({
      evaluation_id: z.string().regex(/^eval_[a-z0-9_]{6,32}$/),
      rule_id: z.string(),
      decision: DecisionKind,
      timestamp: DateTime,
      target: z.string(),
      evidence_used: z.array(z.string()),
      reason: text(0, 2000),
    }),
  ),
  model_routing_decisions: z.array(
    z.strictObject({
      decision_id: z.string().regex(/^model_decision_[a-z0-9_]{6,32}$/),
      task_type: text(1, 100),
      model_selected: text(1, 100),
      timestamp: DateTime,
      reason: text(0, 2000),
      cost_estimate: z.number().min(0),
      budget_remaining: z.number().min(0),
      data_sensitivity: Sensitivity,
      fallback_available: z.boolean(),
    }),
  ),
  failure_info: FailureInfo.optional(),
  metadata: z.strictObject({ state_transitions_count: z.int().min(0), decisions_count: z.int().min(0) }),
});
export type RunTape = z.infer<typeof RunTape>;

const audit = {
  log_id: z.string().regex(/^audit_[a-z0-9_]{6,64}$/),
  schema_version: z.literal("0.9.2"),
  coordinator_run_id: RunId,
  timestamp: DateTime,
  operator: text(0, 200),
  metadata: z.strictObject({
    intent_id: IntentId,
    execution_mode: Mode,
    coordinator_version: SemVer,
    note: text(1, 1000).optional(),
  }),
};

/** One line of audit.jsonl: a decision, with the record its kind of event carries. */
export const AuditEntry = z.discriminatedUnion("event_type", [
  z.strictObject({ ...audit, event_type: z.enum(["run_started", "run_completed", "run_failed", "state_transition"]) }),
  z.strictObject({
    ...audit,
    event_type: z.literal("rule_adjudication"),
    rule_adjudication_record: z.strictObject({
      rule_id: z.string(),
      decision: DecisionKind,
      evidence: z.array(z.string()),
      reason: text(0, 2000),
      target: text(0, 200),
    }),
  }),
  z.strictObject({
    ...audit,
    event_type: z.literal("model_selected"),
    model_selection_record: z.strictObject({
      model: text(0, 100),
      reason: text(0, 2000),
      budget_used: z.number().min(0),
      data_sensitivity: Sensitivity,
      compliance_check: z.boolean(),
    }),
  }),
  z.strictObject({
    ...audit,
    event_type: z.literal("question_emitted"),
    question_trigger_record: z.strictObject({
      question_id: QuestionId,
      reason: text(0, 2000),
      policy_check: z.strictObject({
        question_budget: z.int().min(0),
        budget_remaining: z.int().min(0),
        allowed_by_policy: z.boolean(),
      }),
      blocking_level: RiskLevel,
    }),
  }),
  z.strictObject({ ...audit, event_type: z.literal("answer_received") }),
  z.strictObject({
    ...audit,
    event_type: z.enum(["conflict_detected", "conflict_resolved"]),
    conflict_handling_record: z.strictObject({
      conflict_type: text(0, 100),
      conflicting_entities: z.array(z.string()),
      resolution: text(0, 2000),
      resolution_strategy: text(0, 100),
    }),
  }),
  z.strictObject({
    ...audit,
    event_type: z.literal("red_line_check"),
    red_line_check_record: z.strictObject({
      red_line: text(0, 100),
      passed: z.boolean(),
      violation_details: text(0, 2000),
      enforcement_action: z.enum(["abort", "block", "warn", "log"]),
    }),
  }),
  z.strictObject({
    ...audit,
    event_type: z.literal("policy_enforcement"),
    policy_enforcement_record: z.strictObject({
      policy_type: text(0, 100),
      policy_rule: text(0, 200),
      enforced: z.boolean(),
      enforcement_reason: text(0, 2000),
    }),
  }),
]);
export type AuditEntry = z.infer<typeof AuditEntry>;
