import { fileURLToPath } from "node:url";
import { CoordinatorError } from "../../../model/errors.js";
import { type Migration, readMigrationsIn } from "../numbered-migrations.js";
import { type Database, rollBack } from "./driver.js";

/*
 * The database's shape, in numbered files. The number of the last one is the file's user_version, and a table says of
 * each whether it was breaking: so an older program knows whether it still understands a newer file.
 */

/** "COOR": what tells our file from any other SQLite database. */
export const APPLICATION_ID = 0x434f_4f52;

export function readMigrations(folder = fileURLToPath(new URL("./migrations/", import.meta.url))): Migration[] {
  return readMigrationsIn(folder);
}

/** Refuse what is not a store of ours, and what is too new. Contract: changes nothing. */
export function refuseForeign(database: Database, path: string, migrations: readonly Migration[]): void {
  const id = pragma(database, "application_id");
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (id !== APPLICATION_ID && (id !== 0 || tables.n > 0))
    throw new CoordinatorError("STORE_CORRUPT", `${path} is a database of some other program`, {
      fix: "Name another file.",
    });
  const known = migrations.length;
  const found = Number(pragma(database, "user_version"));
  if (found <= known) return;
  const breaking = database
    .prepare("SELECT name FROM migrations WHERE number > ? AND breaking = 1 ORDER BY number")
    .get(known) as { name: string } | undefined;
  if (breaking === undefined) return;
  throw new CoordinatorError(
    "STORE_TOO_NEW",
    `${path} was changed by a newer version of this program (${breaking.name}; this one knows ${known})`,
    { fix: "Use the version that wrote it, or a newer one." },
  );
}

/** Whether nothing was ever put into the file: it was only just made, or the disk was full before its first table. */
export function isBlank(database: Database): boolean {
  return Number(pragma(database, "user_version")) === 0;
}

/** Bring the database up to date. Contract: each migration is one transaction; several processes may do it at once. */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  const isDone = (number: number) => number <= Number(pragma(database, "user_version"));
  for (const { number, name, breaking, sql } of migrations) {
    if (isDone(number)) continue;
    database.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have done it while this one waited for its turn.
      if (isDone(number)) {
        database.exec("ROLLBACK");
        continue;
      }
      if (number === 1)
        database.exec(
          `PRAGMA application_id = ${APPLICATION_ID};
           CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL) STRICT`,
        );
      database.exec(sql);
      database.prepare("INSERT INTO migrations VALUES (?, ?, ?)").run(number, name, breaking ? 1 : 0);
      database.exec(`PRAGMA user_version = ${number}`);
      database.exec("COMMIT");
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}

export function pragma(database: Database, name: string): number | string {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number | string>)[0] ?? "";
}
