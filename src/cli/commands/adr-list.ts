import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { EXIT } from "../exit-codes.js";
import { type AdrRecord, failed, finished, type Finished } from "../report.js";
import { compared, readAdr } from "./adr-check.js";
import { adrsTaken } from "./adr-taken.js";

/** Where projects keep their records, as the tools for them do by default. */
const FOLDERS = [
  "docs/adr",
  "docs/adrs",
  "docs/decisions",
  "docs/architecture/decisions",
  "docs/architecture/adr",
  "doc/adr",
  "doc/decisions",
  "doc/architecture/decisions",
  "adr",
  "adrs",
  "decisions",
];
const DEEPEST = 3;

/** List the records of a project, or of one folder. */
export async function listAdrs(dir: string): Promise<Finished> {
  const { folders, records } = await findRecords(dir);
  if (records.length === 0)
    return failed(EXIT.invalid, "NOT_FOUND", `There are no decision records in ${dir}.`, {
      fix: `Name their folder: coordinator adr list DIR. Looked for are .adr-dir, ${FOLDERS.slice(0, 4).join(", ")} and their like.`,
    });
  const taken = await adrsTaken();
  return finished(records.every(({ ok }) => ok) ? EXIT.done : EXIT.invalid, {
    type: "adr_list",
    folders,
    records: records.map((record) => compared(record, taken)),
  });
}

/** Every record of a project, or of one folder, in the order of their numbers. */
export async function findRecords(
  dir: string,
): Promise<{ readonly folders: readonly string[]; readonly records: readonly AdrRecord[] }> {
  const folders = await foldersOf(dir);
  const files = (await Promise.all(folders.map((folder) => recordsIn(folder, 0)))).flat();
  const records: AdrRecord[] = [];
  for (const file of new Set(files)) records.push(await readAdr(file));
  return { folders, records: records.toSorted(inOrder) };
}

async function foldersOf(dir: string): Promise<readonly string[]> {
  const named = await readFile(join(dir, ".adr-dir"), "utf8").then(
    (text) => text.trim(),
    () => "",
  );
  const places = [...(named === "" ? [] : [named]), ...FOLDERS].map((folder) => join(dir, folder));
  const there: string[] = [];
  for (const place of places) if (!there.includes(place) && (await isFolder(place))) there.push(place);
  return there.length > 0 ? there : [dir];
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

const RECORD = /\.(?:md|markdown|adoc|asciidoc|rst|org)$/i;
const NO_RECORD =
  /^\.|^(?:readme|index|template|\w*[-_]?template|contributing|changelog|license|agents|claude)\b|template\.\w+$/i;

/** Files of a folder that may be records: Markdown, AsciiDoc, reStructuredText and Org. A README is a record only where a folder is one: `2026-06-10-new-name/README.md`. */
async function recordsIn(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => byCodeUnit(a.name, b.name))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < DEEPEST && !entry.name.startsWith(".") && entry.name !== "node_modules")
      found.push(...(await recordsIn(path, depth + 1)));
    if (!entry.isFile() || !RECORD.test(entry.name)) continue;
    const isOwn = /^readme\.\w+$/i.test(entry.name) && depth > 0 && /\d{2,}/.test(relative(join(folder, ".."), folder));
    if (isOwn || !NO_RECORD.test(entry.name)) found.push(path);
  }
  return found;
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
