import { stats } from "../../mind/report/stats.js";
import { figuresOfRuns } from "./all-figures.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "./runs-at.js";

/** How well requests are handled here: the success criteria over the logs of all runs. */
export function showStats(since: string | undefined, { cwd }: CommandContext): Promise<Finished> {
  const shown = (found: Awaited<ReturnType<typeof figuresOfRuns>>) =>
    finished(EXIT.done, { type: "stats", since: since ?? null, stats: stats(found.figures), problems: found.problems });
  return withRuns(
    cwd,
    async (reader) => shown(await figuresOfRuns(reader, { since })),
    () => shown({ figures: [], problems: [] }),
  );
}
