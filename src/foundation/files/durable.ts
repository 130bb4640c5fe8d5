import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import * as fs from "node:fs/promises";
import { withoutKeys } from "./known-secrets.js";
import { open } from "./write-files.js";

/* Makes bytes of a file and names in a folder survive a loss of power. */

export interface WriteOptions {
  readonly flag?: string;
  readonly mode?: number;
  readonly encoding?: BufferEncoding;
}

/** Contract: the bytes are on the disk when it resolves, none of this process's keys among them. The name is there only when its folder is synced too. */
export async function writeSynced(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  const { flag = "w", mode, encoding = "utf8" } = options;
  const file = await open(path, flag, mode);
  try {
    await file.writeFile(withoutKeys(text), encoding);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file that was made or renamed is only there after a crash when its folder was synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder synchronously, for callers that must not yield in between. */
export function syncFolderNow(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
