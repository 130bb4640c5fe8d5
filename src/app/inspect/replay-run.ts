import { findRun } from "./find.js";
import { overviewOf } from "./overview.js";
import { replay } from "./replay.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "./runs-at.js";

/**
 * Replays a run: its state as the log gives it, up to an event.
 *
 * Contract: changes nothing, and equal logs give equal bytes. Throws NOT_FOUND for a run that is not there.
 */
export function replayRun(
  wanted: string,
  at: number | null,
  wantsEvents: boolean,
  { project }: CommandContext,
): Promise<Finished> {
  return withRuns(project, async (reader) => {
    const runId = await findRun(reader, wanted);
    const replayed = await replay(reader, runId, { at, events: wantsEvents });
    return finish(EXIT.done, {
      type: "replay",
      ...replayed,
      wantsEvents,
      // With the run's id in every command: what other runs there are must not change the bytes.
      overview: overviewOf(replayed.run, false),
    });
  });
}
