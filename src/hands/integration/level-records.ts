import { LevelContext as LevelContextSchema, type LevelContext } from "../../model/plan/level.js";
import type { PlanRef, RunPolicy, RunTask } from "../../model/run.js";
import type { Layout } from "../../mind/run/layout.js";
import type { RunRecords } from "../attempts/run-records.js";

/* Descriptions of tasks and levels for those that build on them, kept beside the log. */

export const levelRecord = (taskId: string): string => `level ${taskId}`;
export const wholeLevelRecord = (level: number): string => `whole level ${level}`;

/** Levels as people count them, from one. */
export function levelOf({ level, indexOf }: Layout, { task_id }: RunTask): number {
  return (level[indexOf.get(task_id) ?? -1] ?? 0) + 1;
}

/** Reads the descriptions of what a task builds on: all earlier levels where levels are kept, else its dependencies. */
export async function contextFor(
  layout: Layout,
  task: RunTask,
  records: RunRecords,
  schedule: RunPolicy["schedule"],
): Promise<LevelContext[]> {
  const { plan } = layout;
  if (schedule === "dataflow") return contextsOf(behind(layout, task), plan, records);
  const found: LevelContext[] = [];
  for (let level = 1; level < levelOf(layout, task); level++) {
    const read = LevelContextSchema.safeParse(await records.read(wholeLevelRecord(level)));
    if (read.success) found.push(read.data);
    else {
      // A level whose last task was given up has nobody who spoke for all of it.
      const ids = plan.tasks.filter((each) => levelOf(layout, each) === level).map(({ task_id }) => task_id);
      found.push(...(await contextsOf(new Set(ids), plan, records)));
    }
  }
  return found;
}

function behind({ plan, indexOf }: Layout, task: RunTask): Set<string> {
  const found = new Set<string>();
  const walk = (id: string) => {
    for (const dependency of plan.tasks[indexOf.get(id) ?? -1]?.dependencies ?? [])
      if (!found.has(dependency)) {
        found.add(dependency);
        walk(dependency);
      }
  };
  walk(task.task_id);
  return found;
}

/** In the order of the plan. */
export async function contextsOf(
  ids: ReadonlySet<string>,
  { tasks }: PlanRef,
  records: RunRecords,
): Promise<LevelContext[]> {
  const found: LevelContext[] = [];
  for (const { task_id } of tasks) {
    if (!ids.has(task_id)) continue;
    const read = LevelContextSchema.safeParse(await records.read(levelRecord(task_id)));
    if (read.success) found.push(read.data);
  }
  return found;
}
