import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";
import { readFile } from "../../foundation/files/read-files.js";
import type { Project } from "../project/project.js";
import { makeStateFolder } from "../project/state-folder.js";
import { writeWhole } from "../project/write-file.js";
import type { AdrRecord, AdrsWatched } from "../adr-reports.js";
import { findRecords } from "./adr-list.js";
import { type KnownAdr, listKnownFromRuns, type ReadRecord, readTakenAdrs, recognise } from "./recognise-records.js";

/** Looks at the decision records of a project, again and again, and says which are to be carried out. */
export interface AdrWatcher {
  /** Contract: reads the records and the logs anew; the first look of a project writes down what was accepted before it. */
  readonly look: () => Promise<RecordLook>;
}

interface RecordLook extends RecordChanges {
  /** How many records were accepted before anybody watched. */
  readonly before: number;
}

export interface AdrWatcherOptions {
  /** The folder of records, or a folder above it. */
  readonly dir: string;
  /** Also take what was accepted before anybody watched. */
  readonly all: boolean;
  readonly warn: (message: string) => void;
}

/** Contract: a record is settled once in the life of a watcher, whatever became of it. */
export function createAdrWatcher(project: Project, { dir, all, warn }: AdrWatcherOptions): AdrWatcher {
  const taken = new Set<string>();
  let last: ReadonlySet<string> = new Set();
  return {
    look: async () => {
      const { records } = await findRecords(dir, project.cwd);
      const before = await readAcceptedBefore(project, records.filter(isAccepted), all, warn);
      const known = [...before, ...listKnownFromRuns(await readTakenAdrs(project))];
      const changes = compareRecords(records, last, known, project);
      last = new Set(records.filter((record) => record.ok).map(traceOf));
      // Copies are one record.
      const settled = changes.settled.filter((record) => taken.size < taken.add(traceOf(record)).size);
      return { ...changes, settled, before: before.length };
    },
  };
}

/** Changes that one look at the records of a project found. */
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
      // Anyone who gives a record up or replaces it does what is done with records.
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

/** Records accepted before the watch began: they are not carried out now. */
const Before = z.discriminatedUnion("version", [
  z.strictObject({ version: z.literal(1), accepted: z.record(z.string(), z.string()) }),
  z.strictObject({
    version: z.literal(2),
    accepted: z.array(z.strictObject({ label: z.string(), file: z.string(), checksum: z.string() })),
  }),
]);
type Before = z.infer<typeof Before>;

/** The records that were accepted when somebody first watched; `records` are they when nobody did. */
async function readAcceptedBefore(
  { at, cwd }: Project,
  records: readonly ReadRecord[],
  all: boolean,
  warn: (message: string) => void,
): Promise<readonly KnownAdr[]> {
  const file = join(at.folder, "adr-watch.json");
  const text = await readFile(file, "utf8").catch(() => null);
  const read = text === null ? null : Before.safeParse(jsonOrUndefined(text));
  if (read?.success === true) return all ? [] : listKnown(read.data);
  if (read !== null) warn(`${file} cannot be read: what is accepted by now counts as accepted before.`);
  const accepted = (all ? [] : records).map(({ adr, checksum }) => ({
    label: adr.label,
    file: relative(at.root, resolve(cwd, adr.file)),
    checksum,
  }));
  const before: Before = { version: 2, accepted };
  makeStateFolder(at);
  await writeWhole(file, `${JSON.stringify(before, null, 2)}\n`);
  return listKnown(before);
}

function listKnown(before: Before): KnownAdr[] {
  if (before.version === 2) return before.accepted.map((one) => ({ ...one, run_id: null }));
  return Object.entries(before.accepted).map(([label, checksum]) => ({ label, file: null, checksum, run_id: null }));
}
