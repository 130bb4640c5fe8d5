import { byCodeUnit } from "../../model/by-code-unit.js";
import { type OpenEntry, openEntries } from "../../runs/open-entries.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { foldAll, withRuns } from "./runs-at.js";

/** Everything that waits on people, over all runs, oldest first. */
export function showInbox({ parts }: Surroundings): Promise<Finished> {
  const shown = (entries: readonly OpenEntry[], problems: readonly string[]) =>
    finished(entries.length === 0 ? EXIT.done : EXIT.waiting, {
      type: "inbox",
      entries,
      problems,
      now: parts.now(),
    });
  return withRuns(
    async (reader) => {
      const all = await foldAll(reader, "open");
      const runs = all.flatMap((each) => ("run" in each ? [each.run] : []));
      const entries = runs
        .flatMap((run) => openEntries(run, runs.length === 1))
        .sort((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at) || byCodeUnit(a.run_id, b.run_id));
      return shown(
        entries,
        all.flatMap((each) => ("problem" in each ? [each.problem] : [])),
      );
    },
    () => shown([], []),
  );
}
