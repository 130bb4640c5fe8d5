import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { readdir } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { readRecord } from "./workspace-record.js";

export interface WorkspaceLimits {
  /** Workspaces there may be at once, spare ones included. */
  readonly count: number;
  readonly bytes: number;
  /** Bytes that must stay free on the disk. */
  readonly freeBytes: number;
  /** Bytes that one salvage may keep; a workspace with more stays. */
  readonly salvageBytes: number;
}

export const WORKSPACE_LIMITS: WorkspaceLimits = {
  count: 64,
  bytes: 50 * 1024 ** 3,
  freeBytes: 512 * 1024 ** 2,
  salvageBytes: 2 * 1024 ** 3,
};

/**
 * Contract: throws WORKSPACE_FAILED when one workspace more would be too many. It may be tried again where other
 * attempts only have to end first; a full disk stays full until a person makes room.
 */
export async function refuseBeyond(root: string, limits: WorkspaceLimits, spareBytes: number): Promise<void> {
  const folders = (await readdir(root)).filter((name) => !name.startsWith("trash~"));
  const records = await Promise.all(folders.map((name) => readRecord(join(root, name))));
  const bytes = records.reduce((sum, record) => sum + (record?.bytes ?? 0), spareBytes);
  const { bavail, bsize } = await statfs(root);
  const beyond = beyondWhat(limits, folders.length, bytes, bavail * bsize, root);
  if (beyond === null) return;
  throw new CoordinatorError("WORKSPACE_FAILED", `No workspace is made: ${beyond}.`, {
    retryable: folders.length > 0 && bavail * bsize >= limits.freeBytes,
    fix: "Make room, run coordinator clean, wait for attempts to end, or name another place (workspace.folder).",
  });
}

function beyondWhat(limits: WorkspaceLimits, count: number, bytes: number, free: number, root: string): string | null {
  if (count >= limits.count) return `there are ${count} workspaces already, and ${limits.count} may be there at once`;
  if (bytes >= limits.bytes)
    return `the workspaces take ${megabytes(bytes)}, and ${megabytes(limits.bytes)} are allowed`;
  if (free < limits.freeBytes)
    return `only ${megabytes(free)} are free on the disk of ${root}, and ${megabytes(limits.freeBytes)} must stay free`;
  return null;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MB`;
}
