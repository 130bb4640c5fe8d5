import type { RiskLevel } from "../../../model/primitives.js";
import type { RunStatus } from "../../../model/run.js";
import { describeGate } from "../../run/decide/assignments.js";
import { indexOf, isOver, type RunState } from "../../run/state.js";
import { type InboxEntry, taskIdOf } from "../../run/inbox-entry.js";
import { hasEnded } from "../../run/tasks.js";
import type { ProjectNotes } from "./project-notes.js";

interface WaitingEntry {
  readonly severity: RiskLevel;
  readonly description: string;
}

/** The kind of wait for a person, and whether the run can do anything until one has decided. */
export interface Waiting {
  readonly on: readonly WaitingEntry[];
  readonly can_go_on: boolean;
}

export function listWaiting(notes: ProjectNotes): Waiting {
  const { run, intake, usage } = notes;
  const on: WaitingEntry[] = [];
  if (isOver(run)) return { on, can_go_on: false };
  if (intake === "needs_clarification") on.push({ severity: "high", description: "the request needs clarification" });
  const isAtWork = usage.open.size > 0;
  const undecided = !isAtWork && isPlanUndecided(notes);
  if (undecided) on.push({ severity: "high", description: "the plan waits for approval" });
  for (const kind of ASKED) for (const entry of run.inbox) if (entry.kind === kind) on.push(...describeEntry(entry));

  const { gates, ready } = readGates(notes);
  if (!undecided)
    for (const id of gates) on.push({ severity: "high", description: `${describeGate(id)} waits for approval` });
  return { on, can_go_on: isAtWork || (ready && !undecided && !notes.paused) };
}

function isPlanUndecided({ run, plan, plan_rejected }: ProjectNotes): boolean {
  return plan !== null && !run.plan_approved && !plan_rejected && run.policy?.plan_needs_approval === true;
}

/** In the order they are listed. Approvals of the plan and reviews follow from the tasks that wait for them. */
const ASKED = ["escalation", "question", "scope_request", "task_change"] as const;

function describeEntry(entry: InboxEntry): WaitingEntry[] {
  switch (entry.kind) {
    case "escalation":
      return [{ severity: entry.escalation.severity, description: entry.escalation.summary }];
    case "question":
      return [{ severity: "medium", description: entry.question }];
    case "scope_request":
      return [{ severity: "medium", description: `${entry.task_id} needs a wider scope: ${entry.message}` }];
    case "task_change": {
      const action = entry.change.action.replace("_", " ");
      return [{ severity: "low", description: `${action} of ${entry.task_id} waits for approval` }];
    }
    case "plan_approval":
    case "review":
      return [];
  }
}

/** The reviews that tasks wait for with everything else in place, and whether a task waits for none. */
function readGates({ run, rejected_gates }: ProjectNotes): {
  readonly gates: ReadonlySet<string>;
  readonly ready: boolean;
} {
  const held = new Set(run.inbox.flatMap((entry) => (entry.kind === "task_change" ? [] : [taskIdOf(entry)])));
  const approved = new Set(run.approved_gates);
  const gates = new Set<string>();
  let ready = false;
  for (const [index, task] of (run.layout?.plan.tasks ?? []).entries()) {
    const { state } = run.tasks.get(index);
    const isRejected = state.status === "failed" && task.gates.some((id) => rejected_gates.has(id));
    if (held.has(task.task_id) || (hasEnded(state) && !isRejected)) continue;
    if (!task.dependencies.every((id) => isBuiltOn(run, id))) continue;
    const closed = task.gates.filter((id) => !approved.has(id));
    for (const id of closed) gates.add(id);
    ready ||= closed.length === 0;
  }
  return { gates, ready };
}

/** Whether a task is done or skipped: what builds on it may go on. */
function isBuiltOn(run: RunState, taskId: string): boolean {
  const index = indexOf(run, taskId);
  const status = index < 0 ? null : run.tasks.get(index).state.status;
  return status === "completed" || status === "skipped";
}

/** The status of the project: blocked is waiting for a person with nothing else to do. */
export function statusOf(notes: ProjectNotes): RunStatus {
  if (isOver(notes.run)) return notes.run.status;
  if (notes.intake === "rejected") return "failed";
  const { on, can_go_on } = listWaiting(notes);
  if (on.length > 0 && !can_go_on) return "blocked";
  return notes.begun ? "in_progress" : "pending";
}
