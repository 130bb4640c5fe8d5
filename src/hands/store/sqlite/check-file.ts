import { statSync } from "node:fs";
import { readFileSync } from "../../../foundation/files/read-files.js";
import { writeFileSync } from "../../../foundation/files/write-files-sync.js";
import { bootId } from "../../../foundation/processes/proc.js";
import { CoordinatorError } from "../../../model/errors.js";
import type { Database } from "./driver.js";
import { pragma } from "./migrate.js";

/*
 * Is the file whole? SQLite reads all of it to say so, which takes seconds for a log of a million events. Files up to
 * some size are read at every opening; a larger one once a day, after each start of the machine, and when it is another
 * file or has become smaller. When it was read stands beside it, in `runs.db.checked`, which may be deleted at any time.
 */

const SMALL_BYTES = 16 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Checked {
  readonly inode: number;
  readonly bytes: number;
  readonly boot_id: string;
  readonly at_ms: number;
}

/** Contract: throws STORE_CORRUPT for a file that was found to be damaged. */
export function checkFile(database: Database, path: string, smallBytes = SMALL_BYTES): void {
  const { ino: inode, size: bytes } = statSync(path);
  const now: Checked = { inode, bytes, boot_id: bootId(), at_ms: Date.now() };
  if (bytes > smallBytes && holdsStill(readChecked(path), now)) return;
  const found = pragma(database, "quick_check");
  if (found !== "ok")
    throw new CoordinatorError("STORE_CORRUPT", `The store ${path} is damaged: ${found}`, {
      fix: "Put back a copy of the file, with its -wal file if there is one, or move it away to begin a new store.",
    });
  if (bytes > smallBytes) remember(path, now);
}

function holdsStill(checked: Checked | null, now: Checked): boolean {
  if (checked === null || checked.inode !== now.inode || checked.boot_id !== now.boot_id) return false;
  const age = now.at_ms - checked.at_ms;
  return now.bytes >= checked.bytes && age >= 0 && age < DAY_MS;
}

function readChecked(path: string): Checked | null {
  try {
    return JSON.parse(readFileSync(nameOf(path), "utf8")) as Checked | null;
  } catch {
    return null;
  }
}

function remember(path: string, checked: Checked): void {
  try {
    writeFileSync(nameOf(path), `${JSON.stringify(checked)}\n`, { mode: 0o600 });
  } catch {
    // It is checked again then.
  }
}

const nameOf = (path: string) => `${path}.checked`;
