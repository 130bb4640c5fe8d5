import { join } from "node:path";
import { readdirSync } from "../../foundation/files/read-files.js";
import { mkdirSync, rmSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * The runs that a server works on, an empty file for each. A server that was stopped or killed leaves them, and the next
 * one resumes exactly these: a run that a person stopped at a terminal stays stopped.
 */

const folderOf = ({ folder }: StateFolder) => join(folder, "served");
const ID = /^(?:run|req)_[A-Za-z0-9_-]{1,80}$/;

/** Contract: names that are not ids of runs are passed over. */
export function servedRuns(at: StateFolder): string[] {
  try {
    return readdirSync(folderOf(at)).filter((name) => ID.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export function keepServedRun(at: StateFolder, runId: string): void {
  makeStateFolder(at);
  mkdirSync(folderOf(at), { recursive: true });
  writeFileSync(fileOf(at, runId), "");
}

export function forgetServedRun(at: StateFolder, runId: string): void {
  rmSync(fileOf(at, runId), { force: true });
}

function fileOf(at: StateFolder, runId: string): string {
  // INVARIANT: only what is an id of a run or a request becomes the name of a file.
  if (!ID.test(runId)) throw new TypeError(`${runId} is not an id of a run`);
  return join(folderOf(at), runId);
}
