import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileGlob } from "../../../foundation/globs/glob.js";
import { contentOf } from "../content.js";
import { type BytePath, readTree, shownPath, type Tree } from "../../git/records.js";
import { findIgnored } from "../ignored.js";
import { gitRefuses } from "../git-names.js";
import type { Quarantine } from "../quarantine.js";
import { type Seen, startWatcher } from "../../sandbox/watch/watcher.js";
import { surveyFile } from "./survey.js";

/*
 * Watches for writes outside of the scope while an agent works, so that it need not work on until its end for nothing. The
 * gate over the whole result decides; this only knows sooner. So nothing counts here that the gate would accept: what
 * git ignores, what is as it was, what is gone again.
 */

/** A file that was given and is different on two looks is changed; one look could meet it half written. */
const AGAIN_MS = 30;
/**
 * A new file that stays this long, and for so many looks, is not a temporary file of some tool beside what it works on. A
 * machine that is slow for the tool that takes it away again is as slow for anyone who looks.
 */
const STAYS_MS = 1000;
const FOLDER_MS = 50;
const LOOK_MS = 20;
const STAYS_LOOKS = STAYS_MS / LOOK_MS;
const MOST_SUSPECTS = 20_000;
const MOST_AT_ONCE = 2000;
const LARGEST_IGNORE_FILE = 1024 * 1024;

export interface ScopeWatch {
  /** Contract: resolves when what was given is watched, or when there is nothing to watch; never rejects. */
  readonly ready: Promise<void>;
  /** Contract: nothing is reported after it resolved. */
  readonly stop: () => Promise<void>;
}

export interface WatchedSite {
  readonly quarantine: Quarantine;
  readonly path: string;
  readonly viewCommit: string;
}

interface Suspect {
  readonly kind: "known" | "new" | "folder";
  readonly since: number;
  /** Looked at, and different. */
  differs: boolean;
  /** How often it was passed over as too young. */
  looks: number;
  /** Something happened to it since it was last looked at. */
  again: boolean;
}

/**
 * Watches a workspace for what the gate over its result would refuse as outside of the scope.
 *
 * Contract: `onViolation` is called at most once, with a path that no pattern of `write` matches. A failure to watch is
 * no failure of the work.
 */
export async function watchScope(
  { quarantine, path: root, viewCommit }: WatchedSite,
  write: readonly string[],
  ignore: readonly string[],
  onViolation: (path: string) => void,
): Promise<ScopeWatch> {
  if (isCovered("", write)) return { ready: Promise.resolve(), stop: async () => undefined };
  const allowed = write.map(compileGlob);
  const isAllowed = (path: string) => allowed.some((matches) => matches(path));
  const view = await readTree(quarantine.git, quarantine.gitDir, viewCommit);
  const folders = foldersOf(view);
  const suspects = new Map<string, Suspect>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let over = false;

  const suspect = (path: string, kind: Suspect["kind"]) => {
    const known = suspects.get(path);
    if (known !== undefined) known.again = true;
    if (over || known !== undefined || suspects.size >= MOST_SUSPECTS) return;
    suspects.set(path, { kind, since: performance.now(), differs: false, looks: 0, again: false });
    timer ??= setTimeout(look, kind === "known" ? 0 : LOOK_MS);
  };
  const hear = ({ path, kind }: Seen) => {
    const bytes = bytesOf(path);
    if (view.has(bytes)) return suspect(path, "known");
    if (kind === "folder") return suspect(path, "folder");
    if (kind === "file") return suspect(path, "new");
    // A folder that was moved away took all its files with it.
    if (!folders.has(path)) return;
    for (const at of view.keys()) {
      const shown = shownPath(at);
      if (shown.startsWith(`${path}/`) && !isAllowed(shown)) return suspect(shown, "known");
    }
  };
  const watcher = startWatcher(
    { root, write, ignore: [".git", ...ignore] },
    [...folders].filter((folder) => !isCovered(folder, write)),
    (report) => {
      if (report.type === "seen") report.paths.forEach(hear);
    },
  );

  const look = () => {
    looking = lookOnce()
      .catch(() => undefined)
      .then(() => {
        timer = !over && suspects.size > 0 ? setTimeout(look, LOOK_MS) : undefined;
      });
  };
  const reportViolation = (path: string) => {
    if (over) return;
    over = true;
    onViolation(path);
  };

  async function lookOnce(): Promise<void> {
    const now = performance.now();
    for (const [path, it] of suspects) {
      if (over) return;
      if (it.kind !== "known" || (it.differs && now - it.since < AGAIN_MS)) continue;
      it.again = false;
      const different = await differs(path);
      if (different && it.differs) return reportViolation(path);
      it.differs = different;
      // Written to while it was read: what was read may be what stood there before.
      if (!different && !it.again) suspects.delete(path);
    }
    const due = [...suspects].filter(([, it]) => it.kind !== "known" && isDue(it, now)).slice(0, MOST_AT_ONCE);
    for (const [path] of due) suspects.delete(path);
    const there = due.filter(([path, { kind }]) => isThere(join(root, path), kind));
    const asked = there.map(([path]) => path).filter((path) => !gitRefuses(path, "file"));
    // Git would open these by itself: what is not a file of a sensible size is for the gate alone.
    if (!asked.every((path) => ignoreFilesAreSafe(root, path))) return;
    const ignored = await findIgnored(quarantine, root, asked.map(bytesOf));
    for (const [path, { kind }] of there) {
      if (ignored.has(bytesOf(path))) continue;
      if (kind === "folder") watcher.enter(path);
      else if (isThere(join(root, path), kind)) return reportViolation(path);
    }
  }

  async function differs(path: string): Promise<boolean> {
    const wanted = view.get(bytesOf(path));
    const entry = surveyFile(root, bytesOf(path));
    if (entry === null) return true;
    const content = await contentOf(entry, quarantine.objectFormat, false);
    return content === null || content.oid !== wanted?.oid || content.mode !== wanted.mode;
  }

  const stop = async () => {
    over = true;
    clearTimeout(timer);
    await watcher.stop();
    await looking;
  };
  return { ready: watcher.ready, stop };
}

function isDue(it: Suspect, now: number): boolean {
  if (it.kind === "folder") return now - it.since >= FOLDER_MS;
  return ++it.looks >= STAYS_LOOKS && now - it.since >= STAYS_MS;
}

const bytesOf = (path: string): BytePath => Buffer.from(path).toString("latin1");

/** Every folder of the view, by the names people read; the root is "". */
function foldersOf(view: Tree): Set<string> {
  const folders = new Set([""]);
  for (const path of view.keys())
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = shownPath(path.slice(0, at));
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

/** Whether everything in the folder may be written, so that there is nothing to see. */
function isCovered(folder: string, write: readonly string[]): boolean {
  return write.some((glob) => glob === "**" || (glob.endsWith("/**") && compileGlob(glob)(folder)));
}

function isThere(place: string, kind: Suspect["kind"]): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  // A pipe or a socket cannot become part of a change.
  return kind === "folder" ? stats.isDirectory() : stats.isFile() || stats.isSymbolicLink();
}

function ignoreFilesAreSafe(root: string, path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const stats = lstatSync(join(root, folder, ".gitignore"), { throwIfNoEntry: false });
    if (stats !== undefined && (!stats.isFile() || stats.size > LARGEST_IGNORE_FILE)) return false;
    if (folder === ".") return true;
  }
}
