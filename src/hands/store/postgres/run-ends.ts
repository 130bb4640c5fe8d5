import type { PoolClient } from "pg";
import { ALL_UNSIGNED, CHECKPOINT_PREFIX, sequenceOfKey, type Unsigned } from "../chain/checkpoint.js";
import { GENESIS_HASH } from "../chain/hash-event.js";
import type { RunHead } from "../event-store.js";
import { LEASE_ROWS, type LeaseRow } from "./leases.js";
import type { Work } from "./work.js";

/* The facts a batch must know of its runs before anything is decided, read under the locks that keep it true until the commit. */

/** A run as it stands within the transaction. Changed while the pieces of a batch are decided one after the other. */
export interface RunEnd {
  readonly number: string;
  head: RunHead;
  unsigned: Unsigned;
  lease: LeaseRow | null;
  /** Which event is the start or the end of an attempt, by what it is about. */
  readonly marks: Map<string, number>;
}

/**
 * Lock the runs of a batch and read where they end. Contract: inside of a transaction. A run that was never opened is made
 * known, unless it is only to be released.
 */
export async function lockRuns(
  client: PoolClient,
  batch: readonly Work[],
  isSigned: boolean,
): Promise<Map<string, RunEnd>> {
  const made = unique(batch.filter(({ kind }) => kind !== "release").map(({ runId }) => runId));
  const all = unique(batch.map(({ runId }) => runId));
  await client.query(
    "INSERT INTO runs (run_id) SELECT id FROM unnest($1::text[]) AS id ORDER BY id ON CONFLICT DO NOTHING",
    [made],
  );
  // INVARIANT: in one order by everybody, so that two batches never wait for each other.
  const locked = await rowsOf<{ number: string; run_id: string }>(
    client,
    "SELECT number, run_id FROM runs WHERE run_id = ANY($1) ORDER BY run_id FOR UPDATE",
    [all],
  );
  const numbers = locked.map(({ number }) => number);
  // Asked after the locks and by statements of their own: one statement sees the state of its own beginning.
  const heads = await rowsOf<{ number: string; sequence: string | null; hash: string | null }>(
    client,
    `SELECT r.number, e.sequence, encode(e.hash, 'hex') AS hash FROM unnest($1::bigint[]) AS r (number)
     LEFT JOIN LATERAL (SELECT sequence, hash FROM events WHERE run = r.number ORDER BY sequence DESC LIMIT 1) e ON true`,
    [numbers],
  );
  const leases = await rowsOf<LeaseRow>(client, `${LEASE_ROWS} WHERE l.run = ANY($1)`, [numbers]);
  const idOf = new Map(locked.map(({ number, run_id }) => [number, run_id]));
  const ends = new Map<string, RunEnd>();
  for (const { number, sequence, hash } of heads) {
    const run_id = idOf.get(number) as string;
    ends.set(run_id, {
      number,
      head: { run_id, sequence: Number(sequence ?? 0), hash: hash ?? GENESIS_HASH },
      unsigned: ALL_UNSIGNED,
      lease: leases.find(({ run }) => run === number) ?? null,
      marks: new Map(),
    });
  }
  await readMarks(client, batch, ends);
  if (isSigned) await readUnsigned(client, batch, ends);
  return ends;
}

/** Which of the starts and ends of attempts that a batch brings are in the log already. */
async function readMarks(client: PoolClient, batch: readonly Work[], ends: ReadonlyMap<string, RunEnd>): Promise<void> {
  const asked = batch.flatMap((work) =>
    work.kind !== "append"
      ? []
      : work.events.flatMap(({ mark }) =>
          mark === null ? [] : [{ run: ends.get(work.runId)?.number, runId: work.runId, mark }],
        ),
  );
  if (asked.length === 0) return;
  const found = await rowsOf<{ run: string; type: string; task_id: string; attempt: string; sequence: string }>(
    client,
    `SELECT e.run, e.type, e.task_id, e.attempt, e.sequence
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS a (run, type, task_id, attempt)
     JOIN events e ON e.run = a.run AND e.type = a.type AND e.task_id = a.task_id AND e.attempt = a.attempt`,
    [
      asked.map(({ run }) => run),
      asked.map(({ mark }) => mark.type),
      asked.map(({ mark }) => mark.task_id),
      asked.map(({ mark }) => mark.attempt),
    ],
  );
  const byNumber = new Map([...ends.values()].map((end) => [end.number, end]));
  for (const { run, type, task_id, attempt, sequence } of found)
    byNumber.get(run)?.marks.set(JSON.stringify({ type, task_id, attempt: Number(attempt) }), Number(sequence));
}

/** The events of each log behind its last checkpoint. */
async function readUnsigned(
  client: PoolClient,
  batch: readonly Work[],
  ends: ReadonlyMap<string, RunEnd>,
): Promise<void> {
  for (const runId of unique(batch.filter(({ kind }) => kind === "append").map((work) => work.runId))) {
    const end = ends.get(runId);
    if (end === undefined || end.head.sequence === 0) continue;
    const [note] = await rowsOf<{ key: string }>(
      client,
      "SELECT key FROM notes WHERE run = $1 AND starts_with(key, $2) ORDER BY key DESC LIMIT 1",
      [end.number, CHECKPOINT_PREFIX],
    );
    const signed = note === undefined ? 0 : sequenceOfKey(note.key);
    const rows = await rowsOf<{ sequence: string; clock_ms: number; hash: string }>(
      client,
      "SELECT sequence, clock_ms, encode(hash, 'hex') AS hash FROM events WHERE run = $1 AND sequence >= $2 ORDER BY sequence",
      [end.number, signed],
    );
    const last = rows.find(({ sequence }) => Number(sequence) === signed);
    const after = rows.filter((row) => row !== last);
    end.unsigned = { sequence: signed, clock_ms: last?.clock_ms ?? 0, hashes: after.map(({ hash }) => hash) };
  }
}

async function rowsOf<Row>(client: PoolClient, sql: string, values: unknown[]): Promise<Row[]> {
  return (await client.query(sql, values)).rows as Row[];
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort();
}
