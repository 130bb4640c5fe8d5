import type { Dirent } from "node:fs";
import { join } from "node:path";
import { opendir, readUpTo } from "../../foundation/files/read-files.js";
import type { RepositoryFacts } from "../../model/request.js";
import { dependencyNames } from "./dependency-names.js";

export interface ScanLimits {
  /** Files and folders that are seen in all. */
  readonly entries: number;
  /** Folders below the repository that are entered. */
  readonly depth: number;
  /** Entries of one folder that are looked at. */
  readonly entriesOfFolder: number;
  readonly manifests: number;
  readonly manifestBytes: number;
  readonly dependencies: number;
}

export interface Scanned {
  /** Null when there is no such folder or it cannot be read. */
  readonly facts: RepositoryFacts | null;
  /** Notes on skipped files, for the person who asks. */
  readonly notes: readonly string[];
}

const LIMITS: ScanLimits = {
  entries: 5_000,
  depth: 6,
  entriesOfFolder: 10_000,
  manifests: 50,
  manifestBytes: 512 * 1024,
  dependencies: 2_000,
};
const MOST_NOTES = 5;
const LONGEST_PATH = 4_096;

/** Folders that hold what others made, or what a build made. */
const NOT_THE_PROJECT = new Set(
  (
    "node_modules bower_components vendor Pods third_party site-packages " +
    "dist build target out coverage DerivedData __pycache__ " +
    ".git .hg .svn .venv venv .tox .next .nuxt .gradle .terraform .cache"
  ).split(" "),
);

/** Folders that use the project or try it: a page in an example or a test does not make a library for servers a frontend. */
const USES_THE_PROJECT =
  /^(?:_?examples?|samples?|demos?|playgrounds?|(?:__)?(?:fixtures?|tests?)(?:__)?|test-?data|e2e|bench(?:es|marks?)?)$/i;

/**
 * See of which kind a repository is: its files by their names, and what its manifests depend on.
 *
 * Contract: nothing is changed or run, links are not followed, and the work is bounded however large the folder is.
 * Folders nearer to the top come first. A file that cannot be read is skipped with a note; this never throws.
 */
export async function scanRepository(root: string, limits: Partial<ScanLimits> = {}): Promise<Scanned> {
  const most = { ...LIMITS, ...limits };
  const notes = new Notes();
  const files = await listFiles(root, most, notes);
  if (files === null) return { facts: null, notes: notes.all() };
  const dependencies = await readManifests(root, files, most, notes);
  return { facts: { files, dependencies }, notes: notes.all() };
}

async function listFiles(root: string, most: ScanLimits, notes: Notes): Promise<string[] | null> {
  const files: string[] = [];
  let seen = 0;
  let level = [""];
  for (let depth = 0; depth <= most.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const entries = await readFolder(root, folder, most.entriesOfFolder, notes);
      if (entries === null && folder === "") return null;
      for (const entry of entries ?? []) {
        if (NOT_THE_PROJECT.has(entry.name)) continue;
        if (entry.isDirectory() && USES_THE_PROJECT.test(entry.name)) continue;
        if (seen === most.entries) {
          notes.add(`only the first ${most.entries} entries of ${root} were looked at`);
          return files;
        }
        seen++;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        // A link is neither: what it leads to is not looked at.
        if (path.length > LONGEST_PATH) continue;
        if (entry.isDirectory()) next.push(path);
        if (entry.isFile()) files.push(path);
      }
    }
    level = next;
  }
  return files;
}

/** The entries of a folder in the order of their names, or null when it cannot be read. */
async function readFolder(root: string, folder: string, most: number, notes: Notes): Promise<Dirent[] | null> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(join(root, folder))) {
      if (entries.length === most) {
        notes.add(`only ${most} entries of ${join(root, folder)} were looked at`);
        break;
      }
      entries.push(entry);
    }
  } catch (error) {
    notes.add(`${join(root, folder)} cannot be read and is passed over: ${reasonOf(error)}`);
    return null;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readManifests(
  root: string,
  files: readonly string[],
  most: ScanLimits,
  notes: Notes,
): Promise<string[]> {
  const names = new Set<string>();
  let read = 0;
  for (const file of files) {
    const namesIn = dependencyNames(file);
    if (namesIn === null || read === most.manifests) continue;
    read++;
    const text = await readManifest(join(root, file), most.manifestBytes, notes);
    for (const name of text === null ? [] : namesIn(text)) if (names.size < most.dependencies) names.add(name);
  }
  return [...names];
}

async function readManifest(path: string, mostBytes: number, notes: Notes): Promise<string | null> {
  try {
    const bytes = await readUpTo(path, mostBytes, { followLinks: false });
    if (bytes === null) notes.add(`${path} is larger than ${mostBytes} bytes and is passed over`);
    return bytes?.toString("utf8").replace(/^\uFEFF/, "") ?? null;
  } catch (error) {
    notes.add(`${path} cannot be read and is passed over: ${reasonOf(error)}`);
    return null;
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known: Readonly<Record<string, string>> = {
    ENOENT: "it is not there",
    ENOTDIR: "it is not a folder",
    EACCES: "permission is denied",
    EPERM: "permission is denied",
  };
  return known[code] ?? (error instanceof Error ? error.message : String(error));
}

/** A few notes and the number of the others. */
class Notes {
  readonly #notes: string[] = [];
  #left = 0;

  add(note: string): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(note);
    else this.#left++;
  }

  all(): string[] {
    return this.#left === 0 ? this.#notes : [...this.#notes, `and ${this.#left} more`];
  }
}
