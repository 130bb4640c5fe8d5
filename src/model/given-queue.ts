import { z } from "zod";
import { text } from "./primitives.js";
import { QUEUE_STATUSES } from "./queue-statuses.js";
import { RunKey } from "./run.js";
import { Priority, TASK_ID, TaskType } from "./task.js";

/*
 * A work queue as another program may have left it: `tasks/work_queue.json` in the form of the specification. Each task is
 * read for itself, so that one that does not fit keeps back no other. Its text is a request like any other.
 */

/** More than any contract lets be queued at once; a file with more is refused as a whole. */
export const MOST_GIVEN_TASKS = 1000;
export const MOST_QUEUE_BYTES = 2 * 1024 * 1024;

const Id = z.string().regex(TASK_ID, { error: "must start with a letter and be 3 to 64 of letters, digits, - and _" });
const Paths = z.array(text(1, 512)).max(200).default([]);

export const GivenTask = z.object({
  id: Id,
  adr: text(1, 64).optional(),
  title: text(3, 160),
  description: text(0, 4000).default(""),
  type: TaskType.optional(),
  agent: text(1, 64).optional().describe("The builder it is for, such as FeatureBuilder."),
  status: z.enum(QUEUE_STATUSES),
  dependencies: z.array(Id).max(200).default([]),
  priority: Priority.default("P1"),
  estimated_iterations: z.int().min(1).max(100).optional(),
  completion_promise: text(1, 120).optional(),
  files: Paths,
  tests: Paths,
  started_at: text(1, 64).optional(),
  completed_at: text(1, 64).optional(),
  run: RunKey.optional().describe("The run that has it; absent where none has."),
});
export type GivenTask = z.infer<typeof GivenTask>;

export const GivenQueue = z.object({
  project: z.string().max(200).optional(),
  tasks: z.array(z.unknown()).max(MOST_GIVEN_TASKS),
});
