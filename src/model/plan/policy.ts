import { z } from "zod";
import { ModelPrice } from "../settings/agent-config.js";
import { IntentEffect, Mode, ReviewCategory, RiskLevel, Sensitivity, text } from "../primitives.js";
import { TaskType } from "../task.js";

/** An agent with one model it can work with. */
export const Worker = z.strictObject({
  agent: text(1, 120),
  model: text(1, 200).nullable().describe("Null: the agent chooses by itself."),
  price: ModelPrice.nullable().describe("Null: nobody knows what its tokens cost."),
  local: z
    .boolean()
    .optional()
    .describe("What it is shown stays on this machine: said by the person's own settings, or it uses no model at all."),
  accepts: z
    .array(Sensitivity)
    .max(4)
    .optional()
    .describe("Classes of data that the person's own settings accept it for."),
});
export type Worker = z.infer<typeof Worker>;

const limit = (value: number, max: number) => z.int().min(1).max(max).default(value);

/** How large a plan may be. The defaults are the specification's; a team may raise them. */
export const Limits = z.strictObject({
  max_nodes: limit(200, 1_000_000),
  max_questions: limit(50, 1_000),
  max_files: limit(200, 1_000_000),
  max_commands: limit(80, 1_000_000),
  max_tasks: limit(200, 1_000_000),
  max_modules: limit(100, 100_000),
  max_evidence_refs: limit(200, 1_000_000),
  max_replan_rounds: z.int().min(0).max(3).default(3),
});
export type Limits = z.infer<typeof Limits>;

/** The limits of a team on its plans. It can only make an intent stricter: the lower of two budgets holds. */
export const ExecutionPolicy = z.strictObject({
  schema_version: z.literal("1.0.0"),
  policy_id: z.string().regex(/^policy_[a-z0-9_]{2,64}$/),
  most_autonomy: Mode.default("full_auto").describe("An intent more autonomous than this breaches the policy."),
  full_auto_max_risk: z.enum(["low", "medium"]).default("medium"),
  question_budget: z.int().min(0).max(1_000).default(50),
  forbidden_effects: z.array(IntentEffect).max(6).default([]),
  undecided: z
    .enum(["require_review", "deny"])
    .default("require_review")
    .describe("What holds for a command no rule speaks of."),
  review_floor: RiskLevel.default("high").describe("Commands of this risk and above always need a review."),
  reviewers: z
    .partialRecord(ReviewCategory, z.array(text(1, 120)).min(1).max(20))
    .default({})
    .describe("Who reviews what."),
  budgets: z
    .strictObject({
      max_files: z.int().min(0).optional(),
      max_commits: z.int().min(0).optional(),
      max_tokens: z.int().min(0).optional(),
      max_cost_usd: z.number().min(0).optional(),
    })
    .default({}),
  limits: Limits.prefault({}),
  models: z
    .strictObject({
      default_sensitivity: Sensitivity.default("internal"),
      cloud_allowed_up_to: z.enum(["public", "internal"]).default("internal"),
      installed: z
        .array(z.string().max(100))
        .max(100)
        .default([])
        .describe("Local models that run on this machine; the registry only says which ones exist."),
      denied: z.array(z.string().max(100)).max(100).default([]),
      preferred: z.array(z.string().max(100)).max(100).default([]),
      least_sensitivity: Sensitivity.optional().describe(
        "What is asked is at least this sensitive, whatever commands say of themselves: taken from the request.",
      ),
    })
    .prefault({}),
  workers: z
    .strictObject({
      default: Worker,
      builders: z.partialRecord(TaskType, Worker).default({}),
      choices: z
        .array(Worker)
        .max(1_000)
        .optional()
        .describe("Every agent and model that a task may be given to, in the order of the settings."),
    })
    .optional()
    .describe("Who will work, taken from the settings: a plan gives its tasks to them and to nobody else."),
});
export type ExecutionPolicy = z.infer<typeof ExecutionPolicy>;
