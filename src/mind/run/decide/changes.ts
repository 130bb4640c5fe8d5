import type { TaskChange } from "../../../model/run.js";
import { reorderTasks } from "../layout.js";
import { ReadyQueue } from "../ready-queue.js";
import { alter, type RunState, taskAt } from "../state.js";
import { isBudgetEntry, taskIdOf } from "../inbox-entry.js";
import { dequeue, hasEnded, release, withTask } from "../tasks.js";

/* Changes that people make to tasks. A task that is being worked on is left alone: nothing disturbs a running attempt. */

/** Why a task cannot be changed like this now; null when it can. */
export function changeRefusal(state: RunState, index: number, change: TaskChange): string | null {
  const { task_id } = taskAt(state, index);
  const { state: task, agent, priority } = state.tasks.get(index);
  if (hasEnded(task)) return `${task_id} is ${task.status}`;
  if (task.status === "in_progress" && task.stage !== "waiting")
    return `${task_id} is in progress, and a running attempt is not disturbed`;
  if (change.action === "change_priority" && change.priority === priority) return `${task_id} is ${priority} already`;
  if (change.action === "reassign_task" && change.agent === agent) return `${task_id} is ${agent}'s already`;
  return null;
}

/** Contract: pure; `changeRefusal` has nothing against it. */
export function changeTask(state: RunState, index: number, change: TaskChange): RunState {
  switch (change.action) {
    case "skip_task":
      return release(drop(state, index, "skipped", change.reason), index);
    case "delete_task":
      return cancelTask(state, index, change.reason);
    case "reassign_task":
      return withTask(state, index, { agent: change.agent, model: null });
    case "change_priority":
      return inNewOrder(withTask(state, index, { priority: change.priority }));
  }
}

function cancelTask(before: RunState, index: number, reason: string): RunState {
  let state = before;
  const cause = `builds on ${taskAt(state, index).task_id}, which was deleted`;
  const queue = [{ index, reason }];
  for (const { index: i, reason: why } of queue) {
    if (hasEnded(state.tasks.get(i).state)) continue;
    state = drop(state, i, "cancelled", why);
    for (const dependent of state.layout?.dependents[i] ?? []) queue.push({ index: dependent, reason: cause });
  }
  return state;
}

/** Out of the queue, and everything that was asked about it out of the inbox. */
function drop(state: RunState, index: number, status: "skipped" | "cancelled", reason: string): RunState {
  const { task_id } = taskAt(state, index);
  const waited = state.tasks.get(index).state.status === "in_progress";
  const asked = state.inbox.filter((entry) => taskIdOf(entry) === task_id);
  return alter(withTask(state, index, { state: { status, reason } }), {
    ready: dequeue(state, index),
    waiting: state.waiting - Number(waited),
    dropped: state.dropped + 1,
    inbox: asked.length === 0 ? state.inbox : state.inbox.filter((entry) => !asked.includes(entry)),
    // Nothing started because there was no budget for this task: there is none needed now.
    paused: asked.some(isBudgetEntry) ? null : state.paused,
  });
}

function inNewOrder(state: RunState): RunState {
  if (state.layout === null) return state;
  const layout = reorderTasks(
    state.layout,
    [...state.tasks].map(({ priority }) => priority),
  );
  return alter(state, { layout, ready: ReadyQueue.of([...state.ready], layout.place) });
}
