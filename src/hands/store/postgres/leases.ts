import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../../foundation/processes/process-identity.js";
import type { RunHolder } from "../event-store.js";

/*
 * Which process carries out which run: a row for each run that is claimed, valid for some seconds by the clock of the
 * server, and extended by its holder. A holder that cannot be reached for longer has lost it to the next process that asks.
 */

export const LEASE_MS = 5_000;
export const BEAT_MS = 1_000;

export interface LeaseRow {
  readonly run_id: string;
  readonly run: string;
  readonly holder: string;
  readonly host: string;
  readonly place: string;
  readonly pid: string;
  readonly start_time: string;
  readonly boot_id: string;
  readonly since: string;
  readonly is_valid: boolean;
  readonly age_ms: number;
}

/**
 * The leases with whether each is valid. While a server comes up nobody could extend any, so for one term after its start
 * all of them count.
 */
export const LEASE_ROWS = `SELECT l.run, r.run_id, l.holder, l.host, l.place, l.pid, l.start_time, l.boot_id, l.since,
    l.valid_until > clock_timestamp()
      OR pg_postmaster_start_time() + interval '${LEASE_MS} ms' > clock_timestamp() AS is_valid,
    (extract(epoch FROM clock_timestamp() - l.valid_until) * 1000 + ${LEASE_MS})::float8 AS age_ms
  FROM leases l JOIN runs r ON r.number = l.run`;

export interface OwnPlace extends ProcessIdentity {
  readonly host: string;
  readonly place: string;
}

export function ownPlace(): OwnPlace {
  const identity = ownIdentity();
  return { ...identity, host: hostname(), place: `${identity.boot_id} ${processNamespace()}` };
}

/** Containers of one machine share its boot id; a process number means something within one namespace only. */
function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return hostname();
  }
}

/** Contract: a lease counts while it is valid, unless its process is known to have ended. */
export function isHeld(row: LeaseRow, own: OwnPlace): boolean {
  if (!row.is_valid) return false;
  return row.place !== own.place || isAlive({ pid: Number(row.pid), start_time: row.start_time, boot_id: row.boot_id });
}

export function holderOfRow({ run_id, pid, start_time, boot_id, since, host }: LeaseRow): RunHolder {
  const elsewhere = host === hostname() ? {} : { host };
  return { run_id, pid: Number(pid), start_time, boot_id, since, ...elsewhere };
}
