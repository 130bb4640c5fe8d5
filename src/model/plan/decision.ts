import { z } from "zod";
import { DecisionKind } from "./registry.js";
import { ReviewCategory, RiskLevel, RuleId, Sensitivity } from "../primitives.js";

export const Alternative = z.strictObject({ alternative: z.string(), reason_rejected: z.string() });
export type Alternative = z.infer<typeof Alternative>;

/** The evaluation of one rule on one command. Rules that did not fire are counted, not listed. */
export const RuleEvaluation = z.strictObject({
  rule_id: RuleId,
  decision: DecisionKind,
  reason: z.string(),
  /** Why the rule could not decide; it then holds the command and never lets it pass. */
  held: z.strictObject({ cause: z.enum(["unknown_fact", "error"]), path: z.string(), message: z.string() }).optional(),
});
export type RuleEvaluation = z.infer<typeof RuleEvaluation>;

/** The verdict of all rules on one command. INVARIANT: rule_id and evidence_refs are never empty. */
export const RuleDecision = z.strictObject({
  /** The key of the action that was judged; unique in a plan. */
  target: z.string(),
  decision: DecisionKind,
  rule_id: z.string(),
  reason: z.string(),
  evidence_refs: z.array(z.string()).min(1),
  rules_considered: z.int().min(0),
  evaluations: z.array(RuleEvaluation),
  reviews: z.array(ReviewCategory),
  /** Reviews of the finished work that rules ask for; absent when there is none. They hold up no action. */
  reviews_of_work: z
    .array(z.strictObject({ category: ReviewCategory, rule_id: RuleId, reason: z.string() }))
    .optional(),
  alternatives: z.array(Alternative),
});
export type RuleDecision = z.infer<typeof RuleDecision>;

export const RiskFactor = z.strictObject({
  factor: z.string(),
  level: RiskLevel,
  evidence_refs: z.array(z.string()),
});
export type RiskFactor = z.infer<typeof RiskFactor>;

export const RiskAssessment = z.strictObject({ overall_risk: RiskLevel, factors: z.array(RiskFactor) });
export type RiskAssessment = z.infer<typeof RiskAssessment>;

/** An agent and the model it is started with; without an agent, a model that nobody here is configured to use. */
export const ModelUse = z.strictObject({ agent: z.string().optional(), model: z.string().nullable() });
export type ModelUse = z.infer<typeof ModelUse>;

/**
 * Which agent does one kind of work, and with which model. It binds: an attempt is started so or not at all. Where the
 * settings name no agent it only advises. No rule and no guard reads it.
 */
export const ModelDecision = z.strictObject({
  decision_id: z.string().regex(/^model_decision_[a-z0-9_]{6,32}$/),
  task_type: z.string(),
  data_sensitivity: Sensitivity,
  quality_wanted: z.int().min(1).max(5),
  model: z.string().nullable(),
  /** The agent that will work; absent where the settings name none, or where none of them may be shown the data. */
  agent: z.string().optional(),
  location: z.enum(["local", "cloud"]).nullable(),
  reason: z.string(),
  /** How many actions it covers, and what they cost together. */
  actions: z.int().min(0),
  cost_estimate_usd: z.number().min(0),
  cost_is: z.enum(["priced", "assumed"]),
  budget_remaining_usd: z.number().min(0),
  /** The models used instead when it is unavailable or limited, in this order. */
  fallbacks: z.array(ModelUse),
  rejected: z.array(Alternative),
});
export type ModelDecision = z.infer<typeof ModelDecision>;
