import { type Database, loadDriver } from "./driver.js";
import { migrate, pragma, readMigrations } from "./migrate.js";

/*
 * The store around a log: a chain says nothing of rows that no reader ever asks for, nor of a trigger that would change
 * what is written next.
 */

/** Differences from how this program keeps its store, as far as they concern the run, in sentences. Contract: changes nothing. */
export async function auditStore(database: Database, runId: string): Promise<string[]> {
  return [...(await foreignSchema(database)), ...strayRows(database), ...hiddenRows(database, runId)];
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Tables, indexes and triggers that this program did not make, or made otherwise. */
export async function foreignSchema(database: Database): Promise<string[]> {
  const migrations = readMigrations();
  // Additions of a newer version that break nothing are not judged by this one.
  if (Number(pragma(database, "user_version")) !== migrations.length) return [];
  const blank = (await loadDriver()).open(":memory:");
  try {
    migrate(blank, migrations);
    const [expected, found] = [schemaOf(blank), schemaOf(database)];
    return [
      ...[...found].flatMap(([name, sql]) =>
        expected.get(name) === sql ? [] : [`The store has ${expected.has(name) ? "another" : "a foreign"} ${name}`],
      ),
      ...[...expected.keys()].flatMap((name) => (found.has(name) ? [] : [`The store has lost its ${name}`])),
    ];
  } finally {
    blank.close();
  }
}

/** By kind and name, such as `table events`. SQLite's own tables are left out. */
function schemaOf(database: Database): Map<string, string> {
  const rows = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all() as SchemaRow[];
  // A table that was renamed and renamed back has its name in quotes.
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, (sql ?? "").replaceAll('"', "")]));
}

/** Rows of a run the store does not know. */
function strayRows(database: Database): string[] {
  return ["events", "notes"].flatMap((table) => {
    const { n } = database
      .prepare(`SELECT count(*) AS n FROM ${table} WHERE run NOT IN (SELECT number FROM runs)`)
      .get() as { n: number };
    return n === 0 ? [] : [`${n} ${n === 1 ? "row" : "rows"} of ${table} belong to no run that the store knows`];
  });
}

/** Rows of the run that no reader would come to: numbers below one or twice the same. */
function hiddenRows(database: Database, runId: string): string[] {
  const { rows, numbers } = database
    .prepare(
      `SELECT count(*) AS rows, count(DISTINCT CASE WHEN sequence BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER} THEN sequence END)
         AS numbers FROM events WHERE run = (SELECT number FROM runs WHERE run_id = ?)`,
    )
    .get(runId) as { rows: number; numbers: number };
  const hidden = rows - numbers;
  return hidden === 0 ? [] : [`${hidden} ${hidden === 1 ? "row has" : "rows have"} a number that no event can have`];
}
