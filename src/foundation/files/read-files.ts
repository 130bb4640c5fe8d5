import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync as listSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { type FileHandle, open, opendir as openFolder, readdir as list } from "node:fs/promises";
import { HAS_HANDLES, withPath, O_PATH } from "./hold-place.js";
import { isBelow } from "./is-below.js";
import { projectPathOf, realOf, STATE_FOLDER } from "./project-bounds.js";
import { leadsInto, leadsOut, notRegular, tooLong } from "./refusals.js";

/*
 * The one reader of files. A file of a project is read only when it is really there: a link that leads out of it is
 * refused before a byte is read, one that stays inside is followed. Wherever a file lies, it must be a regular one: a
 * pipe is not waited for, a device not read.
 *
 * INVARIANT: what was looked at is what is read. A handle that only names the file is opened first; its real path and its
 * kind are judged, and the file is opened through that handle.
 */

/** More than any file that is read as a whole needs: tapes of long runs are the largest. */
const MOST_BYTES = 256 * 1024 * 1024;

interface Named {
  /** The path to open to read it. */
  readonly path: string;
  readonly found: Stats;
  readonly letGo: () => void;
}

/** Contract: throws LINK_REFUSED for what leads out of a project, and what the system says when there is nothing. */
function nameFile(path: string, followLinks = true): Named {
  if (!HAS_HANDLES) return nameByPath(path, followLinks);
  const handle = openSync(path, O_PATH | (followLinks ? 0 : constants.O_NOFOLLOW));
  try {
    const inner = `/proc/self/fd/${handle}`;
    refuseStray(path, readlinkSync(inner));
    return { path: inner, found: fstatSync(handle), letGo: () => closeSync(handle) };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** Where there are no handles, opening must not wait; the opened file is checked before it is read. */
function nameByPath(path: string, followLinks: boolean): Named {
  const real = followLinks ? (realOf(path) ?? path) : path;
  refuseStray(path, real);
  const handle = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  return { path: real, found: fstatSync(handle), letGo: () => closeSync(handle) };
}

/** Folders that no file of a project is read from by way of a link: what they hold was not meant to be shown. */
const OWN_FOLDERS = [".git", STATE_FOLDER];

function refuseStray(path: string, real: string): void {
  const project = projectPathOf(path);
  if (project === null) return;
  const root = realOf(project.root) ?? project.root;
  if (!isBelow(real, root)) throw leadsOut(path, real);
  const names = real.slice(root.length).split("/");
  for (const folder of OWN_FOLDERS)
    if (names.includes(folder) && !project.names.includes(folder)) throw leadsInto(path, folder);
}

/** A pipe that anyone who started this process holds the other end of, as `/dev/stdin` is; a named one is not. */
function isInherited(inner: string, found: Stats): boolean {
  return HAS_HANDLES && found.isFIFO() && readlinkSync(inner).startsWith("pipe:[");
}

function withFile<T>(path: string, read: (inner: string) => T): T {
  const file = nameFile(path);
  try {
    if (!file.found.isFile() && !isInherited(file.path, file.found)) throw notRegular(path, file.found, "read");
    return read(file.path);
  } catch (error) {
    throw withPath(error, file.path, path);
  } finally {
    file.letGo();
  }
}

const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const flagsFor = (inner: string) =>
  HAS_HANDLES && readlinkSync(inner).startsWith("pipe:[") ? constants.O_RDONLY : READ;

/** A descriptor to read a file from. Contract: as `readFile`; the caller closes it. */
function openToReadSync(path: string): number {
  return withFile(path, (inner) => openSync(inner, flagsFor(inner)));
}

interface LinkOptions {
  /** False: a link is not a regular file either, wherever it leads. */
  readonly followLinks?: boolean;
}

/** A handle to read a file from. Contract: as `readFile`; the caller closes it. */
export async function openToRead(path: string, { followLinks = true }: LinkOptions = {}): Promise<FileHandle> {
  const file = nameFile(path, followLinks);
  try {
    if (!file.found.isFile() && !isInherited(file.path, file.found)) throw notRegular(path, file.found, "read");
    return await open(file.path, flagsFor(file.path));
  } catch (error) {
    throw withPath(error, file.path, path);
  } finally {
    file.letGo();
  }
}

/** The bytes of a file; null when there are more than `mostBytes`. Contract: as `readFile`. */
export async function readUpTo(path: string, mostBytes: number, links: LinkOptions = {}): Promise<Buffer | null> {
  const handle = await openToRead(path, links);
  try {
    const { size } = await handle.stat();
    if (size > mostBytes) return null;
    const chunks: Buffer[] = [];
    let total = 0;
    // A pipe and some files of the system have no size, and a file may grow: what is read is counted.
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.max(size + 1, 65_536)));
      if (bytesRead === 0) return Buffer.concat(chunks);
      total += bytesRead;
      if (total > mostBytes) return null;
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

function readUpToSync(path: string, mostBytes: number): Buffer | null {
  const handle = openToReadSync(path);
  try {
    const { size } = fstatSync(handle);
    if (size > mostBytes) return null;
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const buffer = Buffer.allocUnsafe(Math.max(size + 1, 65_536));
      const count = readSync(handle, buffer, 0, buffer.length, null);
      if (count === 0) return Buffer.concat(chunks);
      total += count;
      if (total > mostBytes) return null;
      chunks.push(buffer.subarray(0, count));
    }
  } finally {
    closeSync(handle);
  }
}

/**
 * A whole file, as `readFile` of Node.js gives it.
 *
 * Contract: throws LINK_REFUSED for one of a project that leads out of it, FILE_UNREADABLE for what is not a regular file or
 * is too large, and what the system says otherwise.
 */
export async function readFile(path: string): Promise<Buffer>;
export async function readFile(path: string, encoding: BufferEncoding): Promise<string>;
export async function readFile(path: string, encoding?: BufferEncoding): Promise<Buffer | string> {
  const bytes = await readUpTo(path, MOST_BYTES);
  if (bytes === null) throw tooLong(path, MOST_BYTES);
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

/** Reads a file synchronously. */
export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: BufferEncoding): string;
export function readFileSync(path: string, encoding?: BufferEncoding): Buffer | string {
  const bytes = readUpToSync(path, MOST_BYTES);
  if (bytes === null) throw tooLong(path, MOST_BYTES);
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

/** Lists a folder. Contract: as `readFile`; a folder of a project that leads out of it is not listed. */
export async function readdir(path: string): Promise<string[]>;
export async function readdir(path: string, options: { readonly withFileTypes: true }): Promise<Dirent[]>;
export async function readdir(path: string, options?: { readonly withFileTypes: true }): Promise<(string | Dirent)[]> {
  const folder = nameFile(path);
  try {
    return options === undefined ? await list(folder.path) : await list(folder.path, options);
  } catch (error) {
    throw withPath(error, folder.path, path);
  } finally {
    folder.letGo();
  }
}

/** Lists a folder synchronously. */
export function readdirSync(path: string): string[];
export function readdirSync(path: string, options: { readonly withFileTypes: true }): Dirent[];
export function readdirSync(path: string, options?: { readonly withFileTypes: true }): (string | Dirent)[] {
  const folder = nameFile(path);
  try {
    return options === undefined ? listSync(folder.path) : listSync(folder.path, options);
  } catch (error) {
    throw withPath(error, folder.path, path);
  } finally {
    folder.letGo();
  }
}

/** The entries of a folder one after the other, for one that may hold any number. Contract: as `readdir`. */
export async function opendir(path: string): Promise<Dir> {
  const folder = nameFile(path);
  try {
    return await openFolder(folder.path);
  } catch (error) {
    throw withPath(error, folder.path, path);
  } finally {
    folder.letGo();
  }
}
