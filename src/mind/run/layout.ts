import type { PlanRef, RunTask } from "../../model/run.js";

/** The plan as dispatch needs it. Made when the plan is frozen; only the order of what is ready may change. */
export interface Layout {
  readonly plan: PlanRef;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependents: readonly (readonly number[])[];
  /** Minutes of work from here to the end along the longest way: what to start first. */
  readonly rank: Float64Array;
  /** Where a task stands among all, when what is ready is put in order: the lowest is started first. */
  readonly place: Int32Array;
  /** The longest way of dependencies before it: 0 for what builds on nothing. */
  readonly level: Int32Array;
}

/** The parts of a plan that dispatch needs. Contract: dependencies lead to tasks of the plan and make no cycle. */
export function layOut(plan: PlanRef): Layout {
  const indexOfTask = placesByName(plan);
  const dependents: number[][] = [];
  for (let i = 0; i < plan.tasks.length; i++) dependents.push([]);
  for (const [i, task] of plan.tasks.entries())
    for (const dependency of task.dependencies) dependents[indexOfTask.get(dependency) ?? -1]?.push(i);
  const rank = ranksOf(plan, dependents, indexOfTask);
  return {
    plan,
    indexOf: indexOfTask,
    dependents,
    rank,
    place: placesOf(
      plan.tasks.map(({ priority }) => priority),
      rank,
    ),
    level: levelsOf(plan, dependents),
  };
}

function placesByName({ tasks }: PlanRef): Map<string, number> {
  const found = new Map<string, number>();
  for (let i = 0; i < tasks.length; i++) found.set((tasks[i] as RunTask).task_id, i);
  return found;
}

/** The plan with its tasks in another order: people may change what comes first, and nothing else of it. */
export function reorderTasks(layout: Layout, priorities: readonly RunTask["priority"][]): Layout {
  return { ...layout, place: placesOf(priorities, layout.rank) };
}

/** Priority first, then the longest way still to go, then the plan's own order. */
function placesOf(priorities: readonly RunTask["priority"][], rank: Float64Array): Int32Array {
  const urgency = priorities.map((priority) => Number(priority.slice(1)));
  const order = priorities.map((_, i) => i);
  order.sort(
    (a, b) => (urgency[a] as number) - (urgency[b] as number) || (rank[b] as number) - (rank[a] as number) || a - b,
  );
  const place = new Int32Array(priorities.length);
  for (const [at, index] of order.entries()) place[index] = at;
  return place;
}

function levelsOf({ tasks }: PlanRef, dependents: readonly (readonly number[])[]): Int32Array {
  const level = new Int32Array(tasks.length);
  const waiting = tasks.map((task) => task.dependencies.length);
  const queue = waiting.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let at = 0; at < queue.length; at++) {
    const i = queue[at] as number;
    for (const dependent of dependents[i] ?? []) {
      level[dependent] = Math.max(level[dependent] as number, (level[i] as number) + 1);
      waiting[dependent] = (waiting[dependent] as number) - 1;
      if (waiting[dependent] === 0) queue.push(dependent);
    }
  }
  return level;
}

function ranksOf({ tasks }: PlanRef, dependents: Layout["dependents"], indexOfTask: Layout["indexOf"]): Float64Array {
  const rank = new Float64Array(tasks.length);
  const waiting = dependents.map((followers) => followers.length);
  const queue = waiting.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let at = 0; at < queue.length; at++) {
    const i = queue[at] as number;
    const task = tasks[i] as RunTask;
    const longest = (dependents[i] ?? []).reduce((most, d) => Math.max(most, rank[d] as number), 0);
    // A task without an estimate still takes a step: hops then decide.
    rank[i] = Math.max(task.estimate.minutes, 0.001) + longest;
    for (const dependency of task.dependencies) {
      const d = indexOfTask.get(dependency);
      if (d === undefined) continue;
      waiting[d] = (waiting[d] as number) - 1;
      if (waiting[d] === 0) queue.push(d);
    }
  }
  return rank;
}
