import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import type { z } from "zod";
import { readFileSync } from "../../foundation/files/read-files.js";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { CoordinatorError } from "../../model/errors.js";

/* Small JSON documents in the folders of the person, which nobody else may read. */

/** Contract: null when there is no file. Throws FILE_UNREADABLE for one that is not what the schema says. */
export function readOwnJson<T>(path: string, schema: z.ZodType<T>): T | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unreadableFile(path, (cause as Error).message, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadableFile(path, "it is not JSON", cause);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw unreadableFile(path, `${first?.path.join(".") ?? ""}: ${first?.message ?? "invalid"}`, read.error);
}

/** Contract: whole and durable when it returns, readable by its owner alone. Throws FILE_WRITE_FAILED. */
export function writeOwnJson(path: string, value: unknown): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, path);
  } catch (cause) {
    throw new CoordinatorError("FILE_WRITE_FAILED", `${path} cannot be written: ${(cause as Error).message}`, {
      cause,
      fix: "Check that its folder can be written to and has room.",
    });
  }
}

/** Contract: nothing where there is none. */
export function removeOwnJson(path: string): void {
  rmSync(path, { force: true });
}

function unreadableFile(path: string, why: string, cause: unknown): CoordinatorError {
  return new CoordinatorError("FILE_UNREADABLE", `${path} cannot be read: ${why}`, {
    cause,
    fix: "Put the file back from a copy, or remove it to begin with an empty one.",
  });
}
