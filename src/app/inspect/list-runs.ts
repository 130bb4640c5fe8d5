import { overviewOf } from "./overview.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { RunLine } from "../run-reports.js";
import type { CommandContext } from "../command-context.js";
import { foldAll, withRuns } from "./runs-at.js";

/* Apart from how one run stands, which needs much more code: this is what people type most. */

/**
 * All runs, a line each.
 *
 * Contract: changes nothing. Empty where no run was started; a log that cannot be read is a line with its problem.
 */
export function listRuns({ parts, project }: CommandContext): Promise<Finished> {
  const list = (runs: readonly RunLine[]) => finish(EXIT.done, { type: "runs", runs, now: parts.now() });
  return withRuns(
    project,
    async (reader) => {
      const all = await foldAll(reader, "all");
      const workers = new Map((await reader.holders?.())?.map(({ run_id, pid }) => [run_id, pid]));
      return list(
        all.map((each): RunLine => {
          if (!("run" in each)) return each;
          const { run_id, run } = each;
          return { run_id, overview: overviewOf(run, all.length === 1), worker: workers.get(run_id) ?? null };
        }),
      );
    },
    () => list([]),
  );
}
