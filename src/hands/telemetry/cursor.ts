import { join } from "node:path";
import { z } from "zod";
import { readFileSync } from "../../foundation/files/read-files.js";
import { mkdirSync, renameSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { LogKey } from "../../model/run.js";

/*
 * Up to which event the spans of a run were taken by a collector, and the same for what was counted. The next process that
 * carries the run out sends what comes behind: nothing is left out, and nothing is sent twice but what was on its way when a
 * process was killed, which has the same ids again.
 */

const Cursor = z.object({ traces: z.int().min(0), metrics: z.int().min(0) });
export type Cursor = z.infer<typeof Cursor>;

const NONE: Cursor = { traces: 0, metrics: 0 };

/** Contract: the beginning for one that is not there or damaged. */
export function readCursor(stateFolder: string, runId: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(readFileSync(fileOf(stateFolder, runId), "utf8")));
  } catch {
    return NONE;
  }
}

/** Contract: whole or not at all. */
export function writeCursor(stateFolder: string, runId: string, cursor: Cursor): void {
  const file = fileOf(stateFolder, runId);
  mkdirSync(folderOf(stateFolder), { recursive: true });
  writeFileSync(`${file}.draft`, JSON.stringify(cursor));
  renameSync(`${file}.draft`, file);
}

const folderOf = (stateFolder: string) => join(stateFolder, "telemetry");

function fileOf(stateFolder: string, runId: string): string {
  // INVARIANT: only the id of a log becomes the name of a file.
  return join(folderOf(stateFolder), `${LogKey.parse(runId)}.json`);
}
