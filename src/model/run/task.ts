import { z } from "zod";
import { Alternative, ModelUse } from "../plan/decision.js";
import { Checksum, Sensitivity, text } from "../primitives.js";
import { RoutingBounds } from "../routing.js";
import { Scope, ScopeLimit } from "../scope.js";
import { TaskType } from "../task.js";
import { Amounts, Priority, TaskKey } from "./keys.js";

/* The work of a run: the tasks and review gates of one frozen plan. */

/** The figures of a task in the plan, which its usage is compared with. */
const PlannedFigures = z.strictObject({
  command_id: z.string(),
  task_type: z.string().nullable(),
  tokens: z.number().min(0),
  minutes: z.number().min(0),
  cost_usd: z.number().min(0),
  /** Where the figures come from; those that are measured ones teach no correction of estimates. */
  source: z.enum(["registry", "task", "memory"]),
  /** The figures before what earlier runs taught corrected them. */
  before_learning: z.strictObject({ tokens: z.number().min(0), minutes: z.number().min(0) }).optional(),
});

/** One unit of work of a run, from one action of its frozen plan. */
export const RunTask = z.strictObject({
  task_id: TaskKey,
  title: z.string(),
  agent: z.string(),
  phase: z.string(),
  priority: Priority,
  dependencies: z.array(TaskKey),
  estimate: Amounts,
  /** The review gate of the plan that must be approved before this task starts, if any. */
  gates: z.array(z.string()),
  description: z.string().optional(),
  /** The kind of agent that is to do it; `agent` says which one does. */
  builder: z.string().min(1).max(80).optional(),
  /** The model its agent is started with; absent, the one of the agent's own settings. */
  model: z.string().optional(),
  /** Who takes over when that agent or its model is unavailable or limited, as the plan says. */
  fallbacks: z.array(ModelUse).max(20).optional(),
  /** Why the plan gives it to that agent and model, and which others it did not take. Absent in logs of earlier versions. */
  model_choice: z
    .strictObject({ decision_id: z.string(), reason: z.string(), rejected: z.array(Alternative).max(100) })
    .optional(),
  /** How sensitive what it works with is, as far as the plan knows. */
  data_sensitivity: Sensitivity.optional(),
  /** The scope of its attempts, before anybody widened it. Without one they may do nothing that needs a scope. */
  scope: Scope.optional(),
  /** The source of each limit of the scope, and the limits of the other sources. Absent in logs of earlier versions. */
  limits: z.array(ScopeLimit).max(20).optional(),
  /** Commands whose results decide whether the work is good. */
  checks: z.array(text(1, 2048)).max(1000).optional(),
  /** The kind of work, and the decision record it comes from. */
  type: TaskType.optional(),
  adr: text(1, 64).optional(),
  /** The words by which its builder says that it is done, and the paths the plan names for it. */
  completion_promise: text(1, 120).optional(),
  files: z.array(text(1, 512)).max(1000).optional(),
  tests: z.array(text(1, 512)).max(1000).optional(),
  /** How often a builder may try again on failing checks within one attempt. */
  iterations: z.int().min(1).max(1000).optional(),
  planned: PlannedFigures.optional(),
  /** Other agents that are configured and may take over when `agent` cannot get through, best first. */
  alternatives: z.array(text(1, 200)).max(100).optional(),
  /** The budget of all its attempts together; without one only the run and its phase limit it. */
  budget: Amounts.optional(),
});
export type RunTask = z.infer<typeof RunTask>;

/** A review of the plan that a named role must approve. */
export const RunGate = z.strictObject({ gate_id: z.string(), category: z.string(), reviewers: z.array(z.string()) });
export type RunGate = z.infer<typeof RunGate>;

/** The changes that people may make to a task while nobody works on it, by the name the contract has for it. */
export const TaskChange = z.discriminatedUnion("action", [
  /** It is not done, and what builds on it goes on as if it were. */
  z.strictObject({ action: z.literal("skip_task"), reason: text(1, 1000) }),
  /** It is not done, and neither is what builds on it. */
  z.strictObject({ action: z.literal("delete_task"), reason: text(1, 1000) }),
  z.strictObject({ action: z.literal("change_priority"), priority: Priority }),
  z.strictObject({ action: z.literal("reassign_task"), agent: text(1, 200) }),
]);
export type TaskChange = z.infer<typeof TaskChange>;

/** A criterion that the type of the project adds to the run, and the check of the project that shows it. */
export const RunCriterion = z.strictObject({ criterion: z.string().min(1).max(80), check: z.string().nullable() });
export type RunCriterion = z.infer<typeof RunCriterion>;

export const PlanRef = z.strictObject({
  plan_id: z.string(),
  plan_checksum: Checksum,
  tasks: z.array(RunTask),
  gates: z.array(RunGate),
  budget: Amounts,
  /** The budgets of the tasks of a phase together, for the phases that have a limit of their own. */
  phase_budgets: z.record(z.string(), Amounts).optional(),
  /** The limits of the routing policy that hold for every attempt. Absent in logs of earlier versions. */
  bounds: RoutingBounds.optional(),
  criteria: z.array(RunCriterion).max(20).optional(),
});
export type PlanRef = z.infer<typeof PlanRef>;
