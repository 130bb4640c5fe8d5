import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { mkdirSync, openSync } from "../../files/write-files-sync.js";
import { syncFolderNow } from "../../files/durable.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventReader, EventStore, StoreParts } from "../event-store.js";
import { foreignSchema } from "./audit-store.js";
import { type Database, loadDriver, rollBack } from "./driver.js";
import { storeFailure } from "./failure.js";
import { type LockHolder, type LockOutcome, releaseLock, takeLock } from "./lock-file.js";
import { isBlank, migrate, type Migration, pragma, readMigrations, refuseForeign } from "./migrate.js";
import { closedError, createReader } from "./sqlite-reader.js";
import { createWriter } from "./sqlite-writer.js";

/*
 * The store on disk: one SQLite file, one process that writes. Two things say who that is: a lock file beside the
 * database, which names the process, and a lease inside of it, which every commit looks at. The second holds even
 * where the first is fooled.
 */

export type OpenOutcome =
  | { readonly status: "opened"; readonly store: EventStore }
  /** Another process writes. It can be read meanwhile: `openSqliteReader`. */
  | { readonly status: "locked"; readonly holder: LockHolder };

export interface OpenOptions extends StoreParts {
  /** For tests: the migrations this program knows. */
  readonly migrations?: readonly Migration[];
}

/**
 * Open the store to write; it is made when there is none.
 *
 * Contract: a store another process writes to is a value. Throws STORE_CORRUPT, STORE_TOO_NEW or STORE_FAILED, and
 * leaves nothing open then.
 */
export async function openSqliteStore(path: string, options: OpenOptions): Promise<OpenOutcome> {
  const driver = await loadDriver();
  const holder = randomUUID();
  const lock = `${path}.lock`;
  let database: Database | null = null;
  try {
    const { migrations = readMigrations() } = options;
    createFile(path);
    database = driver.open(path);
    database.exec("PRAGMA busy_timeout = 5000");
    const taken = takeLockOn(database, path, holder, migrations);
    if (taken.status === "locked") {
      database.close();
      return taken;
    }
    checkFile(database, path);
    configure(database, path);
    migrate(database, migrations);
    if (options.migrations === undefined) await refuseForeignSchema(database, path);
    takeLease(database, holder);
    syncFolderNow(dirname(path));
    return { status: "opened", store: storeOf(database, path, holder, options) };
  } catch (error) {
    closeQuietly(database);
    releaseLock(lock, holder);
    throw storeFailure(path, error);
  }
}

/** Open the store to read, also while another process writes. Contract: throws like `openSqliteStore`, or NOT_FOUND. */
export async function openSqliteReader(
  path: string,
  options: Pick<OpenOptions, "migrations"> = {},
): Promise<EventReader> {
  const missing = () =>
    new CoordinatorError("NOT_FOUND", `There is no store at ${path}`, { fix: "Start a run first." });
  if (!existsSync(path)) throw missing();
  const driver = await loadDriver();
  let database: Database | null = null;
  try {
    database = driver.open(path, { readOnly: true });
    database.exec("PRAGMA busy_timeout = 5000");
    database.exec("BEGIN");
    refuseForeign(database, path, options.migrations ?? readMigrations());
    if (isBlank(database)) throw missing();
    database.exec("COMMIT");
    return readerOf(database, path);
  } catch (error) {
    // A closed database keeps its lock for as long as a statement of it is not collected.
    if (database !== null) rollBack(database);
    closeQuietly(database);
    throw storeFailure(path, error);
  }
}

/** The log is nobody's business but its owner's. SQLite gives its other files the same mode. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
}

// INVARIANT: inside of a write transaction, so that no two processes take a dead one's place at the same time.
function takeLockOn(database: Database, path: string, holder: string, migrations: readonly Migration[]): LockOutcome {
  database.exec("BEGIN IMMEDIATE");
  try {
    refuseForeign(database, path, migrations);
    return takeLock(`${path}.lock`, holder);
  } finally {
    rollBack(database);
  }
}

function checkFile(database: Database, path: string): void {
  const found = pragma(database, "quick_check");
  if (found !== "ok")
    throw new CoordinatorError("STORE_CORRUPT", `The store ${path} is damaged: ${found}`, {
      fix: "Put back a copy of the file, with its -wal file if there is one, or move it away to begin a new store.",
    });
}

/** A trigger would change what is written, and without its indexes the store takes an event twice. */
async function refuseForeignSchema(database: Database, path: string): Promise<void> {
  const [found] = await foreignSchema(database);
  if (found !== undefined)
    throw new CoordinatorError("STORE_CORRUPT", `${path} was changed by somebody else: ${found}`, {
      fix: "Put back a copy of the file, with its -wal file if there is one, or move it away to begin a new store.",
    });
}

/** What the file must be set to, and is asked for again: a setting SQLite passes over in silence protects nobody. */
const SETTINGS: readonly (readonly [name: string, set: string, got: string | number])[] = [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["busy_timeout", "5000", 5000],
  ["wal_autocheckpoint", "1000", 1000],
  ["journal_size_limit", "16777216", 16_777_216],
];

function configure(database: Database, path: string): void {
  for (const [name, set, wanted] of SETTINGS) {
    database.exec(`PRAGMA ${name} = ${set}`);
    const got = pragma(database, name);
    if (got !== wanted)
      throw new CoordinatorError("STORE_FAILED", `The store ${path} has ${name} = ${got} and needs ${wanted}`, {
        fix: "Put the store on a local disk.",
      });
  }
}

function takeLease(database: Database, holder: string): void {
  database.prepare("UPDATE lease SET holder = ?, beat = beat + 1").run(holder);
}

// INVARIANT: a sync that failed is never tried again, since it may then succeed for pages the system has dropped. Closing
// a database syncs, so one whose write failed stays open until the process ends.
const abandoned: Database[] = [];

function storeOf(database: Database, path: string, holder: string, parts: StoreParts): EventStore {
  let closing: Promise<void> | null = null;
  const refuseWhenClosed = () => {
    if (closing !== null) throw closedError(path);
  };
  const reader = createReader(database, path, refuseWhenClosed);
  const writer = createWriter(database, path, holder, parts);

  async function close(): Promise<void> {
    await writer.drained();
    if (writer.hasFailed()) abandoned.push(database);
    else {
      checkpointQuietly(database);
      closeQuietly(database);
    }
    releaseLock(`${path}.lock`, holder);
  }

  return {
    ...reader,
    ...(parts.redact === undefined ? {} : { redact: parts.redact }),
    async open(runId) {
      refuseWhenClosed();
      return writer.open(runId);
    },
    append(runId, expected, events) {
      // Not an async function: every event passes here, and it would make two promises of one.
      try {
        refuseWhenClosed();
        return writer.append(runId, expected, events);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    async put(runId, key, value) {
      refuseWhenClosed();
      return writer.put(runId, key, value);
    },
    close: () => (closing ??= close()),
  };
}

function readerOf(database: Database, path: string): EventReader {
  let isClosed = false;
  const reader = createReader(database, path, () => {
    if (isClosed) throw closedError(path);
  });
  return {
    ...reader,
    async close() {
      if (!isClosed) closeQuietly(database);
      isClosed = true;
    },
  };
}

function checkpointQuietly(database: Database): void {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The log is in the -wal file then, and the next one to open it finds it there.
  }
}

function closeQuietly(database: Database | null): void {
  try {
    database?.close();
  } catch {
    // Closed already, or beyond help; what it was opened for has been answered.
  }
}
