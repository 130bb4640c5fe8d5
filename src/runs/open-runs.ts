import { createHash, createPublicKey } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CoordinatorError } from "../model/errors.js";
import { loadSigningKey } from "../store/chain/signing-key.js";
import type { EventReader, EventStore } from "../store/event-store.js";
import { type LockHolder, readLock } from "../store/sqlite/lock-file.js";
import { type OpenOutcome, openSqliteReader, openSqliteStore } from "../store/sqlite/open-sqlite-store.js";
import { isAlive } from "../processes/process-identity.js";
import { sha256 } from "../store/sha256.js";
import { makeStateFolder, type StateFolder } from "./state-folder.js";

/* The store of a project's runs. One process writes; everybody may read meanwhile. */

/** Contract: null when no run was ever started here. Nothing is made. */
export async function readRuns({ database }: StateFolder): Promise<EventReader | null> {
  return existsSync(database) ? openSqliteReader(database) : null;
}

/** Contract: as `openSqliteStore`; the store signs its checkpoints with the project's own key. */
export async function writeRuns(at: StateFolder): Promise<OpenOutcome> {
  makeStateFolder(at);
  return openSqliteStore(at.database, { sha256, signer: loadSigningKey(at.folder) });
}

/** Open the store to work on its runs. Contract: throws STORE_LOCKED, and says who does, when another process does. */
export async function openRuns(at: StateFolder): Promise<EventStore> {
  const opened = await writeRuns(at);
  if (opened.status === "opened") return opened.store;
  throw new CoordinatorError("STORE_LOCKED", `Process ${opened.holder.pid} works on the runs of ${at.root}`, {
    retryable: true,
    fix: "`coordinator watch` follows it, and answers reach it. Wait for it, or end it, to start another.",
  });
}

/** The process that works on the project's runs now; null when none does. */
export function workingProcess({ database }: StateFolder): LockHolder | null {
  const holder = readLock(`${database}.lock`);
  return holder !== null && isAlive(holder) ? holder : null;
}

export interface PublicKey {
  readonly pem: string;
  readonly id: string;
}

/** The key the project's checkpoints are signed with. Contract: null when there is none; none is made. */
export function publicKeyOf({ folder }: StateFolder): PublicKey | null {
  if (!existsSync(join(folder, "signing-key.pem"))) return null;
  const { publicKeyPem, keyId } = loadSigningKey(folder);
  return { pem: publicKeyPem, id: keyId };
}

/** A public key and its id, as signed notes number keys. Contract: total; null for what is no ed25519 key. */
export function keyOfPem(pem: string): PublicKey | null {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== "ed25519") return null;
    const raw = key.export({ type: "spki", format: "der" }).subarray(-32);
    const id = createHash("sha256")
      .update("coordinator\n")
      .update(Buffer.from([1]))
      .update(raw)
      .digest();
    return { pem: key.export({ type: "spki", format: "pem" }) as string, id: id.subarray(0, 4).toString("hex") };
  } catch {
    return null;
  }
}
