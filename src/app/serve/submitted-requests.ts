import { join } from "node:path";
import { z } from "zod";
import { readdirSync } from "../../foundation/files/read-files.js";
import { rmSync } from "../../foundation/files/write-files-sync.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import { DateTime } from "../../model/primitives.js";
import { UserRequest } from "../../model/request.js";
import { InputType } from "../../model/routing.js";
import { Decider } from "../../model/run.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "./own-json.js";

/*
 * Requests that a server has accepted and that have no log yet, a file for each. They are durable before the person who asked is
 * told that the request was accepted, so that a server that dies while it plans loses none of them.
 */

const SubmittedRecord = z.strictObject({
  schema_version: z.literal("1.0.0"),
  request: UserRequest,
  by: z.string().optional(),
  type: InputType.optional(),
  /** How the person asked: in the dashboard or by a program. */
  via: Decider.shape.via,
  agent: z.string().optional(),
  /** The decision record it is asked by, as a path from the root of the project. */
  adr: z.string().optional(),
  submitted_at: DateTime,
});
export type SubmittedRecord = z.infer<typeof SubmittedRecord>;

const folderOf = ({ folder }: StateFolder) => join(folder, "submitted");

/** Contract: durable when it returns, without secrets. */
export function keepSubmitted(at: StateFolder, record: SubmittedRecord): void {
  makeStateFolder(at);
  writeOwnJson(fileOf(at, record.request.request_id), withoutSecrets(record));
}

export function forgetSubmitted(at: StateFolder, requestId: string): void {
  rmSync(fileOf(at, requestId), { force: true });
}

/** Contract: oldest first; what cannot be read stays where it is and is passed over. */
export function readSubmittedBefore(at: StateFolder): SubmittedRecord[] {
  let names: string[];
  try {
    names = readdirSync(folderOf(at)).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names
    .flatMap((name) => {
      try {
        return readOwnJson(join(folderOf(at), name), SubmittedRecord) ?? [];
      } catch (error) {
        if (error instanceof CoordinatorError) return [];
        throw error;
      }
    })
    .sort((a, b) => Date.parse(a.submitted_at) - Date.parse(b.submitted_at));
}

function fileOf(at: StateFolder, requestId: string): string {
  // INVARIANT: only a UUID becomes the name of a file.
  return join(folderOf(at), `${z.uuid().parse(requestId)}.json`);
}
