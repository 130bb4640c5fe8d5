import { constants } from "node:fs";
import { chmod, lstat, open, readdir, statfs } from "node:fs/promises";

/*
 * How much an agent puts on disk while it works: bytes and files of its home and of its workspace, and what is left of
 * the disk. Counted again and again, and never in the way: between two looks there is a pause many times as long as the
 * look took. So a limit is passed by as much as can be written in between.
 */

export interface SizeLimit {
  /** How it is called in what people read. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Files, folders and links together. */
  readonly files: number;
  /** The limits are for what is added to what was there at the beginning. */
  readonly added: boolean;
}

export interface SizeReached {
  readonly what: "size" | "disk";
  readonly message: string;
}

export interface SizeWatch {
  /** Contract: nothing is reported after it resolved. */
  readonly stop: () => Promise<void>;
}

interface Size {
  readonly bytes: number;
  readonly files: number;
}

const PAUSE_MS = 300;
const PAUSES_PER_LOOK = 8;

/** Contract: `onReached` is called once at most. A failure to look is not a failure of the work. It keeps no process alive. */
export function watchSize(
  limits: readonly SizeLimit[],
  freeBytes: number,
  onReached: (reached: SizeReached) => void,
): SizeWatch {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const before = new Map<string, Size>();

  const look = async () => {
    for (const limit of limits) {
      const { bytes, files } = before.get(limit.path) ?? NOTHING;
      const now = await measure(limit.path, { bytes: bytes + limit.bytes, files: files + limit.files }, () => stopped);
      const reached = now === null ? null : excess(limit, { bytes: now.bytes - bytes, files: now.files - files });
      if (reached !== null) return reached;
    }
    return diskExcess(limits, freeBytes);
  };
  const again = async () => {
    const began = performance.now();
    const reached = await look().catch(() => null);
    if (stopped) return;
    if (reached !== null) {
      stopped = true;
      return onReached(reached);
    }
    const pause = Math.max(PAUSE_MS, PAUSES_PER_LOOK * (performance.now() - began));
    timer = setTimeout(() => void (looking = again()), pause);
    timer.unref();
  };
  const begin = async () => {
    for (const { path, added } of limits)
      if (added) before.set(path, (await measure(path, ENDLESS, () => stopped).catch(() => null)) ?? NOTHING);
    await again();
  };
  looking = begin();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

const NOTHING: Size = { bytes: 0, files: 0 };
const ENDLESS: Size = { bytes: Infinity, files: Infinity };

function excess({ name, bytes, files, added }: SizeLimit, now: Size): SizeReached | null {
  const more = added ? " more than it was given" : "";
  if (now.bytes > bytes)
    return { what: "size", message: `${name} holds more than ${megabytes(bytes)}${more}, which is its limit` };
  if (now.files > files)
    return { what: "size", message: `${name} holds more than ${files} files${more}, which is its limit` };
  return null;
}

async function diskExcess(limits: readonly SizeLimit[], freeBytes: number): Promise<SizeReached | null> {
  for (const { path } of limits) {
    const { bavail, bsize } = await statfs(path);
    if (bavail * bsize < freeBytes)
      return {
        what: "disk",
        message: `only ${megabytes(bavail * bsize)} are free on the disk of ${path}, and ${megabytes(freeBytes)} must stay free`,
      };
  }
  return null;
}

/**
 * Measures a folder, until it is more than `enough`; null when it was stopped. Links are counted and
 * not followed.
 */
export async function measure(
  folder: string,
  enough: Size,
  isStopped: () => boolean = () => false,
): Promise<Size | null> {
  let bytes = 0;
  let files = 0;
  const open: Buffer[] = [Buffer.from(folder)];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const here = at;
    const entries = await namesIn(here);
    // Nested so deep that it cannot be named: nobody can say any more how much that is.
    if (entries === null) return { bytes, files: Infinity };
    for (let i = 0; i < entries.length; i += AT_ONCE) {
      const sizes = await Promise.all(
        entries.slice(i, i + AT_ONCE).map(async (entry) => {
          // Names are bytes: one that is not text must not be out of sight.
          const path = Buffer.concat([here, SEPARATOR, entry.name]);
          if (entry.isDirectory()) open.push(path);
          // Gone meanwhile: it does not count.
          return (await lstat(path).catch(() => null))?.blocks ?? 0;
        }),
      );
      files += sizes.length;
      bytes += sizes.reduce((sum, blocks) => sum + blocks * 512, 0);
      if (isStopped()) return null;
      if (bytes > enough.bytes || files > enough.files) return { bytes, files };
    }
  }
  return { bytes, files };
}

const AT_ONCE = 64;
const SEPARATOR = Buffer.from("/");

/** A folder that its owner may not read is made readable: what lies in it must not be out of sight. */
async function namesIn(folder: Buffer) {
  const list = () => readdir(folder, { withFileTypes: true, encoding: "buffer" });
  try {
    return await list();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENAMETOOLONG") return null;
    return code === "EACCES" && (await madeReadable(folder)) ? list().catch(() => []) : [];
  }
}

const O_PATH = 0o10000000;

async function madeReadable(folder: Buffer): Promise<boolean> {
  if (process.platform !== "linux") return false;
  try {
    // Opened without following a link, and changed by that handle: anyone who puts a link there meanwhile gains nothing.
    const handle = await open(folder, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
    try {
      await chmod(`/proc/self/fd/${handle.fd}`, 0o700);
      return true;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MB`;
}
