import { z } from "zod";
import { EscalationTrigger } from "../routing.js";

/* The numbers and choices that a run goes by. */

export const FailurePolicy = z.strictObject({
  max_retries: z.int().min(0).max(10).default(3),
  base_delay_ms: z.int().min(0).default(1000),
  backoff_multiplier: z.number().min(1).default(2),
  max_delay_ms: z.int().min(0).default(60_000),
  /** How long a limit that says when it ends is waited for. One that ends later is a person's to decide. */
  max_wait_ms: z
    .int()
    .min(0)
    .default(24 * 3_600_000),
  breaker_failures: z.int().min(1).default(5),
  breaker_open_ms: z.int().min(0).default(30_000),
  same_signature_tasks: z.int().min(2).default(3),
  /**
   * The failures that a person is asked about; any other that is not tried again ends its task. From the routing policy, and
   * absent where none was in force: then a person is asked about everything.
   */
  escalation_triggers: z.array(EscalationTrigger).optional(),
});
export type FailurePolicy = z.infer<typeof FailurePolicy>;

export const GatePolicy = z.strictObject({
  quality_threshold: z.number().min(0).max(100).default(80),
  min_tokens_for_next_phase: z.number().min(0).default(1000),
  /** The phases that end with a gate. Absent in runs of earlier versions, where execution alone did. */
  phases: z.array(z.enum(["planning", "execution", "closure"])).optional(),
});
export type GatePolicy = z.infer<typeof GatePolicy>;

/** The numbers a run goes by. The defaults are the specification's. */
export const RunPolicy = z.strictObject({
  max_concurrent_tasks: z.int().min(1).max(1000).default(3),
  failure: FailurePolicy.prefault({}),
  gate: GatePolicy.prefault({}),
  plan_needs_approval: z.boolean().default(true),
  /** `dataflow`: a task starts when all it builds on is done. `levels`: and when the level before it has ended. */
  schedule: z.enum(["dataflow", "levels"]).default("dataflow"),
  /** When the work of a level is reviewed by a model: where tasks touched the same files, each time, or never. */
  coordinator_mode: z.enum(["conflicts", "always", "off"]).default("conflicts"),
  /** How often one change may be resolved, when the branch has moved on each time so that it conflicts again. */
  conflict_rounds: z.int().min(1).max(20).default(3),
});
export type RunPolicy = z.infer<typeof RunPolicy>;
