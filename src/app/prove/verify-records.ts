import type { LoggedEvent } from "../../model/event.js";
import { type NamedRecord, recordsBegunBy, recordsNamedBy } from "../../mind/run/record-names.js";

/* The files beside a log that it names by their checksums: the proof of each verdict, what was judged, what was given. */

/** The checksum a record has now, as the log writes it; null when there is no such record. */
export type ChecksumNow = (name: string) => Promise<string | null>;

export interface RecordFinding {
  readonly kind: "evidence";
  readonly sequence: number;
  readonly message: string;
}

export interface VerifiedRecords {
  /** How many are named; of a record that was written anew, the last counts. */
  readonly named: number;
  /** Null when there was nothing to look at, as for a tape. */
  readonly findings: readonly RecordFinding[] | null;
}

export interface RecordsNamed {
  /** Contract: events in the order of the log, also such as nobody of this version wrote. */
  readonly take: (logged: Pick<LoggedEvent, "sequence" | "event">) => void;
  readonly compare: (now: ChecksumNow | null) => Promise<VerifiedRecords>;
}

export function createRecordsNamed(): RecordsNamed {
  const last = new Map<string, NamedRecord & { readonly sequence: number }>();
  const exchanged: RecordFinding[] = [];
  return {
    take: ({ sequence, event }) => {
      for (const name of recordsBegunBy(event)) last.delete(name);
      for (const named of recordsNamedBy(event)) {
        const before = last.get(named.name);
        if (named.isFinal === true && before !== undefined && before.ref !== named.ref)
          exchanged.push({
            kind: "evidence",
            sequence,
            message: `The record "${named.name}" was exchanged: event ${before.sequence} names ${before.ref}, event ${sequence} ${named.ref}`,
          });
        // Another round of the same writes the same record anew.
        last.set(named.name, { ...named, sequence });
      }
    },
    compare: async (now) => {
      if (now === null) return { named: last.size, findings: exchanged.length === 0 ? null : exchanged };
      const findings = [...exchanged];
      for (const { name, ref, sequence } of last.values()) {
        const found = await now(name);
        if (found === ref) continue;
        const what = found === null ? "is missing" : `is not what it was: it is ${found} now`;
        findings.push({ kind: "evidence", sequence, message: `The record "${name}", ${ref}, ${what}` });
      }
      return { named: last.size, findings };
    },
  };
}
