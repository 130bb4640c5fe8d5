import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import { join, sep } from "node:path";
import type { BytePath } from "../git/records.js";

/*
 * Looking into and removing what an agent has left behind: links are never followed, nothing waits on a pipe, and
 * names may be any bytes.
 */

export const onDisk = (path: BytePath): Buffer => Buffer.from(path, "latin1");

/**
 * Open a file of an agent for reading.
 *
 * Contract: null when it is not a regular file (any more) or may not be read; a link is not followed, and a pipe is not
 * waited for. Permissions that only keep the owner out are widened when `force` says that nothing runs there any more.
 */
export async function openRegular(path: BytePath, force: boolean): Promise<FileHandle | null> {
  const file = (await openNoFollow(path)) ?? (force ? await openForced(path) : null);
  if (file === null) return null;
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

async function openForced(path: BytePath): Promise<FileHandle | null> {
  try {
    // INVARIANT: chmod follows links, so it is asked for regular files only; nobody is left who could swap it.
    const found = await lstat(onDisk(path));
    if (!found.isFile()) return null;
    await chmod(onDisk(path), (found.mode & 0o777) | 0o400);
  } catch {
    return null;
  }
  return openNoFollow(path);
}

async function openNoFollow(path: BytePath): Promise<FileHandle | null> {
  try {
    return await open(onDisk(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

/** Contract: true only when the path exists and, with every link resolved, is the root or lies below it. */
export async function isInside(root: string, path: string): Promise<boolean> {
  try {
    const [outer, inner] = await Promise.all([realpath(root), realpath(path)]);
    return inner === outer || inner.startsWith(`${outer}${sep}`);
  } catch {
    return false;
  }
}

/**
 * Remove a folder and all that is in it, without following a link.
 *
 * Folders are moved up beside each other before they are emptied, so that neither depth nor length of a path matters.
 * Contract: never rejects; says what could not be removed. Safe to call again on what is left.
 */
export async function removeTree(folder: string): Promise<readonly string[]> {
  const left: string[] = [];
  const noteLeft = (path: string) => (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") left.push(`${path}: ${(error as Error).message}`);
  };
  const top = await lstat(folder).catch(() => null);
  if (top === null) return left;
  if (!top.isDirectory()) {
    await unlink(folder).catch(noteLeft(folder));
    return left;
  }
  // INVARIANT: a name that cannot be guessed. A folder that an agent put where we move folders to would pass for one of them.
  const own = `.removing-${randomUUID()}`;
  const beside = join(folder, own);
  await makeEnterable(folder);
  await mkdir(beside, { mode: 0o700 }).catch(noteLeft(beside));
  let next = 0;
  const waiting: string[] = [];
  const empty = async (path: string, keep?: string) => {
    await makeEnterable(path);
    const names = await readdir(Buffer.from(path), { withFileTypes: true, encoding: "buffer" }).catch(
      (error: unknown) => {
        noteLeft(path)(error);
        return [];
      },
    );
    for (const entry of names) {
      const name = entry.name.toString("latin1");
      if (name === keep) continue;
      const child = Buffer.concat([Buffer.from(`${path}${sep}`), entry.name]);
      const shown = `${path}${sep}${entry.name.toString("utf8")}`;
      if (!entry.isDirectory()) {
        await unlink(child).catch(noteLeft(shown));
        continue;
      }
      const moved = join(beside, String(next++));
      try {
        await makeEnterable(child);
        await rename(child, moved);
        waiting.push(moved);
      } catch (error) {
        noteLeft(shown)(error);
      }
    }
  };
  await empty(folder, own);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    await empty(path);
    await rmdir(path).catch(noteLeft(path));
  }
  await rmdir(beside).catch(noteLeft(beside));
  await rmdir(folder).catch(noteLeft(folder));
  return left;
}

/**
 * Remove something in a workspace, as `removeTree` does.
 *
 * Contract: what a link stands on the way to is left: it lies elsewhere.
 */
export async function removeInside(root: string, path: string): Promise<readonly string[]> {
  const way = await plainWay(root, path);
  return way === null ? [`${path}: a link is on the way to it`] : removeTree(way);
}

/** Contract: the place of a path below the root; null when it leads elsewhere or a link stands on the way to it. */
export async function plainWay(root: string, path: string): Promise<string | null> {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.length === 0 || parts.includes("..")) return null;
  let at = root;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    if ((await lstat(at).catch(() => null))?.isSymbolicLink() === true) return null;
  }
  return join(at, parts.at(-1) as string);
}

/** A folder nobody may enter or write cannot be emptied; its owner may change that. */
async function makeEnterable(path: string | Buffer): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true && (found.mode & 0o700) !== 0o700) await chmod(path, 0o700).catch(() => undefined);
}
