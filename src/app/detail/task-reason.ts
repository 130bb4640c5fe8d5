import type { TaskState } from "../../mind/run/task-record.js";
import type { FoldedRun } from "../inspect/fold-run.js";
import { openEntries } from "../inspect/open-entries.js";

/** Why a task does not go on, and the entry of the inbox that it waits on. */
export interface TaskReason {
  /** In words; null where nothing stands in its way. */
  readonly reason: string | null;
  /** Null where nobody is asked. */
  readonly waits_on: string | null;
}

const NOTHING: TaskReason = { reason: null, waits_on: null };

/**
 * Reasons for a person to read, for every task of a run. A blocked task is explained by the question about it, or else by the
 * last thing that went wrong with it: its own state only names an attempt or an escalation.
 *
 * Contract: pure.
 */
export function createReasons(run: FoldedRun): (taskId: string, state: TaskState) => TaskReason {
  const entries = openEntries(run, true);
  return (taskId, state) => {
    const trouble = run.troubles.get(taskId);
    switch (state.status) {
      case "blocked": {
        const entry =
          entries.find(({ id }) => id === state.on) ??
          entries.find(({ task_id, kind }) => task_id === taskId && kind !== "task_change");
        const said = entry?.about ?? trouble?.why ?? "a person has to decide how it goes on";
        return { reason: withoutRefs(said), waits_on: entry?.id ?? null };
      }
      case "failed": {
        const why = trouble === undefined || trouble.why === state.reason ? "" : `: ${trouble.why}`;
        return { reason: withoutRefs(`${state.reason}${why}`), waits_on: null };
      }
      case "skipped":
      case "cancelled":
        return { reason: state.reason, waits_on: null };
      default:
        return NOTHING;
    }
  };
}

/** Checksums of records are for programs. */
function withoutRefs(text: string): string {
  return text.replaceAll(/\s*\[?sha256:[0-9a-f]{64}\]?/g, "");
}
