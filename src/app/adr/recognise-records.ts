import { resolve } from "node:path";
import type { Project } from "../project/project.js";
import { type TakenAdr, readRunsOfAdrs } from "../inspect/taken-adrs.js";
import type { AdrRecord } from "../adr-reports.js";

export type ReadRecord = Extract<AdrRecord, { ok: true }>;

/** A record as somebody knew it before. */
export interface KnownAdr {
  readonly label: string;
  /** From the root of the project; null when nobody wrote it down. */
  readonly file: string | null;
  readonly checksum: string;
  readonly run_id: string | null;
}

/**
 * Which record is which. One that was moved is known by its content, one that was changed by its place, and one that was
 * both by its number: in this order, and what is known as one record is not taken for a second. Files are made anew and
 * renamed freely, so nothing else of them is asked.
 */
export function recognise(
  records: readonly ReadRecord[],
  known: readonly KnownAdr[],
  { root, cwd }: Pick<Project, "root" | "cwd">,
): ReadonlyMap<ReadRecord, KnownAdr> {
  const found = new Map<ReadRecord, KnownAdr>();
  const lines = linesOf(known);
  const free = new Set(lines);
  const look = (
    is: (line: readonly KnownAdr[], record: ReadRecord) => boolean,
    among: () => Iterable<readonly KnownAdr[]>,
  ) => {
    for (const record of records) {
      if (found.has(record)) continue;
      const line = [...among()].findLast((one) => is(one, record));
      const last = line?.at(-1);
      if (line === undefined || last === undefined) continue;
      found.set(record, last);
      free.delete(line);
    }
  };
  const at = (file: string | null) => (file === null ? null : resolve(root, file));
  // Copies are one record, however many there are.
  look(
    (line, { checksum }) => line.some((one) => one.checksum === checksum),
    () => lines,
  );
  look(
    (line, { adr }) => at(line[0]?.file ?? null) === resolve(cwd, adr.file),
    () => free,
  );
  look(
    (line, { adr }) => line[0]?.label === adr.label,
    () => free,
  );
  // Of records that shared a number, only one used to be written down: better none of them is new than one that is not.
  look(
    (line, { adr }) => line[0]?.file === null && adr.label.startsWith(`${line[0].label}-`),
    () => lines,
  );
  return found;
}

/** Groups what is known by record, oldest first. */
function linesOf(known: readonly KnownAdr[]): readonly (readonly KnownAdr[])[] {
  const lines = new Map<string, KnownAdr[]>();
  for (const one of known) {
    const key = JSON.stringify([one.label, one.file]);
    const line = lines.get(key) ?? [];
    line.push(one);
    lines.set(key, line);
  }
  return [...lines.values()];
}

/** The decision records that runs of this project were begun with; none when there are no runs. */
export async function readTakenAdrs(project: Project): Promise<readonly TakenAdr[]> {
  const reader = await project.readRuns();
  if (reader === null) return [];
  try {
    return await readRunsOfAdrs(reader);
  } finally {
    await reader.close();
  }
}

export function listKnownFromRuns(taken: readonly TakenAdr[]): readonly KnownAdr[] {
  return taken.map(({ run_id, adr: { label, file, checksum } }) => ({ run_id, label, file, checksum }));
}

/** The records with the run that took each, and whether it has changed since: what was approved is not changed. */
export function withTakenRuns(
  records: readonly AdrRecord[],
  taken: readonly TakenAdr[],
  place: Pick<Project, "root" | "cwd">,
): readonly AdrRecord[] {
  const found = recognise(
    records.filter((record) => record.ok),
    listKnownFromRuns(taken),
    place,
  );
  return records.map((record) => {
    const run = record.ok ? found.get(record) : undefined;
    if (!record.ok || run === undefined || run.run_id === null) return record;
    return { ...record, taken: { run_id: run.run_id, changed: run.checksum !== record.checksum } };
  });
}
