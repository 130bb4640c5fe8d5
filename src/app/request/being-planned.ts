import { dirname, join } from "node:path";
import { z } from "zod";
import { writeSynced } from "../../foundation/files/durable.js";
import { readFile } from "../../foundation/files/read-files.js";
import { mkdir } from "../../foundation/files/write-files.js";
import { isAlive, ownIdentity } from "../../foundation/processes/process-identity.js";
import type { StateFolder } from "../project/state-folder.js";

/*
 * Which process plans a request. A request whose process has ended can be planned by the next one that is asked the same;
 * one that is being planned is left alone.
 */

const Identity = z.object({ pid: z.int(), start_time: z.string(), boot_id: z.string() });

const fileOf = ({ folder }: StateFolder, record: string) => join(folder, "records", record, "planning.json");

/** Say that this process plans the request. */
export async function markAsPlanned(at: StateFolder, record: string): Promise<void> {
  const file = fileOf(at, record);
  await mkdir(dirname(file), { recursive: true });
  await writeSynced(file, JSON.stringify(ownIdentity()));
}

/** Contract: false for a request that nobody has marked, and for a mark that cannot be read. */
export async function isBeingPlanned(at: StateFolder, record: string): Promise<boolean> {
  try {
    return isAlive(Identity.parse(JSON.parse(await readFile(fileOf(at, record), "utf8"))));
  } catch {
    return false;
  }
}
