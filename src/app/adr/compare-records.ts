import type { Project } from "../project/project.js";
import type { AdrRecord, AdrsWatched } from "../report.js";
import { type KnownAdr, type ReadRecord, recognise } from "./recognise-records.js";

/** What one look at the records of a project found. */
export interface RecordChanges {
  /** Accepted, known to nobody, and the same as at the look before: to be carried out. */
  readonly settled: readonly ReadRecord[];
  /** Accepted and known to nobody, and perhaps still being written. */
  readonly unsettled: readonly ReadRecord[];
  /** Known, and not as they were. */
  readonly changed: readonly (AdrsWatched["changed"][number] & { readonly settled: boolean })[];
}

export function isAccepted(record: AdrRecord): record is ReadRecord {
  return record.ok && record.breakdown.held === null && record.breakdown.tasks.length > 0;
}

/**
 * Tell what is new, by what was known of it.
 *
 * Contract: pure. Editors write a file in pieces, or anew under its name, so a record counts when it reads the same
 * twice. A record that is known and reads otherwise is changed and never new.
 */
export function compareRecords(
  records: readonly AdrRecord[],
  last: ReadonlySet<string>,
  known: readonly KnownAdr[],
  place: Pick<Project, "root" | "cwd">,
): RecordChanges {
  const read = records.filter((record) => record.ok);
  const found = recognise(read, known, place);
  const fresh = read.filter((record) => isAccepted(record) && !found.has(record));
  return {
    settled: fresh.filter((record) => last.has(traceOf(record))),
    unsettled: fresh.filter((record) => !last.has(traceOf(record))),
    changed: read.flatMap((record) => {
      const one = found.get(record);
      // Whoever gives a record up or replaces it does what is done with records.
      if (one === undefined || one.checksum === record.checksum || record.breakdown.held !== null) return [];
      const { label, file } = record.adr;
      return [{ label, file, run_id: one.run_id, settled: last.has(traceOf(record)) }];
    }),
  };
}

/** A record as it reads now. */
export function traceOf({ adr, checksum }: ReadRecord): string {
  return `${adr.label}@${checksum}`;
}
