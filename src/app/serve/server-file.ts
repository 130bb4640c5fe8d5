import { join } from "node:path";
import { z } from "zod";
import { readdirSync } from "../../foundation/files/read-files.js";
import { rmSync } from "../../foundation/files/write-files-sync.js";
import { isAlive, ownIdentity } from "../../foundation/processes/process-identity.js";
import { stateDirectory } from "../../hands/workspace/state-places.js";
import { CoordinatorError } from "../../model/errors.js";
import { DateTime } from "../../model/primitives.js";
import { readOwnJson, writeOwnJson } from "./own-json.js";

/*
 * How commands of the same person find a server that works: a file for each server in the person's state folder, which
 * only they may read. It names the process, where it listens on this machine, a secret for its programs, and its projects.
 */

const ServerRecord = z.strictObject({
  schema_version: z.literal("1.0.0"),
  pid: z.int(),
  start_time: z.string(),
  boot_id: z.string(),
  /** Where programs on this machine reach it. */
  local_url: z.string(),
  /** Where browsers reach it. */
  url: z.string(),
  secret: z.string(),
  projects: z.array(z.string()),
  started_at: DateTime,
});
export type ServerRecord = z.infer<typeof ServerRecord>;

const folderIn = (environment: NodeJS.ProcessEnv) => {
  const state = stateDirectory(environment);
  return state === null ? null : join(state, "server", "running");
};

/** Say that this process serves. Contract: durable when it returns. Returns how to take it back. */
export function announceServer(
  server: Omit<ServerRecord, "schema_version" | "pid" | "start_time" | "boot_id">,
  environment: NodeJS.ProcessEnv,
): () => void {
  const folder = folderIn(environment);
  if (folder === null) return () => undefined;
  const { pid, start_time, boot_id } = ownIdentity();
  const file = join(folder, `${pid}.json`);
  writeOwnJson(file, { schema_version: "1.0.0", pid, start_time, boot_id, ...server });
  return () => rmSync(file, { force: true });
}

/** The servers whose process lives. Contract: files of others are removed, and what cannot be read is passed over. */
export function runningServers(environment: NodeJS.ProcessEnv): ServerRecord[] {
  const folder = folderIn(environment);
  if (folder === null) return [];
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      const found = readOwnJson(join(folder, name), ServerRecord);
      if (found !== null && isAlive(found)) return [found];
      rmSync(join(folder, name), { force: true });
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
    }
    return [];
  });
}

/** The server that serves the project at `root`; null when none does. */
export function serverOf(root: string, environment: NodeJS.ProcessEnv): ServerRecord | null {
  return runningServers(environment).find(({ projects }) => projects.includes(root)) ?? null;
}
