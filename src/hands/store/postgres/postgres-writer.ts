import { crashPoint } from "../../../foundation/processes/crash-points.js";
import { prepareEvents } from "../chain/hash-event.js";
import type { AppendResult, ClaimResult, NewEvent, RunHead, StoreParts } from "../event-store.js";
import type { Connections } from "./connection.js";
import { storeFailure } from "./failure.js";
import { BEAT_MS, LEASE_MS, ownPlace } from "./leases.js";
import { lockRuns } from "./run-ends.js";
import type { Answers, Decided, Work } from "./work.js";
import { type Changes, decideBatch, type Deciding, writeChanges } from "./write-batch.js";

/*
 * Making something durable costs one round to the server and one sync of its disk, however much it is. So what is asked for
 * while a batch is under way waits for the next one, and everybody is answered after their commit.
 */

interface PendingWork {
  readonly work: Work;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Longer transactions would keep others from their runs for too long. */
const MOST_AT_ONCE = 512;

export interface PostgresWriter {
  open(runId: string): Promise<RunHead>;
  claim(runId: string): Promise<ClaimResult>;
  release(runId: string): Promise<void>;
  append(runId: string, expected: number, events: readonly NewEvent[]): Promise<AppendResult>;
  put(runId: string, key: string, value: string): Promise<void>;
  /** Whether this run was claimed and not given back; somebody else may have it all the same. */
  hasClaimed(runId: string): boolean;
  /** Contract: gives back every claim and resolves when everything asked for is answered. */
  end(): Promise<void>;
}

/** The writing half of the store; `holder` is who it is in the leases of runs. */
export function createWriter(
  connections: Connections,
  channel: string,
  holder: string,
  parts: StoreParts,
): PostgresWriter {
  const own = ownPlace();
  const claimed = new Set<string>();
  let queue: PendingWork[] = [];
  let flushing: Promise<void> | null = null;
  let beating: NodeJS.Timeout | null = null;
  /** Set by the first failed write. Nothing is written after it until the store is opened again. */
  let failed: Error | null = null;

  function submit<Kind extends Work["kind"]>(work: Work & { kind: Kind }): Promise<Answers[Kind]> {
    return new Promise<Answers[Kind]>((resolve, reject) => {
      queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      flushing ??= flush();
    });
  }

  async function flush(): Promise<void> {
    // Writes that are asked for in one turn are made together.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.slice(0, MOST_AT_ONCE);
      queue = queue.slice(MOST_AT_ONCE);
      await write(batch);
    }
    flushing = null;
  }

  async function write(batch: readonly PendingWork[]): Promise<void> {
    try {
      if (failed !== null) throw failed;
      const decided = await commit(batch.map(({ work }) => work));
      for (const [i, { work, resolve, reject }] of batch.entries()) {
        const outcome = decided[i] as Decided;
        if ("refused" in outcome) reject(outcome.refused);
        else resolve(outcome.value);
        if (work.kind === "release") claimed.delete(work.runId);
        if (work.kind === "claim" && "value" in outcome && (outcome.value as ClaimResult).status === "claimed")
          claimed.add(work.runId);
      }
      keepBeating();
    } catch (error) {
      failed ??= storeFailure(connections.store, error);
      for (const { reject } of batch) reject(failed);
    }
  }

  /** Contract: resolves after the commit. A batch that was committed before its answer was lost is not written again. */
  async function commit(batch: readonly Work[]): Promise<readonly Decided[]> {
    let unanswered: { readonly decided: readonly Decided[]; readonly changes: Changes } | null = null;
    return connections.patiently(() =>
      connections.lend(async (client) => {
        await client.query("BEGIN");
        const ends = await lockRuns(client, batch, parts.signer !== undefined);
        // INVARIANT: under the locks: the server may still have been at work on the commit that was not answered.
        if (unanswered !== null && (await isCommitted(client, unanswered.changes))) {
          await client.query("ROLLBACK");
          return unanswered.decided;
        }
        const deciding: Deciding = { parts, holder, own, now: new Date().toISOString() };
        const outcome = decideBatch(batch, ends, deciding);
        await writeChanges(client, outcome.changes, deciding, channel);
        crashPoint("store.before_commit");
        unanswered = outcome;
        await client.query("COMMIT");
        crashPoint("store.after_commit");
        return outcome.decided;
      }),
    );
  }

  /** Leases are valid for some seconds: they are extended for as long as this process has runs. */
  function keepBeating(): void {
    if (claimed.size === 0 || beating !== null || failed !== null) return;
    beating = setTimeout(() => void beat(), BEAT_MS);
    beating.unref();
  }

  async function beat(): Promise<void> {
    try {
      await connections.lend((client) =>
        client.query(
          `UPDATE leases SET valid_until = clock_timestamp() + interval '${LEASE_MS} ms' WHERE holder = $1`,
          [holder],
        ),
      );
    } catch {
      // Tried again at the next beat; a lease that was lost meanwhile refuses the next append.
    }
    beating = null;
    keepBeating();
  }

  return {
    open: (runId) => submit({ kind: "open", runId }),
    claim: (runId) => submit({ kind: "claim", runId }),
    release: (runId) => submit({ kind: "release", runId }),
    append: (runId, expected, events) =>
      submit({ kind: "append", runId, expected, events: prepareEvents(events, parts.redact) }),
    put: (runId, key, value) => submit({ kind: "put", runId, key, value }),
    hasClaimed: (runId) => claimed.has(runId),
    async end() {
      // A claim that cannot be given back ends with its term.
      await Promise.all([...claimed].map((runId) => submit({ kind: "release", runId }).catch(() => undefined)));
      await flushing;
      claimed.clear();
      if (beating !== null) clearTimeout(beating);
    },
  };
}

/** Whether a transaction whose answer was lost was carried out: then the last event it wrote stands in the log. */
async function isCommitted(
  client: { query(sql: string, values: unknown[]): Promise<{ rowCount: number | null }> },
  { events }: Changes,
): Promise<boolean> {
  const last = events.at(-1);
  if (last === undefined) return false;
  const { rowCount } = await client.query(
    "SELECT 1 FROM events WHERE run = $1 AND sequence = $2 AND hash = decode($3, 'hex')",
    [last.run, last.sequence, last.hash],
  );
  return rowCount === 1;
}
