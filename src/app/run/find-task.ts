import type { RunTask } from "../../model/run.js";
import type { FoldedRun } from "../inspect/fold-run.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";

/** The task of a run somebody means: by its id, or the only one that begins so. */
export function findTask(
  state: FoldedRun["state"],
  wanted: string,
): { readonly task: RunTask; readonly index: number } | Finished {
  const tasks = state.layout?.plan.tasks ?? [];
  const exact = tasks.findIndex(({ task_id }) => task_id === wanted);
  const begun = tasks.flatMap(({ task_id }, i) => (wanted !== "" && task_id.startsWith(wanted) ? [i] : []));
  const index = exact >= 0 ? exact : begun.length === 1 ? (begun[0] ?? -1) : -1;
  const task = tasks[index];
  if (task !== undefined) return { task, index };
  const ids = tasks.slice(0, 10).map(({ task_id }) => task_id);
  const which =
    begun.length > 1 ? `${wanted} is the beginning of ${begun.length} tasks` : `The run has no task ${wanted}`;
  return fail(EXIT.invalid, begun.length > 1 ? "USAGE" : "NOT_FOUND", which, {
    fix: `Its tasks are ${ids.join(", ")}${tasks.length > ids.length ? " and more" : ""}.`,
  });
}
