import type { IntentTask } from "../../../model/task.js";

/** Where tasks stand by their ids. Looking up names is much of what a large intent costs, so it is done once. */
export interface TaskPlaces {
  /** The place of the first task of each id. */
  readonly first: ReadonlyMap<string, number>;
  /** The places of all dependencies, task after task, each task's in its own order; -1 for one that is not a task's id. */
  readonly dependencies: Int32Array;
}

export function taskPlaces(tasks: readonly IntentTask[]): TaskPlaces {
  const first = new Map<string, number>();
  let count = 0;
  for (let i = 0; i < tasks.length; i++) {
    const { id, dependencies } = tasks[i] as IntentTask;
    if (!first.has(id)) first.set(id, i);
    count += dependencies.length;
  }
  const places = new Int32Array(count);
  let at = 0;
  for (let i = 0; i < tasks.length; i++) {
    const { dependencies } = tasks[i] as IntentTask;
    for (let j = 0; j < dependencies.length; j++) places[at++] = first.get(dependencies[j] as string) ?? -1;
  }
  return { first, dependencies: places };
}
