import { newestFirst } from "../../hands/store/list-runs.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { foldRun } from "../inspect/fold-run.js";
import { overviewOf } from "../inspect/overview.js";
import { withRuns } from "../inspect/runs-at.js";
import { finish, type Finished } from "../report.js";
import type { RunLine } from "../run-reports.js";

export interface PageOfRuns {
  readonly finished: Finished;
  /** How many runs there are. */
  readonly total: number;
  /** The run to ask behind for more; null at the end. */
  readonly next: string | null;
}

/**
 * Some of the runs, newest first: only those that are shown are folded.
 *
 * Contract: changes nothing. Empty where no run was started; a log that cannot be read is a line with its problem.
 */
export function pageOfRuns(
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
  { parts, project }: CommandContext,
): Promise<PageOfRuns> {
  const page = (runs: readonly RunLine[], total: number, next: string | null): PageOfRuns => ({
    finished: finish(EXIT.done, { type: "runs", runs, now: parts.now() }),
    total,
    next,
  });
  return withRuns(
    project,
    async (reader) => {
      const all = await newestFirst(reader);
      const seen = after === undefined ? -1 : all.findIndex(({ run_id }) => run_id === after);
      const wanted = all.slice(seen + 1, seen + 1 + limit);
      const workers = new Map((await reader.holders?.())?.map(({ run_id, pid }) => [run_id, pid]));
      const runs: RunLine[] = [];
      for (const { run_id } of wanted) {
        try {
          const overview = overviewOf(await foldRun(reader, run_id), all.length === 1);
          runs.push({ run_id, overview, worker: workers.get(run_id) ?? null });
        } catch (error) {
          if (!(error instanceof CoordinatorError)) throw error;
          runs.push({ run_id, problem: error.message });
        }
      }
      const last = wanted.at(-1)?.run_id ?? null;
      return page(runs, all.length, last === all.at(-1)?.run_id ? null : last);
    },
    () => page([], 0, null),
  );
}
