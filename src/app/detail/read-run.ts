import { join } from "node:path";
import type { LoggedEvent } from "../../model/event.js";
import { openRecords, type RunRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import type { CommandContext } from "../command-context.js";
import { findRun } from "../inspect/find.js";
import { type FoldedRun, foldWhole } from "../inspect/fold-run.js";
import { type Reader, withRuns } from "../inspect/runs-at.js";
import type { StateFolder } from "../project/state-folder.js";

/** A run with its whole log, for views that need more than what it came to. */
export interface WholeRun {
  readonly run: FoldedRun;
  readonly events: readonly LoggedEvent[];
  readonly records: RunRecords;
  readonly at: StateFolder;
  readonly reader: Reader;
}

/** Contract: throws NOT_FOUND for a run that is not there. The reader is closed afterwards. */
export function withWholeRun<T>(
  wanted: string,
  { project }: Pick<CommandContext, "project">,
  act: (whole: WholeRun) => Promise<T>,
): Promise<T> {
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, wanted);
    const { run, events } = await foldWhole(reader, runId);
    const records = openRecords(join(at.folder, "records", runId), sharedRecords(reader, runId));
    return act({ run, events, records, at, reader });
  });
}
