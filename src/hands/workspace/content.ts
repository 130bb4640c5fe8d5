import { createHash } from "node:crypto";
import { readlink } from "node:fs/promises";
import { Readable } from "node:stream";
import { CoordinatorError } from "../../model/errors.js";
import type { Cgit } from "../git/cgit.js";
import { onDisk, openRegular } from "./path-safety.js";
import type { SurveyEntry } from "./watch/survey.js";

/*
 * Bytes between a workspace and git's objects, exactly as they are: no line ends, no keywords, no encodings and no
 * filters are converted, whatever attributes say, so that nothing is lost and nothing is run.
 */

export interface Content {
  readonly mode: "100644" | "100755" | "120000";
  readonly oid: string;
  readonly size: number;
  readonly binary: boolean;
}

const CHUNK = 1024 * 1024;
const LOOKED_AT = 8000;

/**
 * Computes the object id that git would give this file or link. Contract: null when it cannot be read as one. While an agent still works there,
 * `force` must be false: it could put a link where permissions are about to be changed.
 */
export async function contentOf(entry: SurveyEntry, format: string, force = true): Promise<Content | null> {
  if (entry.kind === "special") return null;
  const hash = createHash(format);
  if (entry.kind === "symlink") {
    const target = await readlink(onDisk(entry.place), { encoding: "buffer" }).catch(() => null);
    if (target === null) return null;
    hash.update(`blob ${target.length}\0`).update(target);
    return { mode: "120000", oid: hash.digest("hex"), size: target.length, binary: false };
  }
  hash.update(`blob ${entry.size}\0`);
  let binary = false;
  let size = 0;
  for await (const chunk of bytesOf(entry, force)) {
    if (chunk === null) return null;
    if (size < LOOKED_AT && chunk.subarray(0, LOOKED_AT - size).includes(0)) binary = true;
    size += chunk.length;
    hash.update(chunk);
  }
  return { mode: entry.executable ? "100755" : "100644", oid: hash.digest("hex"), size, binary };
}

/** Yields null, once and last, when the file cannot be read or is not as long as it was. */
async function* bytesOf(entry: SurveyEntry, force: boolean): AsyncGenerator<Buffer | null> {
  const file = await openRegular(entry.place, force);
  if (file === null) {
    yield null;
    return;
  }
  try {
    let left = entry.size;
    while (left > 0) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, left));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) {
        yield null;
        return;
      }
      left -= bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } catch {
    yield null;
  } finally {
    await file.close();
  }
}

/** Write these files and links as blobs, with one process of git however many they are. */
export async function writeBlobs(git: Cgit, gitDir: string, entries: readonly SurveyEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await git.must("Keeping the files of a workspace", {
    gitDir,
    args: ["fast-import", "--quiet", "--done", "--date-format=raw"],
    input: Readable.from(blobCommands(entries), { objectMode: false }),
    timeoutMs: 600_000,
  });
}

async function* blobCommands(entries: readonly SurveyEntry[]): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    if (entry.kind === "symlink") {
      const target = await readlink(onDisk(entry.place), { encoding: "buffer" });
      yield Buffer.concat([Buffer.from(`blob\ndata ${target.length}\n`), target, Buffer.from("\n")]);
      continue;
    }
    yield Buffer.from(`blob\ndata ${entry.size}\n`);
    for await (const chunk of bytesOf(entry, true)) {
      if (chunk === null)
        throw new CoordinatorError("WORKSPACE_FAILED", "A file changed while it was read.", { retryable: true });
      yield chunk;
    }
    yield Buffer.from("\n");
  }
  yield Buffer.from("done\n");
}

/** One more blob, for what is written about a workspace rather than found in it. */
export async function writeText(git: Cgit, gitDir: string, text: string): Promise<string> {
  const args = ["hash-object", "-w", "--no-filters", "--stdin"];
  return (await git.must("Writing a blob", { gitDir, args, input: text })).toString("latin1").trim();
}
