import { stats } from "../../mind/report/stats.js";
import { figuresOfRuns } from "./all-figures.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { countCorrections } from "../learned/corrections.js";
import { withRuns } from "./runs-at.js";

/**
 * How well requests are handled here: the success criteria over the logs of all runs.
 *
 * Contract: changes nothing. A log that cannot be read is told among the problems and is not counted.
 */
export async function showStats(since: string | undefined, { project }: CommandContext): Promise<Finished> {
  const corrections = await countCorrections(project.at);
  const show = ({ figures, problems }: Awaited<ReturnType<typeof figuresOfRuns>>) =>
    finish(EXIT.done, { type: "stats", since: since ?? null, stats: stats(figures), corrections, problems });
  return withRuns(
    project,
    async (reader) => show(await figuresOfRuns(reader, { since })),
    () => show({ figures: [], problems: [] }),
  );
}
