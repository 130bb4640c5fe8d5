import { realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { isBelow } from "../../foundation/files/is-below.js";
import { readFile, readdir } from "../../foundation/files/read-files.js";
import { byCodeUnit } from "../../model/by-code-unit.js";

/** Where projects keep their records, as the tools for them do by default. */
export const FOLDERS = [
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

/** The files of a project, or of one folder, that may be records. Contract: a file that is linked to is named once; a relative folder is taken from `cwd`. */
export async function findRecordFiles(
  dir: string,
  cwd: string,
): Promise<{ readonly folders: readonly string[]; readonly files: readonly string[] }> {
  const folders = await foldersOf(dir, cwd);
  const found: string[] = [];
  const entered = new Set<string>();
  for (const folder of folders) found.push(...(await recordsIn(folder, 0, entered, cwd)));
  const files = new Map<string, string>();
  for (const file of found) {
    const place = resolve(cwd, file);
    const real = await realpath(place).catch(() => place);
    // The file itself is named before a link to it.
    if (!files.has(real) || relative(real, place) === "") files.set(real, file);
  }
  return { folders, files: [...files.values()] };
}

async function foldersOf(dir: string, cwd: string): Promise<readonly string[]> {
  const named = await readFile(resolve(cwd, dir, ".adr-dir"), "utf8").then(
    (text) => text.trim(),
    () => "",
  );
  // A folder that a project names must be inside of it.
  const isInside = named !== "" && isBelow(resolve(cwd, dir, named), resolve(cwd, dir));
  const places = [...(isInside ? [named] : []), ...FOLDERS].map((folder) => join(dir, folder));
  const there: string[] = [];
  for (const place of places) if (!there.includes(place) && (await isFolder(resolve(cwd, place)))) there.push(place);
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

export function mayBeRecord(name: string): boolean {
  return RECORD.test(name) && !NO_RECORD.test(name);
}

/**
 * Files of a folder that may be records: Markdown, AsciiDoc, reStructuredText and Org. A README is a record only where a
 * folder is one: `2026-06-10-new-name/README.md`. Links are followed; what is gone by now is left to anyone who reads it.
 */
async function recordsIn(folder: string, depth: number, entered: Set<string>, cwd: string): Promise<readonly string[]> {
  const place = resolve(cwd, folder);
  // Links may lead in a circle.
  const real = await realpath(place).catch(() => place);
  if (entered.has(real)) return [];
  entered.add(real);
  const entries = await readdir(place).catch(() => []);
  const found: string[] = [];
  for (const name of entries.toSorted(byCodeUnit)) {
    const path = join(folder, name);
    const kind = await kindOf(join(place, name));
    if (kind === "folder" && depth < DEEPEST && !name.startsWith(".") && name !== "node_modules")
      found.push(...(await recordsIn(path, depth + 1, entered, cwd)));
    if ((kind !== "file" && kind !== "gone") || !RECORD.test(name)) continue;
    const isOwn = /^readme\.\w+$/i.test(name) && depth > 0 && /\d{2,}/.test(basename(place));
    if (isOwn || !NO_RECORD.test(name)) found.push(path);
  }
  return found;
}

async function kindOf(path: string): Promise<"file" | "folder" | "gone" | "other"> {
  return stat(path).then(
    (entry) => (entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other"),
    () => "gone",
  );
}
