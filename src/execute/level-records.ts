import { LevelContext as LevelContextSchema, type LevelContext } from "../model/level.js";
import type { PlanRef, RunPolicy, RunTask } from "../model/run.js";
import type { RunRecords } from "./run-records.js";

/* What tasks and levels left to those that build on them, as it stands beside the log. */

export const levelRecord = (taskId: string): string => `level ${taskId}`;
export const wholeLevelRecord = (level: number): string => `whole level ${level}`;

/** How many tasks stand one behind the other up to this one. */
export function levelOf({ tasks }: PlanRef, task: RunTask): number {
  const byId = new Map(tasks.map((each) => [each.task_id, each]));
  const known = new Map<string, number>();
  const level = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    known.set(id, 1);
    const found = 1 + Math.max(0, ...(byId.get(id)?.dependencies ?? []).map(level));
    known.set(id, found);
    return found;
  };
  return level(task.task_id);
}

/** What a task builds on, as it was left: all earlier levels where levels are kept, else everything it depends on. */
export async function contextFor(
  plan: PlanRef,
  task: RunTask,
  records: RunRecords,
  schedule: RunPolicy["schedule"],
): Promise<LevelContext[]> {
  if (schedule === "dataflow") return contextsOf(behind(plan, task), plan, records);
  const found: LevelContext[] = [];
  for (let level = 1; level < levelOf(plan, task); level++) {
    const read = LevelContextSchema.safeParse(await records.read(wholeLevelRecord(level)));
    if (read.success) found.push(read.data);
    else {
      // A level whose last task was given up has nobody who spoke for all of it.
      const ids = plan.tasks.filter((each) => levelOf(plan, each) === level).map(({ task_id }) => task_id);
      found.push(...(await contextsOf(new Set(ids), plan, records)));
    }
  }
  return found;
}

function behind(plan: PlanRef, task: RunTask): Set<string> {
  const byId = new Map(plan.tasks.map((each) => [each.task_id, each]));
  const found = new Set<string>();
  const walk = (id: string) => {
    for (const dependency of byId.get(id)?.dependencies ?? [])
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
