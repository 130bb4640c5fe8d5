import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import { HAS_HANDLES, holdPlace, withPath, O_PATH, refuseLinkAt } from "./hold-place.js";
import { withoutFollowing } from "./open-flags.js";
import { projectPathOf } from "./project-bounds.js";
import { notRegular } from "./refusals.js";

/* The one writer of files for callers that must not yield in between. Its rules are those of `write-files.ts`. */

function atPlace<T>(path: string, act: (inner: string) => T): T {
  const place = holdPlace(path);
  try {
    return act(place.path);
  } catch (error) {
    throw withPath(error, place.path, path);
  } finally {
    place.letGo();
  }
}

function atPlainPlace<T>(path: string, act: (inner: string) => T): T {
  return atPlace(path, (inner) => {
    if (projectPathOf(path) !== null) refuseLinkAt(inner, path);
    return act(inner);
  });
}

/** Contract: as `openSync` of Node.js; in a project, a link is refused and so is everything but a regular file. */
export function openSync(path: string, flags: string | number, mode?: number): number {
  if (projectPathOf(path) === null) return fs.openSync(path, flags, mode);
  return atPlainPlace(path, (inner) => {
    const file = fs.openSync(inner, withoutFollowing(flags), mode);
    const found = fs.fstatSync(file);
    if (found.isFile()) return file;
    fs.closeSync(file);
    throw notRegular(path, found, "write");
  });
}

export interface WriteNowOptions {
  readonly mode?: number;
  readonly flag?: string;
  /** The bytes are on the disk when it returns. */
  readonly flush?: boolean;
}

export function writeFileSync(
  path: string,
  data: string | Uint8Array,
  { mode, flag = "w", flush = false }: WriteNowOptions = {},
): void {
  const file = openSync(path, flag, mode);
  try {
    fs.writeFileSync(file, data);
    if (flush) fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Contract: as `mkdirSync` of Node.js; gives back the topmost folder that was made, undefined when none was. */
export function mkdirSync(
  path: string,
  { recursive = false, mode }: { readonly recursive?: boolean; readonly mode?: number } = {},
): string | undefined {
  if (projectPathOf(path) === null) return fs.mkdirSync(path, { recursive, mode });
  const top = recursive ? missingFrom(path) : undefined;
  const place = holdPlace(path, recursive ? { ...(mode !== undefined && { mode }) } : null);
  try {
    refuseLinkAt(place.path, path);
    fs.mkdirSync(place.path, { mode });
  } catch (error) {
    if (!recursive || (error as NodeJS.ErrnoException).code !== "EEXIST") throw withPath(error, place.path, path);
    if (refuseLinkAt(place.path, path)?.isDirectory() !== true) throw withPath(error, place.path, path);
  } finally {
    place.letGo();
  }
  return top;
}

/** The topmost folder on the way that is not there. */
function missingFrom(path: string): string | undefined {
  let top: string | undefined;
  for (let at = resolve(path); !fs.existsSync(at) && dirname(at) !== at; at = dirname(at)) top = at;
  return top;
}

/** Contract: as `renameSync` of Node.js; in a project, a link that stands at the new name is refused, not replaced. */
export function renameSync(from: string, to: string): void {
  atPlace(from, (source) => atPlainPlace(to, (target) => fs.renameSync(source, target)));
}

export function linkSync(from: string, to: string): void {
  atPlainPlace(from, (source) => atPlace(to, (target) => fs.linkSync(source, target)));
}

/** Contract: as `rmSync` of Node.js: a link is removed, not what it leads to. */
export function rmSync(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): void {
  try {
    atPlace(path, (inner) => fs.rmSync(inner, options));
  } catch (error) {
    // A path to remove by force may be in a folder that does not exist.
    const { code } = error as NodeJS.ErrnoException;
    if (options.force !== true || (code !== "ENOENT" && code !== "ENOTDIR")) throw error;
  }
}

/** An empty folder. */
export function rmdirSync(path: string): void {
  atPlainPlace(path, (inner) => fs.rmdirSync(inner));
}

export function copyFileSync(from: string, to: string): void {
  atPlainPlace(to, (target) => fs.copyFileSync(from, target));
}

export function symlinkSync(target: string, path: string): void {
  atPlace(path, (inner) => fs.symlinkSync(target, inner));
}

/** A new folder whose name begins with the path and ends by chance. */
export function mkdtempSync(path: string): string {
  return atPlace(path, (inner) => path + fs.mkdtempSync(inner).slice(inner.length));
}

export function chmodSync(path: string, mode: number): void {
  changeThroughHandle(path, (inner) => fs.chmodSync(inner, mode));
}

export function chownSync(path: string, user: number, group: number): void {
  changeThroughHandle(path, (inner) => fs.chownSync(inner, user, group));
}

export function lchownSync(path: string, user: number, group: number): void {
  atPlace(path, (inner) => fs.lchownSync(inner, user, group));
}

/** Changes what belongs to a file and not to its name: in a project through a handle, and never through a link. */
function changeThroughHandle(path: string, act: (inner: string) => void): void {
  atPlainPlace(path, (inner) => {
    if (!HAS_HANDLES || projectPathOf(path) === null) return act(inner);
    const file = fs.openSync(inner, O_PATH | fs.constants.O_NOFOLLOW);
    try {
      act(`/proc/self/fd/${file}`);
    } finally {
      fs.closeSync(file);
    }
  });
}
