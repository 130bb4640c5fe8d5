import { setTimeout as wait } from "node:timers/promises";
import type { Finding } from "./finding.js";
import { contentOf, type Content } from "./content.js";
import { type BytePath, shownPath, type Tree, type TreeEntry } from "../git/records.js";
import type { Survey, SurveyEntry } from "./watch/survey.js";

/** The state of a workspace when it was handed over, to know what need not be read again. */
export interface Pristine {
  readonly stats: ReadonlyMap<BytePath, string>;
}

interface Found {
  readonly entry: SurveyEntry;
  readonly content: Content;
}

export interface Comparison {
  /** New or different from the reference. */
  readonly written: readonly Found[];
  readonly deleted: readonly BytePath[];
  readonly findings: readonly Finding[];
}

// A file changed this shortly before the workspace was handed over could have been changed again in the same tick of
// the clock: it is read.
const DOUBT_MS = 100;

// Reading so many files takes longer than waiting until none is in doubt.
const MOST_IN_DOUBT = 500;

/**
 * Notes the state of a workspace that is handed over now, or as soon as few of its files are in doubt.
 *
 * Contract: called with the survey of a workspace no agent has seen yet, in which nothing runs.
 */
export async function pristineOf(found: Survey): Promise<Pristine> {
  const latest = Date.now();
  const doubtful = found.entries.filter(({ changedMs }) => changedMs >= latest - DOUBT_MS);
  const last = doubtful.reduce((most, { changedMs }) => Math.max(most, changedMs), 0);
  // A clock that was set back would have everybody wait: then the files are read.
  if (doubtful.length > MOST_IN_DOUBT && last <= latest) await wait(last + DOUBT_MS + 1 - latest);
  const handedOverMs = Date.now();
  const settled = found.entries.filter(({ changedMs }) => changedMs < handedOverMs - DOUBT_MS);
  return { stats: new Map(settled.map(({ path, stat }) => [path, stat])) };
}

/** The view that the files were made from, and those that cannot have changed since. */
export interface Untouched {
  readonly view: Tree;
  readonly pristine: Pristine | null;
}

/**
 * Compare what is there with a tree, path by path.
 *
 * Contract: every entry is looked at; unread are only those that no one can have changed since the workspace was handed
 * over, and what they hold is what the view says.
 */
export async function compare(
  entries: readonly SurveyEntry[],
  reference: Tree,
  format: string,
  { view, pristine }: Untouched,
): Promise<Comparison> {
  const written: Found[] = [];
  const findings: Finding[] = [];
  const there = new Set<BytePath>();
  for (const entry of entries) {
    const wanted = reference.get(entry.path);
    if (wanted !== undefined && pristine?.stats.get(entry.path) === entry.stat && same(view.get(entry.path), wanted)) {
      there.add(entry.path);
      continue;
    }
    const content = await contentOf(entry, format);
    if (content === null) {
      const gate = entry.kind === "special" ? "special_file" : "unreadable";
      const detail = gate === "special_file" ? "neither a file nor a link" : "cannot be read";
      findings.push({ gate, path: shownPath(entry.path), detail });
      continue;
    }
    there.add(entry.path);
    if (!same(content, wanted)) written.push({ entry, content });
  }
  return { written, deleted: [...reference.keys()].filter((path) => !there.has(path)), findings };
}

function same(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}
