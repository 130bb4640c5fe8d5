import { readFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/*
 * What is known of a workspace without looking into it. The record stands beside the workspace, never in it: an agent
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
  const file = await open(next, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(record, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
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

/** A process beyond its number, as one word: numbers are used again. */
export function ownerOf(pid: number): string {
  return `${pid}-${startTime(pid) ?? "0"}-${bootId()}`;
}

/** Contract: without /proc a live process with the same number counts as the owner: too much is kept, never too little. */
export function ownerLives(owner: string): boolean {
  const [pid = "", started = "", boot = ""] = owner.split("-");
  if (bootId() === "") return numberLives(Number(pid));
  return boot === bootId() && startTime(Number(pid)) === started;
}

function numberLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim().replaceAll("-", "");
  } catch {
    return "";
  }
}
