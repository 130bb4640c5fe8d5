import type { GraphTask } from "../types.ts";

export interface Placed {
  readonly task: GraphTask;
  readonly x: number;
  readonly y: number;
}

const COLUMN = 260;
const ROW = 84;

/**
 * Places tasks in columns by level. In a column, tasks stand near the middle of what they build on, so that few lines cross;
 * with lanes, every agent has rows of its own.
 */
export function placeTasks(tasks: readonly GraphTask[], lanes: boolean): Placed[] {
  const levels = [...new Set(tasks.map(({ level }) => level))].sort((a, b) => a - b);
  const agents = [...new Set(tasks.map(({ agent }) => agent))].sort();
  const rowOf = new Map<string, number>();
  const deepest = new Map(agents.map((agent) => [agent, 0]));
  const inLane: { readonly task: GraphTask; readonly column: number; readonly row: number }[] = [];

  for (const [column, level] of levels.entries()) {
    const here = tasks.filter((task) => task.level === level);
    const middle = (task: GraphTask) => {
      const rows = task.dependencies.flatMap((id) => rowOf.get(id) ?? []);
      return rows.length === 0 ? Number.MAX_SAFE_INTEGER : rows.reduce((sum, row) => sum + row, 0) / rows.length;
    };
    const ordered = here.toSorted((a, b) => middle(a) - middle(b) || a.task_id.localeCompare(b.task_id));
    const taken = new Map<string, number>();
    for (const task of ordered) {
      const lane = lanes ? task.agent : "";
      const row = taken.get(lane) ?? 0;
      taken.set(lane, row + 1);
      rowOf.set(task.task_id, row);
      deepest.set(lane, Math.max(deepest.get(lane) ?? 0, row + 1));
      inLane.push({ task, column, row });
    }
  }

  const starts = new Map<string, number>();
  let next = 0;
  for (const agent of agents) {
    starts.set(agent, next);
    next += (deepest.get(agent) ?? 0) + 0.5;
  }
  return inLane.map(({ task, column, row }) => ({
    task,
    x: column * COLUMN,
    y: ((lanes ? (starts.get(task.agent) ?? 0) : 0) + row) * ROW,
  }));
}

/** Everything a task builds on and everything that builds on it, with itself. */
export function relatedTo(selected: string, tasks: readonly GraphTask[]): ReadonlySet<string> {
  const builtOn = new Map(tasks.map(({ task_id, dependencies }) => [task_id, dependencies]));
  const users = new Map<string, string[]>();
  for (const { task_id, dependencies } of tasks)
    for (const id of dependencies) users.set(id, [...(users.get(id) ?? []), task_id]);
  const found = new Set([selected]);
  const follow = (from: ReadonlyMap<string, readonly string[]>) => {
    const queue = [selected];
    for (let id = queue.pop(); id !== undefined; id = queue.pop())
      for (const other of from.get(id) ?? [])
        if (!found.has(other)) {
          found.add(other);
          queue.push(other);
        }
  };
  follow(builtOn);
  follow(users);
  return found;
}
