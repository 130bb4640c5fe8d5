import { isDeepStrictEqual } from "node:util";
import type { RunTask } from "../../model/run.js";

export interface PlanDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly task_id: string;
    readonly fields: readonly { readonly name: string; readonly before: unknown; readonly after: unknown }[];
  }[];
  readonly unchanged: readonly string[];
}

/** Contract: pure; tasks are the same by their id. */
export function comparePlans(before: readonly RunTask[], after: readonly RunTask[]): PlanDifference {
  const earlier = new Map(before.map((task) => [task.task_id, task]));
  const later = new Set(after.map(({ task_id }) => task_id));
  const both = after.flatMap((task) => {
    const old = earlier.get(task.task_id);
    return old === undefined ? [] : [{ task_id: task.task_id, fields: fieldsBetween(old, task) }];
  });
  return {
    added: after.flatMap(({ task_id }) => (earlier.has(task_id) ? [] : [task_id])),
    removed: before.flatMap(({ task_id }) => (later.has(task_id) ? [] : [task_id])),
    changed: both.filter(({ fields }) => fields.length > 0),
    unchanged: both.flatMap(({ task_id, fields }) => (fields.length === 0 ? [task_id] : [])),
  };
}

function fieldsBetween(before: RunTask, after: RunTask) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort() as (keyof RunTask)[];
  return names.flatMap((name) =>
    isDeepStrictEqual(before[name], after[name])
      ? []
      : [{ name, before: before[name] ?? null, after: after[name] ?? null }],
  );
}
