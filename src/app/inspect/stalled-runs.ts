import { isOver } from "../../mind/run/state.js";
import { isRequestRecord } from "../../hands/store/list-runs.js";
import type { FoldedRun } from "./fold-run.js";

/** A run, or a request that is none yet, which nobody works on though nobody has to decide anything first. */
export interface StalledRun {
  readonly run_id: string;
  /** Since when nothing has happened. */
  readonly since: string | null;
  readonly done: number;
  readonly total: number;
  /** The command that resumes it. */
  readonly command: string;
}

/**
 * Whether there is something to do that waits on nobody: when no process works on the run, it is stalled.
 *
 * Contract: pure. What waits for people alone can not go on; they are asked in the inbox.
 */
export function canGoOn({ run_id, state }: Pick<FoldedRun, "run_id" | "state">): boolean {
  const { inbox, layout, plan_approved, running, waiting, ready, paused } = state;
  if (isOver(state)) return false;
  if (isRequestRecord(run_id)) return inbox.length === 0;
  if (layout === null || !plan_approved) return false;
  const hasWork = running > 0 || waiting > 0 || ready.length > 0;
  return inbox.length === 0 || running > 0 || (hasWork && paused === null);
}

/** Contract: only for a run that no process works on. Null when it is over, or when people are to decide first. */
export function findStalled(run: FoldedRun): StalledRun | null {
  if (!canGoOn(run)) return null;
  const { run_id, state, last_at } = run;
  const { completed: done, tasks } = state;
  return { run_id, since: last_at, done, total: tasks.length, command: `coordinator run --resume ${run_id}` };
}
