import type { LinkedEvent } from "../chain/hash-event.js";
import type { Database, SqlValue, Statement } from "./driver.js";

/** How many rows one statement writes: calling into SQLite costs as much as a row, and longer ones gain no more. */
const SIZES = [16, 4, 1] as const;
const NAMES = "run, sequence, at, clock_ms, type, task_id, attempt, event, previous_hash, hash";
const COLUMNS = NAMES.split(", ").length;
/** Hashes are made bytes by the database: a buffer for each would cost more than its row's place in an index. */
const PLACES = "(?, ?, ?, ?, ?, ?, ?, ?, unhex(?), unhex(?))";

/** Collects the events of a transaction and writes several together. Contract: throws what SQLite does. */
export interface RowWriter {
  add(run: number, event: LinkedEvent): void;
  /** The part of the added rows that is left. */
  write(): void;
  clear(): void;
}

export function createRowWriter(database: Database): RowWriter {
  const inserts = SIZES.map((rows): { rows: number; statement: Statement } => {
    const places = Array<string>(rows).fill(PLACES);
    const statement = database.prepare(`INSERT INTO events (${NAMES}) VALUES ${places.join(", ")}`);
    return { rows, statement };
  });
  const most = COLUMNS * SIZES[0];
  /** Used again for every statement: a list for each would be the largest thing an event leaves behind. */
  const values: SqlValue[] = Array<SqlValue>(most).fill(null);
  let filled = 0;

  function write(): void {
    let at = 0;
    for (const { rows, statement } of inserts)
      for (; filled - at >= COLUMNS * rows; at += COLUMNS * rows)
        if (COLUMNS * rows === most) statement.run(...values);
        else statement.run(...values.slice(at, at + COLUMNS * rows));
    filled = 0;
  }

  return {
    add(run, { sequence, at, clock_ms, type, mark, text, previous_hash, hash }) {
      values[filled] = run;
      values[filled + 1] = sequence;
      values[filled + 2] = at;
      values[filled + 3] = clock_ms;
      values[filled + 4] = type;
      values[filled + 5] = mark === null ? null : mark.task_id;
      values[filled + 6] = mark === null ? null : mark.attempt;
      values[filled + 7] = text;
      values[filled + 8] = previous_hash;
      values[filled + 9] = hash;
      filled += COLUMNS;
      if (filled === most) write();
    },
    write,
    clear() {
      filled = 0;
    },
  };
}
