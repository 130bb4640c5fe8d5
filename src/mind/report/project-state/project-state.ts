import { z } from "zod";
import type { LoggedEvent } from "../../../model/event.js";
import { DateTime, RiskLevel } from "../../../model/primitives.js";
import { CoordinatorResponse } from "../../../model/request.js";
import { GateDecision, Message, PlanRef, RunPhase, RunStatus, TaskKey } from "../../../model/run.js";
import { COORDINATION_LIMIT } from "../../run/decide/coordination.js";
import { progressOf } from "./project-messages.js";
import { foldProject, type ProjectFold } from "./project-fold.js";
import { statusOf, listWaiting } from "./project-status.js";

/*
 * The state of a project as the specification has it: a view of the log, which holds nothing that the log does not.
 */

const Count = z.int().min(0);

const PhaseOutput = z.strictObject({
  name: z.string(),
  ref: z.string(),
  task_id: TaskKey.nullable(),
  attempt: z.int().min(1).nullable(),
});

const ProjectIssue = z.strictObject({
  severity: RiskLevel,
  description: z.string(),
  task_id: TaskKey.nullable(),
  attempt: z.int().min(1).nullable(),
});

/** A field is named as the specification names it. */
export const ProjectState = z.strictObject({
  request_id: z.string(),
  status: RunStatus,
  phase: RunPhase,

  progress_percentage: z.int().min(0).max(100),
  tasks_completed: Count,
  tasks_remaining: Count,
  start_time: DateTime,
  last_update_time: DateTime,

  tokens_budget: Count,
  tokens_used: Count,
  tokens_remaining: Count,
  api_calls: Count,
  cost_usd: z.number().min(0),

  plan: PlanRef.nullable(),
  phase_outputs: z.partialRecord(RunPhase, z.array(PhaseOutput)),
  deliverables: CoordinatorResponse.shape.deliverables,

  risks: z.array(z.strictObject({ risk: z.string(), severity: RiskLevel, mitigation: z.string() })),
  issues: z.array(ProjectIssue),
  blockers: CoordinatorResponse.shape.blockers,

  messages: z.array(Message),
  active_agents: z.array(z.string()),

  go_decisions: z.partialRecord(RunPhase, GateDecision),
});
export type ProjectState = z.infer<typeof ProjectState>;

/**
 * The state of the project after these events, which are a log from its beginning; null for a log without one.
 *
 * Contract: pure; equal logs give equal states. `known` is for a caller that has folded status and phase itself, so
 * that two views never tell two of them.
 */
export function projectState(
  events: readonly LoggedEvent[],
  known: Partial<Pick<ProjectState, "status" | "phase">> = {},
): ProjectState | null {
  const [first] = events;
  const last = events.at(-1);
  const fold = foldProject(events);
  if (first === undefined || last === undefined || fold.request_id === null) return null;
  const status = known.status ?? statusOf(fold);
  const total = fold.plan?.tasks.length ?? 0;
  const budget = Math.floor(fold.plan === null ? 0 : fold.plan.budget.tokens + fold.added_tokens);
  const used = Math.ceil(fold.used.tokens);
  return {
    request_id: fold.request_id,
    status,
    phase: known.phase ?? fold.phase,
    progress_percentage: progress(fold, status, total),
    tasks_completed: fold.completed.size,
    tasks_remaining: Math.max(0, total - fold.completed.size),
    start_time: first.at,
    last_update_time: last.at,
    tokens_budget: budget,
    tokens_used: used,
    tokens_remaining: Math.max(0, budget - used),
    api_calls: Math.ceil(fold.used.api_calls),
    // In millionths, as the ledger counts.
    cost_usd: Math.round(fold.used.cost_usd * 1e6) / 1e6,
    plan: fold.plan,
    phase_outputs: fold.outputs,
    deliverables: deliverables(fold),
    risks: fold.messages.flatMap((message) => (message.type === "planning_response" ? message.payload.risks : [])),
    issues: [...fold.issues, ...coordinationIssue(fold)],
    blockers: listWaiting(fold).on.map((blocker) => ({ ...blocker, resolution_required: true })),
    messages: fold.messages,
    active_agents: fold.finished === null ? activeAgents(fold) : [],
    go_decisions: fold.go_decisions,
  };
}

/** Said, and nothing is stopped for it. Before an attempt has ended, coordination is all there is to count. */
function coordinationIssue({ used, coordination_tokens, attempts_ended }: ProjectFold): ProjectState["issues"] {
  const share = used.tokens === 0 ? 0 : coordination_tokens / used.tokens;
  if (attempts_ended === 0 || share < COORDINATION_LIMIT) return [];
  const description = `coordination took ${(share * 100).toFixed(1)} % of the tokens, under ${COORDINATION_LIMIT * 100} % is meant`;
  return [{ severity: "low", description, task_id: null, attempt: null }];
}

/** How far the run of this log has come, for anyone who watches several; null for a log without a request. */
export function monitorProgress(events: readonly LoggedEvent[]): ReturnType<typeof progressOf> | null {
  const fold = foldProject(events);
  if (fold.request_id === null) return null;
  const [current] = fold.open.keys();
  const task = current?.slice(0, current.lastIndexOf("#")) ?? "";
  const progress = progressOf(fold, task);
  return { ...progress, progress_percentage: Math.floor(progress.progress_percentage) };
}

function deliverables(fold: ProjectFold): ProjectState["deliverables"] {
  if (fold.plan === null) return [];
  const { plan_id, plan_checksum, tasks } = fold.plan;
  const made: ProjectState["deliverables"] = [
    { type: "plan", path: plan_id, description: "The frozen plan", metadata: { plan_checksum, tasks: tasks.length } },
  ];
  for (const { task_id, title } of tasks) {
    const integrated = fold.integrated.get(task_id);
    if (integrated === undefined || !fold.completed.has(task_id)) continue;
    made.push({
      type: "code",
      path: integrated.ref,
      description: title,
      metadata: { task_id, attempt: integrated.attempt },
    });
  }
  return made;
}

function activeAgents(fold: ProjectFold): string[] {
  return [...new Set([...fold.open.values()].map(({ agent }) => agent))].sort();
}

/** Rounded down: a hundred is said of a completed project and of no other. */
function progress(fold: ProjectFold, status: RunStatus, total: number): number {
  if (status === "completed") return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((fold.completed.size / total) * 100));
}
