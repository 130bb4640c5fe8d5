import { existsSync } from "node:fs";
import { renameSync, rmSync } from "../../foundation/files/write-files-sync.js";
import { copyRuns } from "../../hands/store/copy-runs.js";
import { isPostgresAddress, nameOfStore, parseAddress } from "../../hands/store/postgres/address.js";
import { loadSigningKey } from "../../hands/store/chain/signing-key.js";
import { sha256 } from "../../hands/store/sha256.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { boxOf } from "../decide/signal-boxes.js";
import { takeAllSignals } from "../decide/take-signals.js";
import { openStoreAt, readStoreAt } from "../project/open-runs.js";
import { redactorFor } from "../project/secrets.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { fetchRecords, shareRecords } from "./move-records.js";
import {
  checkEngine,
  type EngineSetting,
  readEngineSetting,
  SQLITE,
  storeNamedBy,
  writeStoreSetting,
} from "./store-setting.js";
import { checkRemote } from "../../hands/workers/git-remote.js";
import { finish, type Finished } from "../report.js";
import { serverOf } from "../serve/server-file.js";

/**
 * Move the runs of a project to another store, and use that from now on. Runs that the store has of others stay there.
 *
 * Contract: the setting changes when every run was copied and compared by its hashes. Who dies in between begins again, also
 * with both in place. No log is removed.
 */
export async function migrateStore(
  wanted: MigrationWanted,
  { project, progress, parts }: CommandContext,
): Promise<Finished> {
  const { at, environment } = project;
  if (wanted.to === undefined && wanted.engine === undefined && wanted.remote === undefined)
    throw new CoordinatorError("USAGE", "Say what is to change: the store, the engine or the git remote", {
      fix: "coordinator migrate --to STORE, or --engine dbos --remote GIT-REMOTE.",
    });
  const named = storeNamedBy(at);
  const to = wanted.to ?? named;
  const engine = engineWanted(wanted, to, wanted.to === undefined || to === named ? readEngineSetting(at) : null);
  // Both are there when it was interrupted: what is moved is then in the one that is not wanted.
  const from = named !== SQLITE && to !== SQLITE && existsSync(at.database) ? SQLITE : named;
  const isSame = to === from && (wanted.engine !== undefined || wanted.remote !== undefined);
  if (isSame) {
    writeStoreSetting(at, to, engine);
    return finish(EXIT.done, { type: "migrated", from: shownStore(from), to: shownStore(to), engine, runs: [] });
  }
  refuseTarget(to, from);
  const server = serverOf(at.root, environment);
  if (server !== null)
    throw new CoordinatorError("SERVER_RUNNING", `A server works on this project, process ${server.pid}`, {
      fix: "End it (coordinator serve, Ctrl-C), move the runs, and start it again.",
    });
  makeStateFolder(at);
  const target = to === SQLITE ? { ...at, database: `${at.database}.coming` } : at;
  if (to === SQLITE) for (const ending of ENDINGS) rmSync(`${target.database}${ending}`, { force: true });
  await takeLeftSignals(at, from, parts.now);
  const runs = await copyAll(at, from, target, to, progress);
  if (to === SQLITE) {
    setAside(at);
    renameSync(target.database, at.database);
    writeStoreSetting(at, to, engine);
  } else {
    writeStoreSetting(at, to, engine);
    if (from === SQLITE) setAside(at);
  }
  return finish(EXIT.done, { type: "migrated", from: shownStore(from), to: shownStore(to), engine, runs });
}

export interface MigrationWanted {
  /** The store to move to; the one that is used when absent. */
  readonly to?: string | undefined;
  readonly engine?: string | undefined;
  readonly remote?: string | undefined;
}

/** The engine as it shall be: what is not said stays as it was. Contract: pure; throws ENGINE_SETTING. */
function engineWanted({ engine, remote }: MigrationWanted, store: string, before: EngineSetting | null): EngineSetting {
  if (remote !== undefined) checkRemote(remote);
  const kept = before?.engine === "dbos" && engine !== "local" ? before : null;
  const asked = { engine: engine ?? kept?.engine ?? "local", remote: remote ?? kept?.remote };
  return checkEngine({ store, ...asked }, "coordinator migrate");
}

/** Decisions that nobody has taken yet go into the logs that are moved: the other store does not know them. */
async function takeLeftSignals(at: StateFolder, from: string, now: () => string): Promise<void> {
  const reader = await readStoreAt(at, from);
  await reader?.close();
  if (reader === null) return;
  const signer = loadSigningKey(at.folder);
  const store = await openStoreAt(at, from, { sha256, signer, redact: redactorFor(at.folder) });
  try {
    await takeAllSignals(boxOf(at, store), store, now);
  } finally {
    await store.close();
  }
}

async function copyAll(
  at: StateFolder,
  from: string,
  targetAt: StateFolder,
  to: string,
  progress: CommandContext["progress"],
) {
  // Nothing of a store is made anew: neither signatures nor hashes.
  const parts = { sha256 };
  const target = await openStoreAt(targetAt, to, parts);
  try {
    const reader = await readStoreAt(at, from);
    if (reader === null) return [];
    await reader.close();
    const source = await openStoreAt(at, from, parts);
    try {
      progress(`Copying the runs of ${shownStore(from)} to ${shownStore(to)} …`);
      const copied = await copyRuns(source, target, sha256);
      for (const { run_id } of copied) {
        if (target.records !== undefined) await shareRecords(at, run_id, target.records);
        if (source.records !== undefined) await fetchRecords(at, run_id, source.records);
      }
      return copied;
    } finally {
      await source.close();
    }
  } finally {
    await target.close();
  }
}

function refuseTarget(to: string, from: string): void {
  if (to !== SQLITE && !isPostgresAddress(to))
    throw new CoordinatorError("STORE_ADDRESS", "The store to move to is neither sqlite nor a Postgres address", {
      fix: "Write --to sqlite, or --to postgres://USER@HOST:PORT/DATABASE?schema=NAME.",
    });
  if (to !== SQLITE) parseAddress(to);
  if (shownStore(to) === shownStore(from))
    throw new CoordinatorError("USAGE", `The runs of this project are in ${shownStore(to)} already`, {
      fix: "Name another store.",
    });
}

const ENDINGS = ["", "-wal", "-shm"];

/** A log in SQLite whose runs are elsewhere now stays as a file of another name. */
function setAside({ database }: StateFolder): void {
  if (!existsSync(database)) return;
  let moved = `${database}.moved`;
  for (let n = 2; existsSync(moved); n++) moved = `${database}.moved-${n}`;
  for (const ending of ENDINGS)
    if (existsSync(`${database}${ending}`)) renameSync(`${database}${ending}`, `${moved}${ending}`);
}

/** Contract: pure; without a password, since an address has none. */
function shownStore(store: string): string {
  return store === SQLITE ? SQLITE : nameOfStore(parseAddress(store));
}
