import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { CoordinatorError } from "../../model/errors.js";
import { isBelow } from "./is-below.js";

/*
 * Which paths belong to a project that this process works on. A clone is not trusted: what is read or written below its
 * root must not lead out of it, so every reader and writer asks here first.
 */

/** The folder below a project's root that this program keeps its state in. */
export const STATE_FOLDER = ".coordinator";
const DATABASE = join(STATE_FOLDER, "runs.db");
const SETTINGS = "coordinator.yaml";

/** A path inside of a project: its root, and the names that lead from there to the path. */
export interface ProjectPath {
  readonly root: string;
  readonly names: readonly string[];
}

/**
 * The root of the project somebody stands in: the nearest folder with runs, else with settings, up to the root of the
 * repository, and else that; outside of any repository, where they stand.
 */
export function findRoot(from: string): string {
  const { start, top, settled } = waysUp(from);
  return settled ?? top ?? start;
}

interface WaysUp {
  readonly start: string;
  /** The root of the repository; null outside of one. */
  readonly top: string | null;
  /** The nearest folder with runs or settings. */
  readonly settled: string | null;
}

function waysUp(from: string): WaysUp {
  const start = resolve(from);
  const way = [start];
  for (let at = start; !existsSync(join(at, ".git")) && dirname(at) !== at; at = dirname(at)) way.push(dirname(at));
  const last = way.at(-1) ?? start;
  const holding = (name: string) => way.find((at) => existsSync(join(at, name)));
  return {
    start,
    top: existsSync(join(last, ".git")) ? last : null,
    settled: holding(DATABASE) ?? holding(SETTINGS) ?? null,
  };
}

const named = new Set<string>();
const entered = new Set<string>();

/**
 * From now on the project of this folder bounds its own files, whatever other projects this process works on and wherever
 * the process stands: a link must not lead from one of them to another.
 */
export function enterBounds(cwd: string): void {
  const bounds = boundsAt(cwd);
  if (bounds === null) return;
  entered.add(realOf(bounds) ?? bounds);
  aliases.clear();
}

/**
 * From now on this folder is a project too: for commands that work on another one than where they were started. One that
 * holds a home directory is none: everything in that would be its own.
 */
export function addProject(root: string): void {
  const real = realOf(root) ?? resolve(root);
  if (holdsHome(real)) return;
  named.add(real);
  aliases.clear();
}

function holdsHome(folder: string): boolean {
  return isBelow(realOf(homedir()) ?? homedir(), folder);
}

/**
 * The project a path lies in, taken by its name and not by where links lead. Null for a path of no known project.
 *
 * Known are the projects that were entered, the project of the current directory, those that were added, and, whatever was added, every folder with a
 * state folder on the path: that one is written to by this program alone.
 */
export function projectPathOf(path: string): ProjectPath | null {
  const whole = resolve(path);
  const own = [...entered].filter((root) => isBelow(whole, root)).sort((a, b) => b.length - a.length)[0];
  if (own !== undefined) return { root: own, names: namesBelow(own, whole) };
  const roots = knownRoots();
  const outermost = roots.filter((root) => isBelow(whole, root)).sort((a, b) => a.length - b.length)[0];
  if (outermost !== undefined) return { root: outermost, names: namesBelow(outermost, whole) };
  const names = whole.split(sep);
  const state = names.indexOf(STATE_FOLDER);
  if (state > 0) return { root: names.slice(0, state).join(sep) || sep, names: names.slice(state) };
  return roots.length + entered.size === 0 ? null : throughAlias(whole, new Set([...roots, ...entered]));
}

/** A path that a file of the project names, from its root. Contract: throws LINK_REFUSED when it leads out. */
export function pathInside(root: string, path: string): string {
  const whole = resolve(root, path);
  if (isBelow(whole, resolve(root))) return whole;
  throw new CoordinatorError("LINK_REFUSED", `${path} leads out of the project.`, {
    fix: "Write a path inside of the project; find out which file of it names this one.",
  });
}

function namesBelow(root: string, whole: string): string[] {
  return relative(root, whole)
    .split(sep)
    .filter((name) => name !== "");
}

/** Whether a folder is the root of a project under another name; remembered, since most paths are asked for often. */
const aliases = new Map<string, boolean>();
const MOST_ALIASES = 4096;

/** A path may reach the root by links above it, as through `/tmp` on macOS. */
function throughAlias(whole: string, roots: ReadonlySet<string>): ProjectPath | null {
  for (let at = dirname(whole); dirname(at) !== at; at = dirname(at)) {
    let isRoot = aliases.get(at);
    if (isRoot === undefined) {
      if (aliases.size >= MOST_ALIASES) aliases.clear();
      isRoot = roots.has(realOf(at) ?? "");
      aliases.set(at, isRoot);
    }
    if (isRoot) return { root: realOf(at) ?? at, names: namesBelow(at, whole) };
  }
  return null;
}

let here: { readonly cwd: string; readonly root: string | null } | null = null;

function knownRoots(): string[] {
  const cwd = currentDirectory();
  if (cwd !== null && here?.cwd !== cwd) {
    here = { cwd, root: boundsAt(cwd) };
    aliases.clear();
  }
  return here?.root == null || cwd === null ? [...named] : [...named, here.root];
}

/**
 * How far the project of a folder reaches: the whole repository, because files above a nested project decide for it too.
 * A repository that a home directory is kept in holds more than one project: there it is the project alone.
 */
export function findBounds(cwd: string): string | null {
  const { top, settled } = waysUp(cwd);
  return top !== null && !holdsHome(top) ? top : settled;
}

/** Outside of any project, the folder itself: what is written there is not written through links either. */
function boundsAt(cwd: string): string | null {
  const start = resolve(cwd);
  return findBounds(start) ?? (holdsHome(start) ? null : start);
}

function currentDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

export function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
