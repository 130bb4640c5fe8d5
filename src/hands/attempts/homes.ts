import { existsSync } from "node:fs";
import { join } from "node:path";
import { attemptKey } from "../../mind/run/ledger.js";
import { isOver, type RunState } from "../../mind/run/state.js";
import { hasEnded } from "../../mind/run/tasks.js";
import { removeTree } from "../workspace/path-safety.js";
import { effectFolder, effectFolders, instanceFolder, instancesOf, isActive } from "./shim/instance-folder.js";

/*
 * The home of an attempt holds the agent's session, caches, and whatever else the agent keeps about itself. It outlives
 * the attempt for one reason: a person may widen the task's scope, and the next attempt then goes on in the same session.
 * Once the task is over nobody does.
 */

export const homeIn = (instance: string) => join(instance, "home");

/** Contract: what cannot be removed is named with the reason. Homes of what still runs are left. */
export async function removeHomesOf(runFolder: string, task_id: string, attempts: number): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let attempt = 1; attempt <= attempts; attempt++)
    problems.push(...(await removeHomesIn(effectFolder(runFolder, `attempt:${attemptKey(task_id, attempt)}`))));
  return problems;
}

/** The homes of all tasks that are over; of a run that is over, all homes. */
export async function removeOldHomes(runFolder: string, state: RunState): Promise<readonly string[]> {
  const problems: string[] = [];
  if (isOver(state)) {
    for (const name of effectFolders(runFolder)) problems.push(...(await removeHomesIn(join(runFolder, name))));
    return problems;
  }
  for (const [i, { task_id }] of (state.layout?.plan.tasks ?? []).entries()) {
    const { state: now, attempts } = state.tasks.get(i);
    if (hasEnded(now)) problems.push(...(await removeHomesOf(runFolder, task_id, attempts)));
  }
  return problems;
}

async function removeHomesIn(base: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const n of instancesOf(base)) {
    const instance = instanceFolder(base, n);
    if (existsSync(homeIn(instance)) && !isActive(instance)) problems.push(...(await removeTree(homeIn(instance))));
  }
  return problems;
}
