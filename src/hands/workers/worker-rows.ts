import type { Connections } from "../store/postgres/connection.js";
import { LEASE_MS } from "../store/postgres/leases.js";
import { Abilities } from "./work-order.js";

/* Which workers there are, and what each can do: a row for each, valid for some seconds by the clock of the server. */

export interface WorkerSelf {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly protocol: string;
  readonly capacity: number;
}

/** The part of a worker's row that changes while it works. */
export interface WorkerState {
  readonly abilities: Abilities;
  readonly draining: boolean;
  /** Reasons that keep it from working as it should, in words. */
  readonly problem: string | null;
}

export interface WorkerRow extends WorkerSelf, WorkerState {
  readonly since: string;
  readonly doing: readonly { readonly run_id: string; readonly effect_id: string; readonly since: string }[];
}

/** While a server comes up nobody could extend a row, so for one term after its start all of them count. */
export const IS_LIVE = `(w.valid_until > clock_timestamp()
  OR pg_postmaster_start_time() + interval '${LEASE_MS} ms' > clock_timestamp())`;

/** Contract: the first beat of a worker makes its row, which stands before it takes anything. */
export async function beat({ ask }: Connections, self: WorkerSelf, state: WorkerState): Promise<void> {
  const { id, host, pid, version, protocol, capacity } = self;
  await ask(
    `INSERT INTO workers (id, host, pid, version, protocol, abilities, capacity, draining, problem, valid_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + interval '${LEASE_MS} ms')
     ON CONFLICT (id) DO UPDATE SET abilities = excluded.abilities, draining = excluded.draining,
       problem = excluded.problem, valid_until = excluded.valid_until`,
    [id, host, pid, version, protocol, JSON.stringify(state.abilities), capacity, state.draining, state.problem],
  );
}

export async function leave({ ask }: Connections, id: string): Promise<void> {
  await ask("DELETE FROM workers WHERE id = $1", [id]);
}

/** The workers that live, with what each does. */
export async function liveWorkers({ ask }: Connections): Promise<WorkerRow[]> {
  const rows = await ask<Omit<WorkerRow, "abilities" | "pid"> & { abilities: unknown; pid: string }>(
    `SELECT w.id, w.host, w.pid, w.version, w.protocol, w.capacity, w.abilities, w.draining, w.problem,
       to_char(w.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since,
       coalesce((SELECT json_agg(json_build_object('run_id', o.run_id, 'effect_id', o.effect_id,
           'since', to_char(o.taken_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) ORDER BY o.taken_at)
         FROM offers o WHERE o.taken_by = w.id AND o.done_at IS NULL), '[]'::json) AS doing
     FROM workers w WHERE ${IS_LIVE} ORDER BY w.since, w.id`,
  );
  return rows.flatMap(({ abilities, pid, ...row }) => {
    const read = Abilities.safeParse(abilities);
    // A worker of another version may say more of itself: it is not one that this program can count on.
    return read.success ? [{ ...row, pid: Number(pid), abilities: read.data }] : [];
  });
}
