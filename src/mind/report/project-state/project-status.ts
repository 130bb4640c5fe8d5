import type { RiskLevel } from "../../../model/primitives.js";
import type { RunStatus } from "../../../model/run.js";
import { describeGate } from "../../run/decide/assignments.js";
import type { ProjectFold } from "./project-fold.js";

/** What waits for a person, and whether the run can do anything until one has decided. */
export interface Waiting {
  readonly on: readonly { readonly severity: RiskLevel; readonly description: string }[];
  readonly can_go_on: boolean;
}

export function listWaiting(fold: ProjectFold): Waiting {
  const on: { severity: RiskLevel; description: string }[] = [];
  if (fold.finished !== null) return { on, can_go_on: false };
  if (fold.intake === "needs_clarification")
    on.push({ severity: "high", description: "the request needs clarification" });
  const undecided =
    fold.plan !== null && fold.plan_decided === null && fold.needs_plan_approval && fold.open.size === 0;
  if (undecided) on.push({ severity: "high", description: "the plan waits for approval" });
  for (const { severity, summary } of fold.escalations.values()) on.push({ severity, description: summary });
  for (const { question } of fold.questions.values()) on.push({ severity: "medium", description: question });
  for (const { task_id, message } of fold.scope_requests.values())
    on.push({ severity: "medium", description: `${task_id} needs a wider scope: ${message}` });

  for (const { task_id, change } of fold.changes.values())
    on.push({ severity: "low", description: `${change.action.replace("_", " ")} of ${task_id} waits for approval` });

  const held = new Set(
    [...fold.escalations.values(), ...fold.questions.values(), ...fold.scope_requests.values()].map(
      ({ task_id }) => task_id,
    ),
  );
  const gates = new Set<string>();
  let ready = false;
  for (const task of fold.plan?.tasks ?? []) {
    if ([fold.completed, fold.skipped, fold.given_up, held].some((set) => set.has(task.task_id))) continue;
    if (!task.dependencies.every((id) => fold.completed.has(id) || fold.skipped.has(id))) continue;
    const closed = task.gates.filter((id) => !fold.approved_gates.has(id));
    for (const id of closed) gates.add(id);
    ready ||= closed.length === 0;
  }
  if (!undecided)
    for (const id of gates) on.push({ severity: "high", description: `${describeGate(id)} waits for approval` });
  const dispatching = ready && !undecided && !fold.paused;
  return { on, can_go_on: fold.open.size > 0 || dispatching };
}

/** The status of the project: blocked is waiting for a person with nothing else to do. */
export function statusOf(fold: ProjectFold): RunStatus {
  if (fold.finished !== null) return fold.finished;
  if (fold.intake === "rejected") return "failed";
  const { on, can_go_on } = listWaiting(fold);
  if (on.length > 0 && !can_go_on) return "blocked";
  return fold.begun ? "in_progress" : "pending";
}
