import type { Comparison } from "./changes.js";
import { contentOf } from "./content.js";
import { type BytePath, readTree, shownPath, type TreeEntry } from "../git/records.js";
import { findIgnored } from "./ignored.js";
import type { Site } from "./import.js";
import { gitRefuses } from "./git-names.js";
import { type SurveyEntry, survey } from "./watch/survey.js";

/*
 * Files in a workspace beside those of its view before an agent works in it: output of the project's setup. It
 * is never part of a change, ignored by git or not, as long as it is as it was.
 */
export interface Given {
  /** New and different files and links, by what changes whenever their content may have changed. */
  readonly stats: ReadonlyMap<BytePath, string>;
  /** Contents of those that git would see. */
  readonly contents: ReadonlyMap<BytePath, TreeEntry>;
  /** Files of the view that setup took away. */
  readonly gone: ReadonlySet<BytePath>;
  /** Repositories inside of the workspace. */
  readonly nested: ReadonlySet<BytePath>;
  /** The topmost names of new files, as people read them. */
  readonly names: readonly string[];
}

export const NOTHING_GIVEN: Given = {
  stats: new Map(),
  contents: new Map(),
  gone: new Set(),
  nested: new Set(),
  names: [],
};

/** Beyond this a file that was written anew with the same content counts as changed: reading all of them takes too long. */
const MOST_READ = 512 * 1024 * 1024;

/**
 * Contract: called when nothing runs in the workspace, and no agent has been in it. `work` are paths that hold somebody's
 * work already, which an attempt goes on with: they are not given.
 */
export async function readGiven(
  site: Pick<Site, "quarantine" | "path" | "viewCommit" | "pristine">,
  work: ReadonlySet<string> = new Set(),
): Promise<Given> {
  const { quarantine, path, viewCommit, pristine } = site;
  const view = await readTree(quarantine.git, quarantine.gitDir, viewCommit);
  const found = await survey(path, [".git"]);
  try {
    const isWork = (at: BytePath) => work.size > 0 && work.has(shownPath(at));
    const fresh = found.entries.filter((entry) => !view.has(entry.path) && !isWork(entry.path));
    const asked = fresh.map((entry) => entry.path).filter((at) => !gitRefuses(shownPath(at), "file"));
    const ignored = await findIgnored(quarantine, path, asked);
    const touched = found.entries.filter(
      (entry) => view.has(entry.path) && !isWork(entry.path) && pristine?.stats.get(entry.path) !== entry.stat,
    );
    const contents = new Map<BytePath, TreeEntry>();
    const different: SurveyEntry[] = [];
    let left = MOST_READ;
    for (const entry of [...touched, ...fresh.filter((each) => !ignored.has(each.path))]) {
      left -= entry.size;
      const content = left < 0 ? null : await contentOf(entry, quarantine.objectFormat);
      const before = view.get(entry.path);
      if (content === null || (content.oid === before?.oid && content.mode === before.mode)) continue;
      contents.set(entry.path, content);
      if (before !== undefined) different.push(entry);
    }
    const there = new Set(found.entries.map((entry) => entry.path));
    const folders = foldersOf(view.keys());
    return {
      stats: new Map([...fresh, ...different].map((entry) => [entry.path, entry.stat])),
      contents,
      gone: new Set([...view.keys()].filter((at) => !there.has(at) && !isWork(at))),
      nested: new Set(found.nested),
      names: [...new Set(fresh.map((entry) => shownPath(findTopmost(entry.path, folders))))],
    };
  } finally {
    found.close();
  }
}

/** Removes unchanged output of setup from a difference. */
export function withoutGiven(difference: Comparison, given: Given): Comparison {
  return {
    ...difference,
    written: difference.written.filter(({ entry, content }) => {
      const before = given.contents.get(entry.path);
      return before?.oid !== content.oid || before.mode !== content.mode;
    }),
    deleted: difference.deleted.filter((path) => !given.gone.has(path)),
  };
}

/** Every folder that holds one of these paths. */
export function foldersOf(paths: Iterable<BytePath>): Set<BytePath> {
  const folders = new Set<BytePath>();
  for (const path of paths)
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

/** The first part of a path that is in none of these folders. */
export function findTopmost(path: BytePath, folders: ReadonlySet<BytePath>): BytePath {
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
    if (!folders.has(path.slice(0, at))) return path.slice(0, at);
  return path;
}
