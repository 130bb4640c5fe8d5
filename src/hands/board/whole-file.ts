import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { readFile } from "../../foundation/files/read-files.js";
import { link, mkdir, rename, rm } from "../../foundation/files/write-files.js";
import { requireOwnPlace } from "../../foundation/files/own-places.js";
import { syncFolder, writeSynced } from "../../foundation/files/durable.js";
import { CoordinatorError } from "../../model/errors.js";

/** The bytes of a file, one character for each; null when there is none. */
export async function readBytes(path: string): Promise<string | null> {
  try {
    return await readFile(path, "latin1");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_UNREADABLE", `Cannot read ${path}: ${(cause as Error).message}`, {
      cause,
      fix: "Check what is there; board files are plain files.",
    });
  }
}

/** How text is written as bytes. */
export const asBytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

/**
 * Write a file whole, if it still holds what was read: somebody may have saved it meanwhile.
 *
 * Contract: durable, and true, or nothing was changed, and false. Anyone who reads it sees the old or the new. Throws
 * LINK_REFUSED when the file or a folder on the way is a link: a repository can hold links to other files of its owner.
 */
export async function replaceBytes(path: string, expected: string | null, bytes: string): Promise<boolean> {
  return withDraft(path, bytes, async (draft) => {
    if ((await readBytes(path)) !== expected) return false;
    await rename(draft, path);
    return true;
  });
}

/** Write a file that is not there yet. Contract: false, and nothing changed, when one is. */
export function createBytes(path: string, bytes: string): Promise<boolean> {
  return withDraft(path, bytes, async (draft) => {
    try {
      await link(draft, path);
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw cause;
    }
  });
}

async function withDraft(path: string, bytes: string, put: (draft: string) => Promise<boolean>): Promise<boolean> {
  requireOwnPlace(path);
  const folder = dirname(path);
  const draft = join(folder, `.${basename(path)}.${randomUUID()}.next`);
  try {
    await mkdir(folder, { recursive: true });
    await writeSynced(draft, bytes, { flag: "wx", encoding: "latin1" });
    const done = await put(draft);
    await syncFolder(folder);
    return done;
  } catch (cause) {
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_WRITE_FAILED", `Cannot write ${path}: ${(cause as Error).message}`, {
      cause,
      fix: "Check that its folder can be written to and has room, or switch it off: `board` in coordinator.yaml.",
    });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
