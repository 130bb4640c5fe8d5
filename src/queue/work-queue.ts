import type { QueueTask, WorkQueue } from "../model/work-queue.js";
import type { BoardRun, BoardTask } from "./board-run.js";

/** The queue of a project. Contract: pure; the runs come oldest first, and the same runs give the same queue. */
export function workQueueOf(project: string, runs: readonly BoardRun[]): WorkQueue {
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

export function queueText(queue: WorkQueue): string {
  return `${JSON.stringify(queue, null, 2)}\n`;
}
