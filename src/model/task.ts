import { z } from "zod";
import { AgentId, CommandId, text } from "./primitives.js";

export const TaskType = z.enum(["feature", "bugfix", "test", "quality", "docs", "infra"]);
export type TaskType = z.infer<typeof TaskType>;

export const Priority = z.enum(["P0", "P1", "P2", "P3"]);

export const TASK_ID = /^[A-Za-z][A-Za-z0-9_-]{2,63}$/;

/** One unit of work inside an intent. It becomes one action node, and its data travels with that node from there on. */
// The fields stand in the order of their names: a parsed task then is in canonical order, which makes freezing fast.
export const IntentTask = z.strictObject({
  adr: text(1, 64).optional(),
  agent: AgentId.optional().describe("A selected agent; the command's owner when absent."),
  command_id: CommandId.describe("The planned command this task carries out; its rules, effects and risk apply."),
  completion_promise: text(1, 120),
  dependencies: z.array(z.string().min(1).max(64)).max(1000),
  description: text(0, 4000).optional(),
  estimate: z
    .strictObject({
      at_most: z
        .strictObject({ minutes: z.number().min(0).max(1_000_000), tokens: z.int().min(0).max(100_000_000) })
        .optional()
        .describe("What it may take before it is stopped, where nobody set a limit for the whole."),
      minutes: z.number().min(0).max(1_000_000),
      tokens: z.int().min(0).max(100_000_000),
    })
    .optional(),
  estimated_iterations: z.int().min(1).max(100),
  files: z.array(text(1, 512)).max(1000),
  id: z.string().regex(TASK_ID, {
    error: "must start with a letter and be 3 to 64 of letters, digits, - and _",
  }),
  priority: Priority,
  tests: z.array(text(1, 512)).max(1000),
  title: text(3, 160),
  type: TaskType,
});
export type IntentTask = z.infer<typeof IntentTask>;
