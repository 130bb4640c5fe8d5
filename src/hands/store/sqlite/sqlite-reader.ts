import { CoordinatorError } from "../../../model/errors.js";
import { GENESIS_HASH } from "../chain/hash-event.js";
import type { EventRange, EventReader, RunHead } from "../event-store.js";
import { auditStore } from "./audit-store.js";
import type { Database } from "./driver.js";
import { storeFailure } from "./failure.js";
import { holdersReader } from "./run-leases.js";
import { entryOfRow, ENTRY_COLUMNS, EVENT_COLUMNS, type EventRow, eventOfRow, toHex } from "./rows.js";

/** How many events are fetched at once. No statement stays open between two pages, so nobody waits for a reader. */
const PAGE = 256;

export type SqliteReader = Omit<EventReader, "close">;

/** The reading half of the store. */
export function createReader(database: Database, path: string, refuseWhenClosed: () => void): SqliteReader {
  const headRow = database.prepare(`
    SELECT r.run_id, e.sequence, e.hash FROM runs r
    LEFT JOIN events e ON e.run = r.number
      AND e.sequence = (SELECT max(sequence) FROM events WHERE run = r.number)
    WHERE r.run_id = ?`);
  const runRows = database.prepare(`
    SELECT r.run_id, l.sequence, l.hash, f.at AS first_at, l.at AS last_at FROM runs r
    LEFT JOIN events f ON f.run = r.number
      AND f.sequence = (SELECT min(sequence) FROM events WHERE run = r.number)
    LEFT JOIN events l ON l.run = r.number
      AND l.sequence = (SELECT max(sequence) FROM events WHERE run = r.number)
    ORDER BY r.run_id`);
  const page = (columns: string) =>
    database.prepare(`
      SELECT ${columns} FROM events
      WHERE run = (SELECT number FROM runs WHERE run_id = ?) AND sequence BETWEEN ? AND ?
      ORDER BY sequence LIMIT ${PAGE}`);
  const eventPage = page(EVENT_COLUMNS);
  const entryPage = page(ENTRY_COLUMNS);
  const note = database.prepare(
    "SELECT value FROM notes WHERE run = (SELECT number FROM runs WHERE run_id = ?) AND key = ?",
  );
  const notes = database.prepare(`
    SELECT key, value FROM notes WHERE run = (SELECT number FROM runs WHERE run_id = ?1)
      AND substr(key, 1, length(?2)) = ?2 ORDER BY key`);

  const sincePage = database.prepare(`
    SELECT e.id AS position, r.run_id, ${EVENT_COLUMNS} FROM events e JOIN runs r ON r.number = e.run
    WHERE e.id > ? ORDER BY e.id LIMIT ?`);
  const lastRow = database.prepare("SELECT max(id) AS position FROM events");

  const holders = holdersReader(database);

  function ask<T>(act: () => T): T {
    refuseWhenClosed();
    try {
      return act();
    } catch (error) {
      throw storeFailure(path, error);
    }
  }

  async function* rows<Row extends { readonly sequence: number }, T>(
    statement: ReturnType<typeof page>,
    runId: string,
    range: EventRange,
    make: (runId: string, row: Row) => T,
  ) {
    const { from = 1, to = Number.MAX_SAFE_INTEGER } = range;
    for (let next = from; ;) {
      const found = ask(() => statement.all(runId, next, to) as Row[]);
      for (const row of found) yield make(runId, row);
      const last = found.at(-1);
      if (last === undefined || found.length < PAGE) return;
      next = last.sequence + 1;
    }
  }

  return {
    head: async (runId) => headOfRow(ask(() => headRow.get(runId))),
    runs: async () =>
      (ask(() => runRows.all()) as (HeadRow & { first_at: string | null; last_at: string | null })[]).map((row) => ({
        ...(headOfRow(row) as RunHead),
        first_at: row.first_at,
        last_at: row.last_at,
      })),
    holders: async () => ask(holders),
    read: (runId, range = {}) => rows(eventPage, runId, range, eventOfRow),
    entries: (runId, range = {}) => rows(entryPage, runId, range, entryOfRow),
    appendedSince: async (position, limit) =>
      (ask(() => sincePage.all(position, limit)) as (EventRow & { position: number; run_id: string })[]).map((row) => ({
        position: row.position,
        logged: eventOfRow(row.run_id, row),
      })),
    lastPosition: async () => (ask(() => lastRow.get()) as { position: number | null }).position ?? 0,
    audit: async (runId) => {
      refuseWhenClosed();
      try {
        return await auditStore(database, runId);
      } catch (error) {
        throw storeFailure(path, error);
      }
    },
    get: async (runId, key) => (ask(() => note.get(runId, key)) as { value: string } | undefined)?.value ?? null,
    list: async (runId, prefix) =>
      (ask(() => notes.all(runId, prefix)) as { key: string; value: string }[]).map(({ key, value }) => ({
        key,
        value,
      })),
  };
}

interface HeadRow {
  readonly run_id: string;
  readonly sequence: number | null;
  readonly hash: Uint8Array | null;
}

function headOfRow(found: unknown): RunHead | null {
  if (found === undefined) return null;
  const { run_id, sequence, hash } = found as HeadRow;
  return { run_id, sequence: sequence ?? 0, hash: hash === null ? GENESIS_HASH : toHex(hash) };
}

export function closedError(path: string): CoordinatorError {
  return new CoordinatorError("STORE_FAILED", `The store ${path} is closed`);
}
