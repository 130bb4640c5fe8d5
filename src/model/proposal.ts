import { z } from "zod";
import { CommandId, RiskLevel, text, WorkflowId } from "./primitives.js";
import { PlanQuestion } from "./plan/plan-question.js";
import { Priority, TaskType } from "./task.js";

/*
 * The proposal of a planner. It decides nothing: names that the registry does not know are refused, rules
 * judge every action, and only a frozen plan is carried out.
 */

export const ProposedTask = z.strictObject({
  id: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{2,63}$/, {
    error: "must start with a letter and be 3 to 64 of letters, digits, - and _",
  }),
  title: text(3, 160),
  description: text(0, 4000),
  type: TaskType,
  command_id: CommandId.describe("A command of the registry: its rules, effects and risk apply."),
  dependencies: z.array(z.string().min(1).max(64)).max(1000),
  priority: Priority,
  estimated_iterations: z.int().min(1).max(100),
  files: z.array(text(1, 512)).max(1000).describe("What it may write: paths and patterns inside the repository."),
  tests: z.array(text(1, 512)).max(1000),
  acceptance_criteria: z
    .array(text(3, 300))
    .max(20)
    .optional()
    .describe("How one sees that it is done; its builder is told."),
  adr: text(1, 64).optional(),
});
export type ProposedTask = z.infer<typeof ProposedTask>;

export const Proposal = z.strictObject({
  workflow_id: WorkflowId,
  reason: text(3, 800).describe("Why this workflow."),
  tasks: z.array(ProposedTask).min(1).max(200),
  risks: z.array(z.strictObject({ risk: text(3, 500), severity: RiskLevel, mitigation: text(3, 500) })).max(50),
  recommendations: z.array(text(3, 500)).max(50),
  open_questions: z.array(PlanQuestion).max(20).optional(),
});
export type Proposal = z.infer<typeof Proposal>;
