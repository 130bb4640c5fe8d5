import { byCodeUnit } from "../../model/by-code-unit.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { AdrRecord } from "../adr-reports.js";
import type { CommandContext } from "../command-context.js";
import { readAdr, siblingsReader } from "./adr-check.js";
import { findRecordFiles, FOLDERS } from "./adr-files.js";
import { readTakenAdrs, withTakenRuns } from "./recognise-records.js";

/**
 * List the records of a project, or of one folder.
 *
 * Contract: changes nothing. The exit code says whether all of them can be read.
 */
export async function listAdrs(dir: string, { cwd, project }: CommandContext): Promise<Finished> {
  const { folders, records } = await findRecords(dir, cwd);
  if (records.length === 0)
    return fail(EXIT.invalid, "NOT_FOUND", `There are no decision records in ${dir}.`, {
      fix: `Name their folder: coordinator adr list DIR. Looked for are .adr-dir, ${FOLDERS.slice(0, 4).join(", ")} and their like.`,
    });
  return finish(records.every(({ ok }) => ok) ? EXIT.done : EXIT.invalid, {
    type: "adr_list",
    folders,
    records: withTakenRuns(records, await readTakenAdrs(project), project),
  });
}

/** Every record of a project, or of one folder, in the order of their numbers. */
export async function findRecords(
  dir: string,
  cwd: string,
): Promise<{ readonly folders: readonly string[]; readonly records: readonly AdrRecord[] }> {
  const { folders, files } = await findRecordFiles(dir, cwd);
  const siblings = siblingsReader(cwd);
  const records: AdrRecord[] = [];
  for (const file of files) records.push(await readAdr(file, cwd, siblings));
  return { folders, records: records.toSorted(inOrder) };
}

function inOrder(a: AdrRecord, b: AdrRecord): number {
  const [first, second] = [keyOf(a), keyOf(b)];
  return first.number - second.number || byCodeUnit(first.file, second.file);
}

function keyOf(record: AdrRecord): { readonly number: number; readonly file: string } {
  if (!record.ok) return { number: Infinity, file: record.file };
  const { id, file } = record.adr;
  return { number: id !== null && /^\d+$/.test(id) ? Number(id) : Number.MAX_SAFE_INTEGER, file };
}
