import { z } from "zod";
import { GivenTask } from "./given-queue.js";
import { DateTime, text } from "./primitives.js";
import { QUEUE_STATUSES } from "./queue-statuses.js";
import { RunKey, TaskKey } from "./run.js";
import { Priority, TaskType } from "./task.js";

/* `tasks/work_queue.json`: the tasks of a project's runs as other programs read them. Tasks of runs follow from the logs alone. */

export const QueueStatus = z.enum(QUEUE_STATUSES);
export type QueueStatus = z.infer<typeof QueueStatus>;

export const QueueTask = z.strictObject({
  id: TaskKey,
  adr: text(1, 64).optional().describe("The decision record it comes from."),
  title: z.string(),
  description: z.string().optional(),
  type: TaskType.optional(),
  agent: z.string().describe("The builder it is for, such as FeatureBuilder."),
  assigned_to: z.string().describe("The agent that plays the builder."),
  status: QueueStatus,
  dependencies: z.array(TaskKey),
  priority: Priority,
  estimated_iterations: z.int().min(1).optional(),
  completion_promise: z.string().optional(),
  files: z.array(z.string()).optional(),
  tests: z.array(z.string()).optional(),
  started_at: DateTime.optional(),
  completed_at: DateTime.optional(),
  run: RunKey,
  attempts: z.int().min(0),
  reason: z.string().optional().describe("Why it is blocked, failed, skipped or cancelled."),
});
export type QueueTask = z.infer<typeof QueueTask>;

/** The tasks of a project's runs. */
export interface RunQueue {
  readonly project: string;
  readonly last_updated: string | null;
  readonly tasks: readonly QueueTask[];
}

/** The file: the tasks of runs, and before them those that another program put there and no run has taken. */
export const WorkQueue = z.strictObject({
  project: z.string(),
  last_updated: DateTime.nullable().describe("When the last event happened that it shows."),
  tasks: z.array(z.union([QueueTask, z.strictObject(GivenTask.omit({ run: true }).shape)])),
});
export type WorkQueue = z.infer<typeof WorkQueue>;
