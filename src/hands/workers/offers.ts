import type { PoolClient } from "pg";
import type { Connections } from "../store/postgres/connection.js";
import { ENGINE_PROTOCOL, Needs, Work } from "./work-order.js";
import { IS_LIVE } from "./worker-rows.js";

/*
 * Work that is offered to workers. An offer is open, taken by a worker, or done; one that was taken by a worker that is gone is open
 * again. Offers stay until their run is over, so that a process that asks again for an effect finds its offer.
 */

export interface NewOffer {
  readonly runId: string;
  readonly effectId: string;
  readonly needs: string;
  readonly priority: number;
  readonly pace: Pace | null;
  readonly work: Work;
}

/** How often attempts may begin with an agent, over all runs of the store. */
export interface Pace {
  readonly agent: string;
  readonly perMinute: number;
}

/** How the workflow of an offer is called. Contract: the same for everybody who asks for the same round of an effect. */
const keyOf = (runId: string, effectId: string, round: number) =>
  `${runId}:${effectId}${round === 1 ? "" : `~${round}`}`;

/**
 * Offer the work for an effect. Contract: idempotent: it is offered once, however many processes ask. An effect that was
 * cancelled is offered anew, as another round. Returns the key of the offer.
 */
export async function offer(
  { ask }: Connections,
  { runId, effectId, needs, priority, pace, work }: NewOffer,
): Promise<string> {
  for (;;) {
    const [last] = await ask<{ key: string; round: number; cancelled: boolean }>(
      `SELECT key, round, cancelled_at IS NOT NULL AS cancelled FROM offers
       WHERE run_id = $1 AND effect_id = $2 ORDER BY round DESC LIMIT 1`,
      [runId, effectId],
    );
    if (last !== undefined && !last.cancelled) return last.key;
    const round = (last?.round ?? 0) + 1;
    const key = keyOf(runId, effectId, round);
    await ask(
      `INSERT INTO offers (key, run_id, effect_id, round, protocol, needs, priority, agent, per_minute, work)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
      [
        key,
        runId,
        effectId,
        round,
        ENGINE_PROTOCOL,
        needs,
        priority,
        pace?.agent ?? null,
        pace?.perMinute ?? null,
        JSON.stringify(work),
      ],
    );
  }
}

/** The earlier offer for an effect, by any process; null where there is none, or it was cancelled. */
export async function findOffer({ ask }: Connections, runId: string, effectId: string): Promise<string | null> {
  const [last] = await ask<{ key: string; cancelled: boolean }>(
    `SELECT key, cancelled_at IS NOT NULL AS cancelled FROM offers
     WHERE run_id = $1 AND effect_id = $2 ORDER BY round DESC LIMIT 1`,
    [runId, effectId],
  );
  return last === undefined || last.cancelled ? null : last.key;
}

export async function cancelOffer({ ask }: Connections, key: string): Promise<void> {
  await ask("UPDATE offers SET cancelled_at = clock_timestamp() WHERE key = $1 AND cancelled_at IS NULL", [key]);
}

/** Contract: what was offered for a run that is over is removed with everything that was told of it. */
export async function removeOffers({ ask }: Connections, runId: string): Promise<string[]> {
  const rows = await ask<{ key: string }>("DELETE FROM offers WHERE run_id = $1 RETURNING key", [runId]);
  return rows.map(({ key }) => key);
}

export interface OfferNote {
  readonly key: string;
  readonly number: number;
  readonly note: unknown;
}

/** The notes on these offers after the last one that is known of each. */
export async function notesOf({ ask }: Connections, seen: ReadonlyMap<string, number>): Promise<OfferNote[]> {
  const rows = await ask<{ key: string; number: string; note: string }>(
    `SELECT n.key, n.number, n.note FROM unnest($1::text[], $2::bigint[]) AS s (key, last)
     JOIN offer_notes n ON n.key = s.key AND n.number > s.last ORDER BY n.number`,
    [[...seen.keys()], [...seen.values()]],
  );
  return rows.map(({ key, number, note }) => ({ key, number: Number(number), note: JSON.parse(note) as unknown }));
}

export async function writeNotes({ ask }: Connections, key: string, notes: readonly unknown[]): Promise<void> {
  const texts = notes.map((note) => JSON.stringify(note));
  // Its offer may have been removed with its run: then nobody reads it.
  await ask(
    `INSERT INTO offer_notes (key, note) SELECT o.key, t.note FROM offers o, unnest($2::text[]) WITH ORDINALITY AS t (note, n)
     WHERE o.key = $1 ORDER BY t.n`,
    [key, texts],
  );
}

/** The different needs of what is open. */
export async function needsOfOpen({ ask }: Connections): Promise<{ readonly text: string; readonly needs: Needs }[]> {
  const rows = await ask<{ needs: string }>(
    `SELECT DISTINCT needs FROM offers WHERE taken_by IS NULL AND done_at IS NULL AND cancelled_at IS NULL AND protocol = $1`,
    [ENGINE_PROTOCOL],
  );
  return rows.flatMap(({ needs: text }) => {
    const read = Needs.safeParse(JSON.parse(text));
    return read.success ? [{ text, needs: read.data }] : [];
  });
}

/**
 * Take open offers whose needs are among these, the most urgent first, and none that are named in `not`. Contract: in one
 * transaction with `enqueue`, which is called for each that nobody had before: both are there, or neither.
 */
export async function take(
  { patiently, lend }: Connections,
  worker: string,
  { fits, most, not }: { readonly fits: readonly string[]; readonly most: number; readonly not: readonly string[] },
  enqueue: (client: PoolClient, key: string, priority: number) => Promise<void>,
): Promise<{ readonly key: string; readonly again: boolean }[]> {
  if (fits.length === 0 || most <= 0) return [];
  return patiently(() =>
    lend(async (client) => {
      await client.query("BEGIN");
      const { rows: found } = await client.query(
        `SELECT key, agent, per_minute FROM offers o WHERE taken_by IS NULL AND done_at IS NULL AND cancelled_at IS NULL
           AND protocol = $1 AND needs = ANY($2) AND key <> ALL($4) AND (per_minute IS NULL OR per_minute > ${STARTS_OF_AGENT})
         ORDER BY priority, asked_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
        [ENGINE_PROTOCOL, [...fits], most, [...not]],
      );
      const keys = await withinPace(client, found as PacedOffer[]);
      const { rows } = await client.query(
        `UPDATE offers SET taken_by = $1, taken_at = clock_timestamp(), times_taken = times_taken + 1 WHERE key = ANY($2)
         RETURNING key, priority, times_taken`,
        [worker, keys],
      );
      const taken = rows as { key: string; priority: number; times_taken: number }[];
      for (const { key, priority, times_taken } of taken) if (times_taken === 1) await enqueue(client, key, priority);
      await client.query("COMMIT");
      return taken.map(({ key, times_taken }) => ({ key, again: times_taken > 1 }));
    }),
  );
}

interface PacedOffer {
  readonly key: string;
  readonly agent: string | null;
  readonly per_minute: number | null;
}

const STARTS_OF_AGENT = `(SELECT count(*) FROM agent_starts s
  WHERE s.agent = o.agent AND s.at > clock_timestamp() - interval '1 minute')`;

/** Any number; with the name of an agent, the same for every worker of the store. */
const PACE_LOCK = 7_290_303;

/** Of these offers the ones that may begin now. Contract: within a transaction; counts them, and has each agent to itself. */
async function withinPace(client: PoolClient, offers: readonly PacedOffer[]): Promise<string[]> {
  const keys = offers.flatMap(({ key, per_minute }) => (per_minute === null ? [key] : []));
  const agents = [...new Set(offers.flatMap(({ agent, per_minute }) => (per_minute === null ? [] : [agent ?? ""])))];
  // Everybody takes them in one order, so that nobody waits for somebody who waits for them.
  for (const agent of agents.sort()) {
    await client.query("SELECT pg_advisory_xact_lock($1, hashtext(current_schema() || ' ' || $2))", [PACE_LOCK, agent]);
    await client.query("DELETE FROM agent_starts WHERE agent = $1 AND at <= clock_timestamp() - interval '1 minute'", [
      agent,
    ]);
    const { rows } = await client.query("SELECT count(*)::int AS starts FROM agent_starts WHERE agent = $1", [agent]);
    let { starts } = rows[0] as { starts: number };
    for (const offered of offers) {
      if (offered.agent !== agent || offered.per_minute === null || starts >= offered.per_minute) continue;
      await client.query("INSERT INTO agent_starts (agent) VALUES ($1)", [agent]);
      keys.push(offered.key);
      starts++;
    }
  }
  return keys;
}

export async function workOf({ ask }: Connections, key: string): Promise<Work | null> {
  const [row] = await ask<{ work: string }>("SELECT work FROM offers WHERE key = $1", [key]);
  const read = row === undefined ? null : Work.safeParse(JSON.parse(row.work));
  return read?.success === true ? read.data : null;
}

/** Contract: changes nothing of an offer that another worker has by now. */
export async function markDone({ ask }: Connections, key: string, worker: string): Promise<void> {
  await ask("UPDATE offers SET done_at = clock_timestamp() WHERE key = $1 AND taken_by = $2", [key, worker]);
}

/** The offers that this worker no longer has: done, cancelled, removed, or taken by another one. */
export async function findLostOffers({ ask }: Connections, worker: string, keys: readonly string[]): Promise<string[]> {
  const rows = await ask<{ key: string }>(
    "SELECT key FROM offers WHERE key = ANY($1) AND taken_by = $2 AND cancelled_at IS NULL AND done_at IS NULL",
    [[...keys], worker],
  );
  const held = new Set(rows.map(({ key }) => key));
  return keys.filter((key) => !held.has(key));
}

/**
 * The lease sweep: what was taken by workers that are gone is open again. Contract: idempotent, one statement; it consumes
 * nothing, so a sweep that dies leaves the rest to the next one.
 */
export async function sweep({ ask }: Connections): Promise<void> {
  await ask(
    `UPDATE offers o SET taken_by = NULL WHERE o.taken_by IS NOT NULL AND o.done_at IS NULL AND o.cancelled_at IS NULL
       AND pg_postmaster_start_time() + interval '5 s' < clock_timestamp()
       AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = o.taken_by AND ${IS_LIVE})`,
  );
}

export interface WaitingOffer {
  readonly run_id: string;
  readonly effect_id: string;
  readonly needs: Needs;
  readonly seconds: number;
  /** Set where its agent may not begin as often as there is room. */
  readonly pace: string | null;
}

/** The offers that wait for a worker, the longest first. */
export async function waitingOffers({ ask }: Connections): Promise<WaitingOffer[]> {
  const rows = await ask<Omit<WaitingOffer, "needs"> & { needs: string }>(
    `SELECT run_id, effect_id, needs, CASE WHEN per_minute <= ${STARTS_OF_AGENT}
         THEN format('%s may begin %s times a minute', agent, per_minute) END AS pace, greatest(0, round(extract(epoch FROM clock_timestamp() - asked_at)))::int AS seconds
     FROM offers o WHERE taken_by IS NULL AND done_at IS NULL AND cancelled_at IS NULL ORDER BY asked_at LIMIT 200`,
  );
  return rows.flatMap(({ needs, ...row }) => {
    const read = Needs.safeParse(JSON.parse(needs));
    return read.success ? [{ ...row, needs: read.data }] : [];
  });
}
