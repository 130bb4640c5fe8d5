import type { LinkedEvent } from "../chain/hash-event.js";
import type { Database, SqlValue, Statement } from "./driver.js";
import { fromHex } from "./rows.js";

/** How many rows one statement writes: calling into SQLite costs as much as a row, and longer ones gain no more. */
const SIZES = [16, 4, 1] as const;
const NAMES = "run, sequence, at, clock_ms, type, task_id, attempt, event, previous_hash, hash";
const COLUMNS = NAMES.split(", ").length;

/** Collects the events of a transaction and writes them together. */
export interface RowWriter {
  add(run: number, event: LinkedEvent): void;
  /** Contract: throws what SQLite does, when it refuses one of them. */
  write(): void;
  clear(): void;
}

export function createRowWriter(database: Database): RowWriter {
  const inserts = SIZES.map((rows): { rows: number; statement: Statement } => {
    const places = Array<string>(rows).fill(`(${Array<string>(COLUMNS).fill("?").join(", ")})`);
    const statement = database.prepare(`INSERT INTO events (${NAMES}) VALUES ${places.join(", ")}`);
    return { rows, statement };
  });
  let values: SqlValue[] = [];
  let last = { hex: "", bytes: fromHex("") };

  /** An event's hash is the next one's previous hash. */
  function bytesOf(hex: string): Uint8Array {
    if (last.hex !== hex) last = { hex, bytes: fromHex(hex) };
    return last.bytes;
  }

  return {
    add(run, { sequence, at, clock_ms, type, mark, text, previous_hash, hash }) {
      const { task_id = null, attempt = null } = mark ?? {};
      values.push(run, sequence, at, clock_ms, type, task_id, attempt, text, bytesOf(previous_hash), bytesOf(hash));
    },
    write() {
      let at = 0;
      for (const { rows, statement } of inserts)
        for (; values.length - at >= COLUMNS * rows; at += COLUMNS * rows)
          statement.run(...values.slice(at, at + COLUMNS * rows));
      values = [];
    },
    clear() {
      values = [];
    },
  };
}
