import type { GivenTask } from "../../../model/given-queue.js";
import type { QueueTask, RunQueue } from "../../../model/work-queue.js";
import type { BoardRun, BoardTask } from "./board-run.js";

/** The queue of a project. Contract: pure; the runs come oldest first, and the same runs give the same queue. */
export function workQueueOf(project: string, runs: readonly BoardRun[]): RunQueue {
  const last = runs.reduce<string | null>((latest, { updated_at }) => later(latest, updated_at), null);
  return { project, last_updated: last, tasks: runs.flatMap(({ tasks }) => tasks.map(entryOf)) };
}

/** Without what only the board shows. */
function entryOf({ stage: _, result: __, place: ___, ready: ____, ...entry }: BoardTask): QueueTask {
  return entry;
}

function later(a: string | null, b: string): string {
  return a === null || b > a ? b : a;
}

/** The queue as its file: what others put there and no run has taken stays, in front of what runs have. */
export function queueText(queue: RunQueue, others: readonly GivenTask[] = []): string {
  const given = others.map(({ run: _, ...task }) => task);
  return `${JSON.stringify({ ...queue, tasks: [...given, ...queue.tasks] }, null, 2)}\n`;
}
