import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readUpTo } from "./read-files.js";

/* Readers that do not read the same file again: what was judged once and what is used afterwards are the same bytes. */

/** The bytes of a file; null when there are more than `mostBytes`. Contract: as `readUpTo`. */
export type ReadBytes = (path: string, mostBytes: number) => Promise<Buffer | null>;

export interface OnceReader {
  readonly read: ReadBytes;
  /** The next read of this file reads it again: for a file that this process wrote itself. */
  readonly forget: (path: string) => void;
}

/**
 * A reader that reads each file once, for as long as it is used.
 *
 * Contract: a file that could not be read is not read again either; every caller gets the same error.
 */
export function readOnce(read: ReadBytes = readUpTo): OnceReader {
  const known = new Map<string, { readonly most: number; readonly bytes: Promise<Buffer | null> }>();
  return {
    read: async (path, mostBytes) => {
      const key = resolve(path);
      const before = known.get(key);
      const bytes = await before?.bytes;
      // One that was too large for another caller may be small enough for this one.
      if (before !== undefined && (bytes != null || before.most >= mostBytes))
        return bytes != null && bytes.length > mostBytes ? null : (bytes ?? null);
      const reading = read(path, mostBytes);
      known.set(key, { most: mostBytes, bytes: reading });
      return reading;
    },
    forget: (path) => void known.delete(resolve(path)),
  };
}

/** A file that changed more recently than this is not kept: its next change might carry the same time. */
const SETTLED_MS = 2000;

/**
 * A reader that reads a file again only when it has changed, for a process that lives long.
 *
 * Contract: as `readUpTo`. A change is seen by the file's identity, size and times.
 */
export function readWhenChanged(read: ReadBytes = readUpTo, now: () => number = Date.now): ReadBytes {
  const known = new Map<string, { readonly stamp: string; readonly bytes: Buffer }>();
  return async (path, mostBytes) => {
    const key = resolve(path);
    const found = await stat(key, { bigint: true }).catch(() => null);
    const stamp = found === null ? "" : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
    const before = known.get(key);
    if (before?.stamp === stamp && before.bytes.length <= mostBytes) return before.bytes;
    known.delete(key);
    const bytes = await read(path, mostBytes);
    const settled = found !== null && now() - Number(found.ctimeMs) > SETTLED_MS;
    if (bytes !== null && settled) known.set(key, { stamp, bytes });
    return bytes;
  };
}
