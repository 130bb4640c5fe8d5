import { join } from "node:path";
import { z } from "zod";
import { readFile } from "../../foundation/files/read-files.js";
import { rename } from "../../foundation/files/write-files.js";
import { writeSynced } from "../../foundation/files/durable.js";
import { bootId } from "../../foundation/processes/proc.js";
import { identityOf, isAlive } from "../../foundation/processes/process-identity.js";

/*
 * The record of a workspace, read without looking into it. It is kept beside the workspace, never in it: an agent
 * can reach neither.
 */

export const WorkspaceRecord = z.strictObject({
  version: z.literal(1),
  run_id: z.string(),
  task_id: z.string(),
  attempt_id: z.string(),
  base: z.string(),
  view_commit: z.string(),
  view_key: z.string(),
  created_at: z.string(),
  bytes: z.number(),
  /** Files of the workspace's own repository as they were made. */
  git_files: z.array(z.string()),
  /** The commit it was imported as, once that is in the user's repository. */
  imported: z.string().nullable(),
  /** Nobody's work is ever in it: it was made to run checks in, and goes without being salvaged. */
  disposable: z.boolean().default(false),
  owner: z.string(),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

const NAME = "workspace.json";

/** Contract: a crash leaves the old record or the new one. */
export async function writeRecord(folder: string, record: WorkspaceRecord): Promise<void> {
  const next = join(folder, `${NAME}.next`);
  await writeSynced(next, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(next, join(folder, NAME));
}

/** Contract: null for a folder that holds no workspace of ours. */
export async function readRecord(folder: string): Promise<WorkspaceRecord | null> {
  try {
    return WorkspaceRecord.parse(JSON.parse(await readFile(join(folder, NAME), "utf8")));
  } catch {
    return null;
  }
}

/** A process as one word, for names of folders. */
export function ownerOf(pid: number): string {
  return `${pid}-${identityOf(pid)?.start_time ?? "0"}-${bootWord()}`;
}

/** Contract: without /proc a live process with the same number counts as the owner: too much is kept, never too little. */
export function ownerLives(owner: string): boolean {
  const [pid = "", start_time = "", boot = ""] = owner.split("-");
  return isAlive({ pid: Number(pid), start_time, boot_id: boot === bootWord() ? bootId() : boot });
}

function bootWord(): string {
  return bootId().replaceAll("-", "");
}
