import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readdirSync, readFileSync } from "../../foundation/files/read-files.js";
import { mkdirSync, renameSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import type { StoredRecords } from "../../hands/store/event-store.js";
import type { StateFolder } from "../project/state-folder.js";

/* Records beside the logs that are moved. */

const ENDING = ".json";
const folderOf = ({ folder }: StateFolder, runId: string) => join(folder, "records", runId);

/** Contract: everything this machine has of the run is in the store afterwards, as far as the store takes it. */
export async function shareRecords(at: StateFolder, runId: string, records: StoredRecords): Promise<void> {
  const folder = folderOf(at, runId);
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder))
    if (file.endsWith(ENDING))
      await records.put(runId, file.slice(0, -ENDING.length), readFileSync(join(folder, file)));
}

/** Contract: what the store has of the run is here afterwards, in place of what this machine had from before another one took it over. */
export async function fetchRecords(at: StateFolder, runId: string, records: StoredRecords): Promise<void> {
  const folder = folderOf(at, runId);
  for (const name of await records.names(runId)) {
    const path = join(folder, `${name}${ENDING}`);
    // A name is one that this program made of a record's name: it has no separator in it.
    if (!/^[A-Za-z0-9._#%-]+$/.test(name)) continue;
    const content = await records.get(runId, name);
    if (content === null || (existsSync(path) && readFileSync(path).equals(content))) continue;
    mkdirSync(folder, { recursive: true });
    const draft = `${path}.${randomUUID()}.next`;
    writeFileSync(draft, content, { flag: "wx", flush: true });
    renameSync(draft, path);
  }
}
