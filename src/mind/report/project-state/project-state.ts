import { z } from "zod";
import { DateTime, RiskLevel } from "../../../model/primitives.js";
import { CoordinatorResponse } from "../../../model/request.js";
import { GateDecision, Message, PlanRef, RunPhase, RunStatus, TaskKey } from "../../../model/run.js";
import { COORDINATION_LIMIT } from "../../run/decide/coordination.js";
import { indexOf, isOver, type RunState } from "../../run/state.js";
import { type AttemptUsage, taskAtWork } from "./attempt-usage.js";
import { progressOf } from "./project-messages.js";
import type { ProjectNotes } from "./project-notes.js";
import { listWaiting, statusOf } from "./project-status.js";

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

/** Parts that a caller knows already, so that two views never show two statuses or phases. */
type Known = Partial<Pick<ProjectState, "status" | "phase">>;

/**
 * The state of the project after a log of which these are the notes; null for a log without one.
 *
 * Contract: pure; equal logs give equal states.
 */
export function projectState(notes: ProjectNotes, known: Known = {}): ProjectState | null {
  const { run } = notes;
  const { first, last } = notes.told;
  if (first === null || last === null || run.policy === null) return null;
  const status = known.status ?? statusOf(notes);
  const total = notes.plan?.tasks.length ?? 0;
  const budget = Math.floor(budgetOf(notes));
  const { used } = notes.usage;
  const tokens = Math.ceil(used.tokens);
  return {
    request_id: run.request_id,
    status,
    phase: known.phase ?? notes.phase,
    progress_percentage: progress(run, status, total),
    tasks_completed: run.completed,
    tasks_remaining: Math.max(0, total - run.completed),
    start_time: first.at,
    last_update_time: last.at,
    tokens_budget: budget,
    tokens_used: tokens,
    tokens_remaining: Math.max(0, budget - tokens),
    api_calls: Math.ceil(used.api_calls),
    // In millionths, as the ledger counts.
    cost_usd: Math.round(used.cost_usd * 1e6) / 1e6,
    plan: notes.plan,
    phase_outputs: notes.outputs,
    deliverables: deliverables(notes),
    risks: notes.messages.flatMap((message) => (message.type === "planning_response" ? message.payload.risks : [])),
    issues: [...notes.issues, ...coordinationIssue(notes)],
    blockers: listWaiting(notes).on.map((blocker) => ({ ...blocker, resolution_required: true })),
    messages: notes.messages,
    active_agents: isOver(run) ? [] : activeAgents(notes.usage),
    go_decisions: notes.go_decisions,
  };
}

/** A plan that does not verify is not the run's, and nothing was granted on top of it. */
function budgetOf({ run, plan }: ProjectNotes): number {
  return run.layout === null ? (plan?.budget.tokens ?? 0) : (run.ledger.run.budget?.tokens ?? 0);
}

/** Said, and nothing is stopped for it. Before an attempt has ended, coordination is all there is to count. */
function coordinationIssue({ run, usage }: ProjectNotes): ProjectState["issues"] {
  const share = usage.used.tokens === 0 ? 0 : run.ledger.coordination_tokens / usage.used.tokens;
  if (usage.ended === 0 || share < COORDINATION_LIMIT) return [];
  const description = `coordination took ${(share * 100).toFixed(1)} % of the tokens, under ${COORDINATION_LIMIT * 100} % is meant`;
  return [{ severity: "low", description, task_id: null, attempt: null }];
}

/** How far the run of this log has come, for anyone who watches several; null for a log without a request. */
export function monitorProgress(notes: ProjectNotes): ReturnType<typeof progressOf> | null {
  if (notes.run.policy === null) return null;
  const progress = progressOf(notes, taskAtWork(notes.usage));
  return { ...progress, progress_percentage: Math.floor(progress.progress_percentage) };
}

function deliverables(notes: ProjectNotes): ProjectState["deliverables"] {
  if (notes.plan === null) return [];
  const { plan_id, plan_checksum, tasks } = notes.plan;
  const made: ProjectState["deliverables"] = [
    { type: "plan", path: plan_id, description: "The frozen plan", metadata: { plan_checksum, tasks: tasks.length } },
  ];
  for (const { task_id, title } of tasks) {
    const integrated = notes.integrated.get(task_id);
    if (integrated === undefined || !isCompleted(notes.run, task_id)) continue;
    made.push({
      type: "code",
      path: integrated.ref,
      description: title,
      metadata: { task_id, attempt: integrated.attempt },
    });
  }
  return made;
}

function isCompleted(run: RunState, taskId: string): boolean {
  const index = indexOf(run, taskId);
  return index >= 0 && run.tasks.get(index).state.status === "completed";
}

function activeAgents({ open }: AttemptUsage): string[] {
  return [...new Set([...open.values()].map(({ agent }) => agent))].sort();
}

/** Rounded down: a hundred is said of a completed project and of no other. */
function progress(run: RunState, status: RunStatus, total: number): number {
  if (status === "completed") return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((run.completed / total) * 100));
}
