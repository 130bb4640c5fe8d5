import { byCodeUnit } from "../../model/by-code-unit.js";
import { type OpenEntry, openEntries } from "./open-entries.js";
import { findStalled, type StalledRun } from "./stalled-runs.js";
import { listWaitingSends, readKeptFeedback } from "../hosts/feedback-record.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { foldAll, withRuns } from "./runs-at.js";

/**
 * Everything that waits on people, over all runs, oldest first; and what only waits to be resumed.
 *
 * Contract: changes nothing. The exit code says whether anything waits; a log that cannot be read is told among the
 * problems.
 */
export function showInbox({ parts, project }: CommandContext): Promise<Finished> {
  const show = (
    entries: readonly OpenEntry[],
    standing: readonly StalledRun[] = [],
    problems: readonly string[] = [],
    on_host = readKeptFeedback(project.at),
    to_send = listWaitingSends(project.at),
  ) =>
    finish(entries.length + standing.length + on_host.length + to_send.length === 0 ? EXIT.done : EXIT.waiting, {
      type: "inbox",
      entries,
      standing,
      on_host,
      to_send,
      problems,
      now: parts.now(),
    });
  return withRuns(
    project,
    async (reader) => {
      const all = await foldAll(reader, "open");
      const runs = all.flatMap((each) => ("run" in each ? [each.run] : []));
      const entries = runs
        .flatMap((run) => openEntries(run, runs.length === 1))
        .sort((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at) || byCodeUnit(a.run_id, b.run_id));
      const carriedOut = new Set((await reader.holders?.())?.map(({ run_id }) => run_id));
      const standing = runs.flatMap((run) => (carriedOut.has(run.run_id) ? [] : (findStalled(run) ?? [])));
      return show(
        entries,
        standing,
        all.flatMap((each) => ("problem" in each ? [each.problem] : [])),
      );
    },
    () => show([]),
  );
}
