import { statSync } from "node:fs";
import { workingProcess } from "../../runs/open-runs.js";
import type { StateFolder } from "../../runs/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { failed, type Finished } from "../report.js";
import { ago } from "../views/human/figures.js";

/** Null when no other process works in this project; else who does, for how long, and what can be done meanwhile. */
export function refuseWhileBusy(at: StateFolder, now: string): Finished | null {
  const holder = workingProcess(at);
  if (holder === null || holder.pid === process.pid) return null;
  const since = statSync(`${at.database}.lock`, { throwIfNoEntry: false })?.mtime.toISOString() ?? null;
  return failed(
    EXIT.failed,
    "STORE_LOCKED",
    `Process ${holder.pid} works in this project, for ${ago(since, now)} now`,
    {
      fix: "coordinator watch follows it, and your answers reach it. Run again when it is done, or in a git worktree of your own, which can be worked in at the same time.",
    },
  );
}
