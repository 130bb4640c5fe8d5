import { recordsNamedBy } from "../../mind/run/record-names.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { withWholeRun } from "./read-run.js";

/** Records beside the log of a run, by the checksums that the log has of them. */
export interface RunRecordsListed {
  readonly type: "records";
  readonly run_id: string;
  readonly records: readonly { readonly name: string; readonly ref: string; readonly sequence: number }[];
}

export interface RunRecordShown {
  readonly type: "record";
  readonly run_id: string;
  readonly name: string;
  readonly ref: string;
  readonly value: unknown;
}

/**
 * Lists the records that the log of a run names.
 *
 * Contract: changes nothing. Throws NOT_FOUND for a run that is not there.
 */
export function listRecords(wanted: string, context: CommandContext): Promise<RunRecordsListed> {
  return withWholeRun(wanted, context, async (whole) => ({
    type: "records",
    run_id: whole.run.run_id,
    records: listNamedRecords(whole),
  }));
}

/** Contract: a record that is not what the log says is not shown. */
export function showRecord(wanted: string, name: string, context: CommandContext): Promise<RunRecordShown> {
  return withWholeRun(wanted, context, async (whole) => {
    const { run, records } = whole;
    const found = listNamedRecords(whole).findLast((one) => one.name === name);
    const value = found === undefined ? null : await records.read(name, found.ref);
    if (found !== undefined && value !== null)
      return { type: "record", run_id: run.run_id, name, ref: found.ref, value };
    throw new CoordinatorError(
      "NOT_FOUND",
      found === undefined
        ? `The log of ${run.run_id} names no record ${name}`
        : `The record ${name} is gone or not what the log says`,
      { fix: `coordinator verify ${run.run_id} says what else was changed.` },
    );
  });
}

function listNamedRecords({ events }: Parameters<Parameters<typeof withWholeRun>[2]>[0]): RunRecordsListed["records"] {
  return events.flatMap(({ event, sequence }) =>
    recordsNamedBy(event).map(({ name, ref }) => ({ name, ref, sequence })),
  );
}
