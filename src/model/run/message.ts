import { z } from "zod";
import { DateTime, RiskLevel } from "../primitives.js";
import { AttemptOutcome, Usage } from "./attempt.js";
import { Escalation } from "./escalation.js";
import { Amounts } from "./keys.js";

const message = {
  message_id: z.uuid(),
  from: z.string().min(1),
  to: z.string().min(1),
  timestamp: DateTime,
  in_reply_to: z.uuid().optional(),
};

/** The messages between the tiers: typed and kept. There are no others. */
export const Message = z.discriminatedUnion("type", [
  z.strictObject({
    ...message,
    type: z.literal("planning_request"),
    payload: z.strictObject({
      request_id: z.string(),
      objective: z.string(),
      requirements: z.array(
        z.strictObject({
          requirement: z.string(),
          priority: z.enum(["must_have", "should_have", "nice_to_have"]),
          acceptance_criteria: z.array(z.string()),
        }),
      ),
      constraints: z.strictObject({
        max_tokens: z.int().min(0),
        max_time_seconds: z.int().min(0),
        technologies: z.array(z.string()),
        project_type: z.string(),
      }),
      context: z.record(z.string(), z.unknown()),
    }),
  }),
  z.strictObject({
    ...message,
    in_reply_to: z.uuid(),
    type: z.literal("planning_response"),
    payload: z.strictObject({
      status: z.enum(["success", "partial", "failed"]),
      plan: z.strictObject({
        phases: z.array(
          z.strictObject({
            phase: z.string(),
            tasks: z.array(
              z.strictObject({
                task_id: z.string(),
                description: z.string(),
                assigned_to: z.string(),
                dependencies: z.array(z.string()),
                estimated_tokens: z.int().min(0),
                estimated_time_seconds: z.int().min(0),
              }),
            ),
          }),
        ),
        total_estimated_tokens: z.int().min(0),
        total_estimated_time_seconds: z.int().min(0),
      }),
      risks: z.array(z.strictObject({ risk: z.string(), severity: RiskLevel, mitigation: z.string() })),
      recommendations: z.array(z.string()),
    }),
  }),
  z.strictObject({
    ...message,
    type: z.literal("progress_update"),
    payload: z.strictObject({
      request_id: z.string(),
      progress_percentage: z.int().min(0).max(100),
      current_phase: z.string(),
      current_task: z.string(),
      tasks_completed: z.int().min(0),
      tasks_remaining: z.int().min(0),
      blockers: z.array(
        z.strictObject({ severity: RiskLevel, description: z.string(), requires_coordinator_decision: z.boolean() }),
      ),
    }),
  }),
  z.strictObject({ ...message, type: z.literal("escalation"), payload: Escalation }),
  z.strictObject({
    ...message,
    type: z.literal("task_assignment"),
    payload: z.strictObject({ task_id: z.string(), attempt: z.int().min(1), agent: z.string(), reserved: Amounts }),
  }),
  z.strictObject({
    ...message,
    type: z.literal("task_result"),
    payload: z.strictObject({ task_id: z.string(), attempt: z.int().min(1), outcome: AttemptOutcome, usage: Usage }),
  }),
]);
export type Message = z.infer<typeof Message>;
