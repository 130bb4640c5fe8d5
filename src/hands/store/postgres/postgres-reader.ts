import { CoordinatorError } from "../../../model/errors.js";
import { GENESIS_HASH } from "../chain/hash-event.js";
import type { EventRange, EventReader } from "../event-store.js";
import { auditStore } from "./audit-store.js";
import { createRecords } from "./records.js";
import type { Connections } from "./connection.js";
import { holderOfRow, isHeld, LEASE_ROWS, type LeaseRow, ownPlace } from "./leases.js";
import { entryOfRow, EVENT_COLUMNS, type EventRow, eventOfRow } from "./rows.js";

/** How many events are fetched at once. */
const PAGE = 512;

export type PostgresReader = Omit<EventReader, "close" | "follow">;

interface HeadRow {
  readonly run_id: string;
  readonly sequence: string | null;
  readonly hash: string | null;
}

const EVENTS_OF_RUN = `SELECT ${EVENT_COLUMNS} FROM events
  WHERE run = (SELECT number FROM runs WHERE run_id = $1) AND sequence BETWEEN $2 AND $3
  ORDER BY sequence LIMIT ${PAGE}`;

const HEADS = `SELECT r.run_id, l.sequence, encode(l.hash, 'hex') AS hash, f.at AS first_at, l.at AS last_at FROM runs r
  LEFT JOIN LATERAL (SELECT at FROM events WHERE run = r.number ORDER BY sequence LIMIT 1) f ON true
  LEFT JOIN LATERAL (SELECT sequence, hash, at FROM events WHERE run = r.number ORDER BY sequence DESC LIMIT 1) l ON true`;

const OFFERED_WORK = `SELECT count(*) AS waiting,
    greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(o.asked_at)) * 1000, 0))::float8 AS oldest_ms,
    (SELECT count(*) FROM workers w WHERE w.valid_until > clock_timestamp()) AS workers
  FROM offers o WHERE o.taken_by IS NULL AND o.done_at IS NULL AND o.cancelled_at IS NULL`;

/** The reading half of the store. */
export function createReader(connections: Connections, refuseWhenClosed: () => void): PostgresReader {
  const own = ownPlace();

  async function ask<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    refuseWhenClosed();
    return connections.ask<Row>(sql, values);
  }

  async function* rows<T>(runId: string, range: EventRange, make: (runId: string, row: EventRow) => T) {
    const { from = 1, to = Number.MAX_SAFE_INTEGER } = range;
    for (let next = from; ;) {
      const found = await ask<EventRow>(EVENTS_OF_RUN, runId, next, to);
      for (const row of found) yield make(runId, row);
      const last = found.at(-1);
      if (last === undefined || found.length < PAGE) return;
      next = Number(last.sequence) + 1;
    }
  }

  return {
    records: createRecords(connections, refuseWhenClosed),
    async head(runId) {
      const [row] = await ask<HeadRow>(`${HEADS} WHERE r.run_id = $1`, runId);
      return row === undefined ? null : headOfRow(row);
    },
    async runs() {
      const found = await ask<HeadRow & { first_at: string | null; last_at: string | null }>(
        `${HEADS} ORDER BY r.run_id`,
      );
      return found.map((row) => ({ ...headOfRow(row), first_at: row.first_at, last_at: row.last_at }));
    },
    async holders() {
      const found = await ask<LeaseRow>(`${LEASE_ROWS} ORDER BY r.run_id`);
      return found.filter((row) => isHeld(row, own)).map(holderOfRow);
    },
    async leases() {
      const found = await ask<LeaseRow>(`${LEASE_ROWS} ORDER BY r.run_id`);
      return found.map((row) => ({ run_id: row.run_id, age_ms: row.age_ms, has_ended: !isHeld(row, own) }));
    },
    async offeredWork() {
      // A reader does not migrate: the schema may be older.
      const [made] = await ask<{ there: boolean }>("SELECT to_regclass('offers') IS NOT NULL AS there");
      if (made?.there !== true) return null;
      const [row] = await ask<{ waiting: string; oldest_ms: number; workers: string }>(OFFERED_WORK);
      return row === undefined
        ? null
        : { waiting: Number(row.waiting), oldest_ms: row.oldest_ms, workers: Number(row.workers) };
    },
    read: (runId, range = {}) => rows(runId, range, eventOfRow),
    entries: (runId, range = {}) => rows(runId, range, entryOfRow),
    async appendedSince(position, limit) {
      const found = await ask<EventRow & { position: string; run_id: string }>(
        `SELECT e.position, r.run_id, ${EVENT_COLUMNS} FROM events e JOIN runs r ON r.number = e.run
         WHERE e.position > $1 ORDER BY e.position LIMIT $2`,
        position,
        limit,
      );
      return found.map((row) => ({ position: Number(row.position), logged: eventOfRow(row.run_id, row) }));
    },
    async lastPosition() {
      const [row] = await ask<{ position: string | null }>("SELECT max(position) AS position FROM events");
      return Number(row?.position ?? 0);
    },
    async audit(runId) {
      refuseWhenClosed();
      return auditStore(connections, runId);
    },
    async get(runId, key) {
      const [row] = await ask<{ value: string }>(
        "SELECT value FROM notes WHERE run = (SELECT number FROM runs WHERE run_id = $1) AND key = $2",
        runId,
        key,
      );
      return row?.value ?? null;
    },
    list: (runId, prefix) =>
      ask<{ key: string; value: string }>(
        `SELECT key, value FROM notes WHERE run = (SELECT number FROM runs WHERE run_id = $1)
           AND starts_with(key, $2) ORDER BY key`,
        runId,
        prefix,
      ),
  };
}

function headOfRow({ run_id, sequence, hash }: HeadRow) {
  return { run_id, sequence: Number(sequence ?? 0), hash: hash ?? GENESIS_HASH };
}

export function closedError(store: string): CoordinatorError {
  return new CoordinatorError("STORE_FAILED", `The store ${store} is closed`);
}
