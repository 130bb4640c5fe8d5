import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mkdirSync, openSync, rmSync } from "../../../foundation/files/write-files-sync.js";
import { isAlive } from "../../../foundation/processes/process-identity.js";
import { syncFolderNow } from "../../../foundation/files/durable.js";
import { CoordinatorError } from "../../../model/errors.js";
import type { EventReader, EventStore, StoreParts } from "../event-store.js";
import type { Migration } from "../numbered-migrations.js";
import { foreignSchema } from "./audit-store.js";
import { checkFile } from "./check-file.js";
import { type Database, loadDriver, rollBack } from "./driver.js";
import { failureKind, storeFailure } from "./failure.js";
import { readLock } from "./lock-file.js";
import { isBlank, migrate, pragma, readMigrations, refuseForeign } from "./migrate.js";
import { closedError, createReader } from "./sqlite-reader.js";
import { createWriter } from "./sqlite-writer.js";
import { guardWrites } from "../guarded-writes.js";

/*
 * The store on disk: one SQLite file that many processes write to, each by whole transactions. A run has one of them: a
 * lease beside its log names the process that carries it out, and every append looks at it.
 */

export interface OpenOptions extends StoreParts {
  /** For tests: the migrations this program knows. */
  readonly migrations?: readonly Migration[];
}

/** How long one process waits for the transactions of others, which are short. */
const BUSY_MS = 30_000;
/** How often it looks again where SQLite does not wait by itself. */
const LOOK_MS = 15;

/**
 * Open the store to write; it is made when there is none.
 *
 * Contract: other processes may have it open too. Throws STORE_CORRUPT, STORE_TOO_NEW, STORE_FAILED, or STORE_LOCKED while
 * a version of this program that shares a store with nobody writes to it; leaves nothing open then.
 */
export async function openSqliteStore(path: string, options: OpenOptions): Promise<EventStore> {
  const driver = await loadDriver();
  const { migrations = readMigrations() } = options;
  let database: Database | null = null;
  try {
    createFile(path);
    const made = driver.open(path);
    database = made;
    made.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    await whenFree(() => refuseUnusable(made, path, migrations));
    checkFile(made, path);
    // SQLite does not wait for others while it changes how the file is kept, which is once.
    await whenFree(() => configure(made, path));
    await whenFree(() => migrate(made, migrations));
    if (options.migrations === undefined) await refuseForeignSchema(made, path);
    syncFolderNow(dirname(path));
    return storeOf(made, path, randomUUID(), options);
  } catch (error) {
    closeQuietly(database);
    throw storeFailure(path, error);
  }
}

async function whenFree<T>(act: () => T): Promise<T> {
  const until = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (failureKind(error) !== "busy" || performance.now() >= until) throw error;
      await sleep(LOOK_MS);
    }
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

function refuseUnusable(database: Database, path: string, migrations: readonly Migration[]): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    refuseForeign(database, path, migrations);
    refuseOlderWriter(`${path}.lock`);
  } finally {
    rollBack(database);
  }
}

/** Up to 0001 one process had the whole store, and a file said which. It must end before the store is shared. */
function refuseOlderWriter(lock: string): void {
  const found = readLock(lock);
  if (found !== null && isAlive(found))
    throw new CoordinatorError("STORE_LOCKED", `Process ${found.pid}, of an older version, has the store for itself`, {
      retryable: true,
      fix: "Let it end, or end it; its run goes on from its log.",
    });
  rmSync(lock, { force: true });
}

/** A trigger would change what is written, and without its indexes the store takes an event twice. */
async function refuseForeignSchema(database: Database, path: string): Promise<void> {
  const [found] = await foreignSchema(database);
  if (found !== undefined)
    throw new CoordinatorError("STORE_CORRUPT", `${path} was changed by somebody else: ${found}`, {
      fix: "Put back a copy of the file, with its -wal file if there is one, or move it away to begin a new store.",
    });
}

/** The settings of the file, read back after they were set: a setting that SQLite ignores in silence protects nobody. */
const SETTINGS: readonly (readonly [name: string, set: string, got: string | number])[] = [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["busy_timeout", String(BUSY_MS), BUSY_MS],
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
    // A claim that cannot be given back ends with the process.
    await writer.releaseAll().catch(() => undefined);
    await writer.drained();
    if (writer.hasFailed()) return void abandoned.push(database);
    checkpointQuietly(database);
    closeQuietly(database);
  }

  return {
    ...reader,
    ...(parts.redact === undefined ? {} : { redact: parts.redact }),
    ...guardWrites(writer, refuseWhenClosed),
    append(runId, expected, events) {
      // Not an async function: every event passes here, and it would make two promises of one.
      try {
        refuseWhenClosed();
        return writer.append(runId, expected, events);
      } catch (error) {
        return Promise.reject(error);
      }
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
    // Anyone else who has the store open goes on with the -wal file, and nobody waits for them.
    database.exec("PRAGMA busy_timeout = 0");
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
