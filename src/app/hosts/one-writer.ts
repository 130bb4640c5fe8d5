import { createHash } from "node:crypto";
import { join } from "node:path";
import type { HostPlace } from "../../hands/hosts/addresses.js";
import { inTurn } from "../../hands/store/sqlite/turn.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * Looking at a host and then writing to it is safe only while no other process does the same: two that both find nothing
 * would both write. A process that dies gives its turn back.
 */

/** Long enough for a push, and for an agent that plans. */
const WAIT_MS = 600_000;

/** Look at a repository of a host and write to it. Contract: throws STORE_FAILED, retryable, when others took too long. */
export function asOnlyWriter<T>(at: StateFolder, place: HostPlace, act: () => Promise<T>): Promise<T> {
  return writeAlone(at, `writer-${keyOf(place)}.db`, act);
}

/** Plan an issue. Contract: as `asOnlyWriter`, which may be called inside, and not the other way round. */
export function asOnlyPlanner<T>(at: StateFolder, place: HostPlace, issue: number, act: () => Promise<T>): Promise<T> {
  return writeAlone(at, `planner-${keyOf(place)}-${issue}.db`, act);
}

/** A name of files for a repository: what addresses may contain, file names may not. */
export function keyOf({ server, repository }: HostPlace): string {
  const key = JSON.stringify([server, repository.toLowerCase()]);
  return createHash("sha256").update(key).digest("hex").slice(0, 16);
}

function writeAlone<T>(at: StateFolder, name: string, act: () => Promise<T>): Promise<T> {
  makeStateFolder(at);
  return inTurn(join(at.folder, "hosts", name), WAIT_MS, act);
}
