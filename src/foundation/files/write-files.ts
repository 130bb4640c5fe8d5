import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { holdPlace, withPath, O_PATH, HAS_HANDLES, refuseLinkAt } from "./hold-place.js";
import { projectPathOf } from "./project-bounds.js";
import { notRegular } from "./refusals.js";
import { withoutFollowing } from "./open-flags.js";

/*
 * The one writer of files: the functions of `node:fs/promises` under their own names. A file of a project is written
 * without following a link anywhere below the root; what lies elsewhere, as Node.js does it.
 *
 * INVARIANT: no other module calls these functions of Node.js (`test/architecture/files.test.ts`).
 */

async function atPlace<T>(path: string, act: (inner: string) => Promise<T>): Promise<T> {
  const place = holdPlace(path);
  try {
    return await act(place.path);
  } catch (error) {
    throw withPath(error, place.path, path);
  } finally {
    place.letGo();
  }
}

/** A place whose last name must not be a link either. */
function atPlainPlace<T>(path: string, act: (inner: string) => Promise<T>): Promise<T> {
  return atPlace(path, (inner) => {
    if (projectPathOf(path) !== null) refuseLinkAt(inner, path);
    return act(inner);
  });
}

/** Contract: as `open` of Node.js; in a project, a link is refused and so is everything but a regular file. */
export function open(path: string, flags: string | number, mode?: number): Promise<fs.FileHandle> {
  if (projectPathOf(path) === null) return fs.open(path, flags, mode);
  return atPlainPlace(path, async (inner) => {
    const file = await fs.open(inner, withoutFollowing(flags), mode);
    const found = await file.stat();
    if (found.isFile()) return file;
    await file.close();
    throw notRegular(path, found, "write");
  });
}

export interface WriteFileOptions {
  readonly encoding?: BufferEncoding;
  readonly mode?: number;
  readonly flag?: string;
}

export async function writeFile(
  path: string,
  data: string | Uint8Array,
  { encoding = "utf8", mode, flag = "w" }: WriteFileOptions = {},
): Promise<void> {
  const file = await open(path, flag, mode);
  try {
    await file.writeFile(data, encoding);
  } finally {
    await file.close();
  }
}

export async function appendFile(path: string, data: string): Promise<void> {
  await writeFile(path, data, { flag: "a" });
}

/** Contract: as `mkdir` of Node.js, but for what it gives back. */
export async function mkdir(
  path: string,
  options: { readonly recursive?: boolean; readonly mode?: number } = {},
): Promise<void> {
  const { recursive = false, mode } = options;
  const place = holdPlace(path, recursive ? { ...(mode !== undefined && { mode }) } : null);
  try {
    if (place.path === path && projectPathOf(path) === null) return void (await fs.mkdir(path, { recursive, mode }));
    refuseLinkAt(place.path, path);
    await fs.mkdir(place.path, { mode });
  } catch (error) {
    if (!recursive || (error as NodeJS.ErrnoException).code !== "EEXIST") throw withPath(error, place.path, path);
    if (refuseLinkAt(place.path, path)?.isDirectory() !== true) throw withPath(error, place.path, path);
  } finally {
    place.letGo();
  }
}

/** Contract: as `rename` of Node.js; in a project, a link that stands at the new name is refused, not replaced. */
export function rename(from: string, to: string): Promise<void> {
  return atPlace(from, (source) => atPlainPlace(to, (target) => fs.rename(source, target)));
}

export function link(from: string, to: string): Promise<void> {
  return atPlainPlace(from, (source) => atPlace(to, (target) => fs.link(source, target)));
}

/** Contract: as `rm` of Node.js: a link is removed, not what it leads to. */
export function rm(
  path: string,
  options: { readonly recursive?: boolean; readonly force?: boolean } = {},
): Promise<void> {
  return orMissing(options.force === true, () => atPlace(path, (inner) => fs.rm(inner, options)));
}

/** A path to remove by force may be in a folder that does not exist. */
async function orMissing(mayMiss: boolean, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!mayMiss || (code !== "ENOENT" && code !== "ENOTDIR")) throw error;
  }
}

export function copyFile(from: string, to: string): Promise<void> {
  return atPlainPlace(to, (target) => fs.copyFile(from, target));
}

/** Copy a folder. Contract: as `cp` of Node.js; the filter sees the paths that were named. */
export function cp(from: string, to: string, filter: (path: string) => boolean): Promise<void> {
  return atPlainPlace(from, (source) =>
    atPlainPlace(to, (target) => fs.cp(source, target, { recursive: true, filter: (path) => filter(path) })),
  );
}

export function symlink(target: string | Buffer, path: string): Promise<void> {
  return atPlace(path, (inner) => fs.symlink(target, inner));
}

/** Contract: as `chmod` of Node.js; in a project, a link is refused. */
export function chmod(path: string, mode: number): Promise<void> {
  return atPlainPlace(path, async (inner) => {
    if (!HAS_HANDLES || projectPathOf(path) === null) return fs.chmod(inner, mode);
    const file = await fs.open(inner, O_PATH | constants.O_NOFOLLOW);
    try {
      await fs.chmod(`/proc/self/fd/${file.fd}`, mode);
    } finally {
      await file.close();
    }
  });
}
