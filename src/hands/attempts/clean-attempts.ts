import { existsSync } from "node:fs";
import { join } from "node:path";
import { readdirSync } from "../../foundation/files/read-files.js";
import { rmdirSync } from "../../foundation/files/write-files-sync.js";
import { isOver, type RunState } from "../../mind/run/state.js";
import type { CleanEntry } from "../workspace/clean/clean.js";
import { removeOldHomes } from "./homes.js";
import { sweep } from "./shim/sweep.js";

/*
 * Files that attempts left under `.coordinator/attempts`: their orders, notes and homes. Of a run that is over nothing of it is
 * needed any more; of one that is not, the homes of the tasks that are.
 */

/** A run whose attempts left something; its state is null where its log cannot be folded, or there is none. */
export interface RunLeft {
  readonly run_id: string;
  readonly state: RunState | null;
  readonly last_at: string | null;
}

export interface CleanAge {
  readonly now: Date;
  readonly olderThanMs: number;
}

/** Contract: changes nothing. */
export function planCleanAttempts(attempts: string, runs: readonly RunLeft[], age: CleanAge): CleanEntry[] {
  if (!existsSync(attempts)) return [];
  const known = new Map(runs.map((run) => [run.run_id, run]));
  return readdirSync(attempts, { withFileTypes: true }).flatMap((entry): CleanEntry[] => {
    if (!entry.isDirectory()) return [];
    const name = join(attempts, entry.name);
    const run = known.get(entry.name);
    if (run === undefined || run.state === null)
      return [{ kind: "attempt_folder", name, action: "keep", reason: "no log says whether its run is over" }];
    if (!isOver(run.state))
      return [{ kind: "home", name, action: "remove", reason: "homes of tasks that are over; the run is not" }];
    return isOld(run.last_at, age)
      ? [{ kind: "attempt_folder", name, action: "remove", reason: "its run is over, and the log has every outcome" }]
      : [{ kind: "attempt_folder", name, action: "keep", reason: "it is too young" }];
  });
}

/** Contract: does what the plan says and no more; what still runs is left, with the reason. */
export async function cleanAttempts(
  entries: readonly CleanEntry[],
  runs: readonly RunLeft[],
): Promise<{ readonly name: string; readonly reason: string }[]> {
  const left: { name: string; reason: string }[] = [];
  for (const { kind, name, action } of entries) {
    if (action === "keep") continue;
    if (kind === "attempt_folder") {
      left.push(...sweep(name, "all").kept.map(({ folder, why }) => ({ name: folder, reason: why })));
      removeIfEmpty(name);
      continue;
    }
    const state = runs.find(({ run_id }) => name.endsWith(`/${run_id}`))?.state ?? null;
    const problems = state === null ? [] : await removeOldHomes(name, state);
    left.push(...problems.map((reason) => ({ name, reason })));
  }
  return left;
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something in it stayed.
  }
}

function isOld(at: string | null, { now, olderThanMs }: CleanAge): boolean {
  const age = now.getTime() - Date.parse(at ?? "");
  return Number.isNaN(age) || age >= olderThanMs;
}
