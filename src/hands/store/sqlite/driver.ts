import { openByName } from "../../../foundation/files/open-by-name.js";

/*
 * SQLite itself. Newer Node.js versions bring it as `node:sqlite`; for the others there is a package with the same
 * interface and the binary inside. Only what both have in common is used, and it is written down here.
 */

export type SqlValue = null | number | bigint | string | Uint8Array;

export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Driver {
  readonly name: "built-in" | "package";
  open(path: string, options?: { readonly readOnly?: boolean }): Database;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: { readOnly?: boolean }) => Database;
}

/** The files SQLite keeps beside a database, by their endings. */
const BESIDE = ["-wal", "-shm", "-journal"];

let loaded: Promise<Driver> | null = null;

export function loadDriver(): Promise<Driver> {
  loaded ??= chooseDriver();
  return loaded;
}

async function chooseDriver(): Promise<Driver> {
  const builtIn = loadBuiltInModule();
  if (builtIn !== null && worksTheSame(builtIn)) return driverOf("built-in", builtIn);
  const fromPackage: unknown = await import("@photostructure/sqlite");
  return driverOf("package", fromPackage as SqliteModule);
}

function driverOf(name: Driver["name"], { DatabaseSync }: SqliteModule): Driver {
  return {
    name,
    open: (path, { readOnly = false } = {}) => openByName(path, BESIDE, (file) => new DatabaseSync(file, { readOnly })),
  };
}

function loadBuiltInModule(): SqliteModule | null {
  // While it loads, Node.js 22 tells every user that it is experimental; nothing else is silenced.
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return (process.getBuiltinModule("node:sqlite" as "node:fs") as unknown as SqliteModule | undefined) ?? null;
  } catch {
    return null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The oldest SQLite to write with: older ones may lose a commit when a checkpoint meets a second connection. */
const OLDEST = [3, 51, 3] as const;

function worksTheSame({ DatabaseSync }: SqliteModule): boolean {
  try {
    const database = new DatabaseSync(":memory:");
    try {
      const row = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
      const version = row.version.split(".").map(Number);
      if (isOlder(version, OLDEST)) return false;
      database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT");
      database.prepare("INSERT INTO t VALUES (?, ?)").run(1, new Uint8Array([7]));
      return errorCodeOf(() => database.prepare("INSERT INTO t VALUES (?, ?)").run(1, null)) === 1555;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  for (const [i, wanted] of than.entries()) if (version[i] !== wanted) return (version[i] ?? 0) < wanted;
  return false;
}

function errorCodeOf(act: () => unknown): number | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return sqliteCode(error);
  }
}

/** Undo a transaction. After most failed writes SQLite has done so by itself: what failed is to be told, and not that. */
export function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // Rolled back already.
  }
}

/** The extended result code of SQLite, when it was SQLite that failed. */
export function sqliteCode(error: unknown): number | undefined {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && typeof errcode === "number" ? errcode : undefined;
}
