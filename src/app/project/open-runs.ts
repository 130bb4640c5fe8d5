import { createHash, createPublicKey } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readdirSync } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { loadSigningKey } from "../../hands/store/chain/signing-key.js";
import type { EventReader, EventStore, RunHolder, StoreParts } from "../../hands/store/event-store.js";
import { openSqliteReader, openSqliteStore } from "../../hands/store/sqlite/open-sqlite-store.js";
import { sha256 } from "../../hands/store/sha256.js";
import { redactorFor } from "./secrets.js";
import { makeStateFolder, type StateFolder } from "./state-folder.js";
import { readStoreSetting, SQLITE } from "../store/store-setting.js";

/* The store of a project's runs, wherever it is kept. Many processes may write to it; a run is carried out by one of them. */

/** Contract: null when no run was ever started here. Nothing is made. */
export async function readRuns(at: StateFolder): Promise<EventReader | null> {
  return readStoreAt(at, readStoreSetting(at));
}

/** Opens a named store for reading: `sqlite`, or an address. */
export async function readStoreAt({ database, environment }: StateFolder, store: string): Promise<EventReader | null> {
  try {
    if (store !== SQLITE) return await (await import("../store/team-store.js")).readTeamStore(store, environment);
    if (!existsSync(database)) return null;
    refuseEmptied(database);
    return await openSqliteReader(database);
  } catch (error) {
    // Anyone who makes it has not come to its first table, or never did.
    if (error instanceof CoordinatorError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/**
 * Open the store to write. Contract: as `openSqliteStore` or `openPostgresStore`; it signs its checkpoints with the project's own key, and writes
 * none of the secrets this process was given.
 */
export async function openRuns(at: StateFolder): Promise<EventStore> {
  const store = readStoreSetting(at);
  makeStateFolder(at);
  return openStoreAt(at, store, { sha256, signer: loadSigningKey(at.folder), redact: redactorFor(at.folder) });
}

/** Opens a named store: `sqlite`, or an address. */
export async function openStoreAt(
  { database, environment }: StateFolder,
  store: string,
  parts: StoreParts,
): Promise<EventStore> {
  if (store !== SQLITE) return (await import("../store/team-store.js")).openTeamStore(store, parts, environment);
  refuseEmptied(database);
  return openSqliteStore(database, parts);
}

/** A new store is empty too; but where runs left their records, an empty one has lost its log. */
function refuseEmptied(database: string): void {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? -1;
  if (sizeOf(database) !== 0 || sizeOf(`${database}-wal`) > 0) return;
  const records = join(dirname(database), "records");
  if (!existsSync(records) || !readdirSync(records).some((name) => name.startsWith("run_"))) return;
  throw new CoordinatorError("STORE_CORRUPT", `The store ${database} is empty, and there were runs here`, {
    fix: "Put back a copy of the file, with its -wal file if there is one, or move it away to begin a new store.",
  });
}

/** The process that carries out this run now; null when none does. */
export async function holderOf(reader: EventReader, runId: string): Promise<RunHolder | null> {
  return (await reader.holders?.())?.find(({ run_id }) => run_id === runId) ?? null;
}

/** The process that carries out this run now, without opening the store to write, for which other writers would wait. */
export async function holderHere(at: StateFolder, runId: string): Promise<RunHolder | null> {
  const reader = await readRuns(at);
  if (reader === null) return null;
  try {
    return await holderOf(reader, runId);
  } finally {
    await reader.close();
  }
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

/** A public key and its id, as signed notes number keys. Contract: total; null for what is not an ed25519 key. */
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
