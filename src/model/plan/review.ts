import { z } from "zod";
import { ModelDecision, RiskAssessment } from "./decision.js";
import { IntentId, NodeId, ReviewCategory, RunId } from "../primitives.js";

const Amounts = z.strictObject({
  files: z.number().min(0),
  commits: z.number().min(0),
  tokens: z.number().min(0),
  cost_usd: z.number().min(0),
});

/** The document a person reads before approving a plan. */
export const ReviewPack = z.strictObject({
  review_id: z.string().regex(/^review_[a-z0-9_]{6,64}$/),
  schema_version: z.literal("1.0.0"),
  coordinator_run_id: RunId,
  intent_id: IntentId,
  summary: z.strictObject({
    title: z.string(),
    goal: z.string(),
    success_criteria: z.array(z.string()),
    non_goals: z.array(z.string()),
    actions: z.int().min(0),
    levels: z.int().min(0),
    reviews: z.int().min(0),
    questions_open: z.int().min(0),
    questions_answered: z.int().min(0),
    fallbacks_used: z.int().min(0),
  }),
  risk: RiskAssessment,
  change_impact: z.strictObject({
    writes: z.array(z.string()),
    reads: z.array(z.string()),
    effects: z.record(z.string(), z.int().min(0)),
    areas: z.array(z.string()),
    outside_lock_scope: z.array(z.string()),
    predicted_conflicts: z.array(
      z.strictObject({ first: NodeId, second: NodeId, pattern: z.string(), reason: z.string() }),
    ),
  }),
  rollback_guide: z.array(z.strictObject({ node: NodeId, action: z.string(), how: z.string() })),
  required_reviews: z.array(
    z.strictObject({
      category: ReviewCategory,
      gate: NodeId,
      reviewers: z.array(z.string()),
      because: z.array(z.string()),
    }),
  ),
  warnings: z.array(z.string()),
  estimate: z.strictObject({
    budget: Amounts,
    planned: Amounts,
    minutes_critical_path: z.number().min(0),
    minutes_total: z.number().min(0),
    cost_is: z.enum(["priced", "partly_assumed"]),
  }),
  schedule: z.strictObject({
    critical_path: z.array(NodeId),
    widest_level: z.int().min(0),
    makespan: z.array(z.strictObject({ concurrency: z.int().min(1), minutes: z.number().min(0) })),
    suggested_concurrency: z.int().min(1),
  }),
  models: z.array(ModelDecision),
  savings: z.array(
    z.strictObject({
      node: NodeId,
      instead_of: z.string(),
      use: z.string(),
      saves_usd: z.number().min(0),
      why: z.string(),
    }),
  ),
});
export type ReviewPack = z.infer<typeof ReviewPack>;
