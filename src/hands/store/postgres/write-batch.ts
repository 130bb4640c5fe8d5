import type { PoolClient } from "pg";
import { checkpointBody, checkpointKey, checkpointsDue } from "../chain/checkpoint.js";
import { appendResult, type LinkedEvent, linkEvents, type Prepared } from "../chain/hash-event.js";
import { type AppendResult, type ClaimResult, heldError, type StoreParts } from "../event-store.js";
import { holderOfRow, isHeld, LEASE_MS, type OwnPlace } from "./leases.js";
import type { RunEnd } from "./run-ends.js";
import type { Decided, Work } from "./work.js";

/* A batch is decided in memory, piece after piece, under the locks of its runs; then all that follows is written at once. */

interface WrittenEvent extends LinkedEvent {
  readonly run: string;
}

/** The rows that a batch writes. */
export interface Changes {
  readonly events: WrittenEvent[];
  readonly notes: Map<string, { run: string; key: string; value: string }>;
  /** By the run's number: to be taken, or to be given back. */
  readonly leases: Map<string, "take" | "drop">;
}

export interface Deciding {
  readonly parts: StoreParts;
  readonly holder: string;
  readonly own: OwnPlace;
  readonly now: string;
}

/** Contract: decides the pieces in their order, each on what the ones before it have left. Writes nothing. */
export function decideBatch(
  batch: readonly Work[],
  ends: ReadonlyMap<string, RunEnd>,
  deciding: Deciding,
): { readonly decided: readonly Decided[]; readonly changes: Changes } {
  const changes: Changes = { events: [], notes: new Map(), leases: new Map() };
  return { decided: batch.map((work) => decide(work, ends.get(work.runId), changes, deciding)), changes };
}

function decide(work: Work, end: RunEnd | undefined, changes: Changes, deciding: Deciding): Decided {
  if (work.kind === "release") {
    if (end !== undefined && (end.lease === null || end.lease.holder === deciding.holder))
      changes.leases.set(end.number, "drop");
    return { value: undefined };
  }
  if (end === undefined) return { refused: new TypeError(`${work.runId} was not locked`) };
  if (work.kind === "claim") return { value: claim(end, changes, deciding) };
  if (work.kind === "open") return { value: end.head };
  const other = otherHolder(end, deciding);
  if (other !== null) return { refused: heldError(other) };
  if (work.kind === "append") return { value: append(end, work.expected, work.events, changes, deciding) };
  changes.notes.set(`${end.number} ${work.key}`, { run: end.number, key: work.key, value: work.value });
  return { value: undefined };
}

function otherHolder({ lease }: RunEnd, { holder, own }: Deciding) {
  return lease !== null && lease.holder !== holder && isHeld(lease, own) ? holderOfRow(lease) : null;
}

function claim(end: RunEnd, { leases }: Changes, deciding: Deciding): ClaimResult {
  const other = otherHolder(end, deciding);
  if (other !== null) return { status: "held", holder: other };
  leases.set(end.number, "take");
  return { status: "claimed", head: end.head };
}

function append(end: RunEnd, expected: number, events: Prepared, changes: Changes, { parts }: Deciding): AppendResult {
  const { sha256, signer } = parts;
  if (end.head.sequence !== expected) return { status: "conflict", expected, actual: end.head.sequence };
  const marks = new Map<string, number>();
  for (const [i, { mark }] of events.entries()) {
    if (mark === null) continue;
    const key = JSON.stringify(mark);
    const before = end.marks.get(key) ?? marks.get(key);
    if (before !== undefined) return { status: "duplicate", sequence: before };
    marks.set(key, expected + i + 1);
  }
  const linked = linkEvents(end.head, events, sha256);
  for (const [key, sequence] of marks) end.marks.set(key, sequence);
  for (const event of linked) changes.events.push(Object.assign(event, { run: end.number }));
  if (signer !== undefined) {
    const { checkpoints, unsigned } = checkpointsDue(end.unsigned, linked, sha256);
    end.unsigned = unsigned;
    for (const due of checkpoints) {
      const note = { run: end.number, key: checkpointKey(due.sequence), value: signer.sign(checkpointBody(due)) };
      changes.notes.set(`${note.run} ${note.key}`, note);
    }
  }
  const { sequence, hash } = linked.at(-1) ?? end.head;
  end.head = { run_id: end.head.run_id, sequence, hash };
  return appendResult(linked);
}

/** Write what was decided. Contract: inside of the transaction that locked the runs. The order of locks: runs, then positions. */
export async function writeChanges(
  client: PoolClient,
  { events, notes, leases }: Changes,
  { holder, own, now }: Deciding,
  channel: string,
): Promise<void> {
  const numbers = (wanted: "take" | "drop") => [...leases].flatMap(([run, what]) => (what === wanted ? [run] : []));
  const [taken, dropped] = [numbers("take"), numbers("drop")];
  if (dropped.length > 0)
    await client.query("DELETE FROM leases WHERE run = ANY($1) AND holder = $2", [dropped, holder]);
  if (taken.length > 0)
    await client.query(
      `INSERT INTO leases (run, holder, host, place, pid, start_time, boot_id, since, valid_until)
       SELECT run, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + interval '${LEASE_MS} ms' FROM unnest($1::bigint[]) AS run
       ON CONFLICT (run) DO UPDATE SET holder = excluded.holder, host = excluded.host, place = excluded.place,
         pid = excluded.pid, start_time = excluded.start_time, boot_id = excluded.boot_id,
         since = CASE WHEN leases.holder = excluded.holder THEN leases.since ELSE excluded.since END,
         valid_until = excluded.valid_until`,
      [taken, holder, own.host, own.place, own.pid, own.start_time, own.boot_id, now],
    );
  if (notes.size > 0) {
    const all = [...notes.values()];
    await client.query(
      `INSERT INTO notes (run, key, value) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
       ON CONFLICT (run, key) DO UPDATE SET value = excluded.value`,
      [all.map(({ run }) => run), all.map(({ key }) => key), all.map(({ value }) => value)],
    );
  }
  if (events.length === 0) return;
  await client.query(INSERT_EVENTS, [
    events.length,
    events.map(({ run }) => run),
    events.map(({ sequence }) => sequence),
    events.map(({ at }) => at),
    events.map(({ clock_ms }) => clock_ms),
    events.map(({ type }) => type),
    events.map(({ mark }) => mark?.task_id ?? null),
    events.map(({ mark }) => mark?.attempt ?? null),
    events.map(({ text }) => text),
    events.map(({ previous_hash }) => previous_hash),
    events.map(({ hash }) => hash),
  ]);
  await client.query("SELECT pg_notify($1, '')", [channel]);
}

const INSERT_EVENTS = `
  WITH given AS (UPDATE positions SET last = last + $1::bigint RETURNING last - $1::bigint AS before)
  INSERT INTO events (position, run, sequence, at, clock_ms, type, task_id, attempt, event, previous_hash, hash)
  SELECT given.before + e.nth, e.run, e.sequence, e.at, e.clock_ms, e.type, e.task_id, e.attempt, e.event,
    decode(e.previous_hash, 'hex'), decode(e.hash, 'hex')
  FROM given, unnest($2::bigint[], $3::bigint[], $4::text[], $5::double precision[], $6::text[], $7::text[], $8::bigint[],
    $9::text[], $10::text[], $11::text[]) WITH ORDINALITY
    AS e (run, sequence, at, clock_ms, type, task_id, attempt, event, previous_hash, hash, nth)`;
