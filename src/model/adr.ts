import { z } from "zod";
import { text } from "./primitives.js";
import { Priority, TaskType } from "./task.js";

/** Where a decision record stands. */
export const AdrStatus = z.enum(["proposed", "accepted", "rejected", "deprecated", "superseded"]);
export type AdrStatus = z.infer<typeof AdrStatus>;

/** The builders, by the kind of work each does. */
export const BUILDER_OF: Readonly<Record<TaskType, Builder>> = {
  feature: "FeatureBuilder",
  bugfix: "BugFixer",
  test: "TestWriter",
  quality: "CodeQuality",
  docs: "Docs",
  infra: "Infra",
};
const Builder = z.enum(["FeatureBuilder", "BugFixer", "TestWriter", "CodeQuality", "Docs", "Infra"]);
type Builder = z.infer<typeof Builder>;

const TaskId = z.string().regex(/^TASK-[A-Za-z0-9_-]{1,48}-\d{3,}$/, { error: "must be like TASK-023-001" });

/** One unit of work that a decision record asks for. */
export const AdrTask = z.strictObject({
  id: TaskId,
  adr: text(1, 64),
  title: text(3, 160),
  description: text(0, 4000),
  type: TaskType,
  agent: Builder,
  dependencies: z
    .array(z.strictObject({ task: TaskId, reason: text(1, 240) }))
    .describe("What has to be done before, each with the reason it was found by."),
  status: z.enum(["pending", "in_progress", "completed", "blocked"]),
  priority: Priority,
  estimated_iterations: z.int().min(1).max(100),
  completion_promise: text(1, 120),
  files: z.array(text(1, 512)).describe("Paths the record names for it."),
  tests: z.array(text(1, 512)).describe("Paths of tests the record names for it."),
});
export type AdrTask = z.infer<typeof AdrTask>;
