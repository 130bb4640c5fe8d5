import type { CoordinatorResponse, IntakeDecision } from "../../model/request.js";

export interface ResponseIds {
  readonly response_id: string;
  /** RFC 3339; the mind has no clock of its own. */
  readonly timestamp: string;
}

const STATUS = { approved: "in_progress", rejected: "failed", needs_clarification: "blocked" } as const;

/**
 * The answer to the person about an intake decision, in the specification's Coordinator Response.
 *
 * Contract: pure. Nothing was spent and nothing was delivered yet; what stops the request is a blocker, and what the
 * person can do about it is a next step.
 */
export function toResponse(decision: IntakeDecision, ids: ResponseIds): CoordinatorResponse {
  return {
    response_id: ids.response_id,
    request_id: decision.request_id ?? "",
    timestamp: ids.timestamp,
    status: STATUS[decision.decision],
    decision: decision.decision,
    message: messageOf(decision),
    deliverables: [],
    project_state: {
      phase: decision.decision === "approved" ? "planning" : "initiation",
      progress_percentage: 0,
      tasks_completed: 0,
      tasks_remaining: 0,
    },
    resource_usage: { tokens_used: 0, api_calls: 0, time_elapsed_seconds: 0, cost_usd: 0 },
    next_steps: nextSteps(decision),
    blockers: blockersOf(decision),
  };
}

function messageOf({ decision, reason, estimate, workflow_id, questions }: IntakeDecision): string {
  switch (decision) {
    case "approved":
      return `${reason}. Workflow ${workflow_id ?? "none"}, about ${estimate?.tokens ?? 0} tokens and ${estimate?.cost_usd ?? 0} USD.`;
    case "rejected":
      return `${reason}.`;
    case "needs_clarification":
      return `${reason}. ${questions.length === 1 ? "One question is" : `${questions.length} questions are`} open.`;
  }
}

function nextSteps({ decision, rule_id, safety_category, estimate, questions }: IntakeDecision): string[] {
  if (decision === "approved") return ["The request is routed and planned; the plan waits for approval."];
  if (decision === "needs_clarification") return questions.map(({ question }) => question);
  if (safety_category !== null)
    return [
      "The request ends here and is reported. If it was misread, say whose data or system it concerns and who agreed.",
    ];
  if (rule_id === "feasibility_tokens")
    return [`Set max_budget_tokens to at least ${estimate?.tokens ?? 0}, or ask for less at once.`];
  if (rule_id === "feasibility_time")
    return [`Set max_time_seconds to at least ${estimate?.time_seconds ?? 0}, or ask for less at once.`];
  return ["Name one of the supported project types in context.project_type, or add the type to the policy."];
}

function blockersOf({ decision, reason, safety_category, questions }: IntakeDecision): CoordinatorResponse["blockers"] {
  if (decision === "approved") return [];
  if (decision === "needs_clarification")
    return questions.map(({ question }) => ({ severity: "medium", description: question, resolution_required: true }));
  if (safety_category !== null) return [{ severity: "critical", description: reason, resolution_required: false }];
  return [{ severity: "high", description: reason, resolution_required: true }];
}
