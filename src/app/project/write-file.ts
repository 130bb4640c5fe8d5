import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { chmod, mkdir, open, rename, rm, writeFile } from "../../foundation/files/write-files.js";
import { requireOwnPlace } from "../../foundation/files/own-places.js";
import { projectPathOf } from "../../foundation/files/project-bounds.js";
import { writeSynced } from "../../foundation/files/durable.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";

/** Write a file as a whole: anyone who reads it sees the old content or the new, never a part. */
export async function writeWhole(file: string, text: string): Promise<void> {
  requireOwnPlace(file);
  // A link of one's own stays a link, and what it leads to is replaced; in a project, links are refused.
  const target = projectPathOf(file) === null ? await realpath(file).catch(() => file) : file;
  const next = join(dirname(target), `.${basename(target)}.next`);
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeSynced(next, text);
    await rename(next, target);
  } catch (cause) {
    await rm(next, { force: true }).catch(() => undefined);
    throw cannotWrite(file, cause);
  }
}

/** Write a file that is not there yet. Returns false, and changes nothing, when one is. */
export async function writeNew(file: string, text: string): Promise<boolean> {
  requireOwnPlace(file);
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(file, "wx");
    try {
      await handle.writeFile(withoutKeys(text));
    } finally {
      await handle.close();
    }
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cannotWrite(file, cause);
  }
}

/**
 * Write a file that belongs to another program, as a whole and with the mode it has.
 *
 * Contract: byte for byte what is given: nothing is taken out, as what stands in it is its owner's.
 */
export async function writeForeign(file: string, text: string): Promise<void> {
  requireOwnPlace(file);
  const target = projectPathOf(file) === null ? await realpath(file).catch(() => file) : file;
  const next = join(dirname(target), `.${basename(target)}.next`);
  try {
    await mkdir(dirname(target), { recursive: true });
    const mode = (await stat(target).catch(() => null))?.mode;
    await writeFile(next, text, mode === undefined ? {} : { mode: mode & 0o777 });
    if (mode !== undefined) await chmod(next, mode & 0o777);
    await rename(next, target);
  } catch (cause) {
    await rm(next, { force: true }).catch(() => undefined);
    throw cannotWrite(file, cause);
  }
}

/** Remove a file that this program made. */
export async function removeMade(file: string): Promise<void> {
  requireOwnPlace(file);
  await rm(file, { force: true });
}

/** A file could not be written; what was there before is still there. */
function cannotWrite(file: string, cause: unknown): CoordinatorError {
  if (cause instanceof CoordinatorError) return cause;
  return new CoordinatorError("FILE_WRITE_FAILED", `Cannot write ${file}: ${(cause as Error).message}`, {
    cause,
    fix: "Check that its folder can be written to and has room.",
  });
}
