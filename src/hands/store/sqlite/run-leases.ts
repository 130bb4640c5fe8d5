import { isAlive, type ProcessIdentity } from "../../../foundation/processes/process-identity.js";
import type { RunHolder } from "../event-store.js";
import type { Database, Statement } from "./driver.js";

/*
 * Which process carries out which run: a row for each run that is claimed. A row outlives its process, so who reads it
 * asks whether that process lives. Rows are only changed inside of a write transaction.
 */

/** A run that another store has claimed was written to. Refuses one append; the store goes on. */
export class RunHeld extends Error {
  readonly holder: RunHolder;

  constructor(holder: RunHolder) {
    super(`${holder.run_id} is carried out by process ${holder.pid}`);
    this.holder = holder;
  }
}

interface LeaseRow extends ProcessIdentity {
  readonly run_id: string;
  readonly holder: string;
  readonly since: string;
}

const COLUMNS = "r.run_id, l.holder, l.pid, l.start_time, l.boot_id, l.since";

function holderOfRow({ run_id, pid, start_time, boot_id, since }: LeaseRow): RunHolder {
  return { run_id, pid, start_time, boot_id, since };
}

/** Reads the runs that living processes carry out. */
export function holdersReader(database: Database): () => RunHolder[] {
  let all: Statement | null = null;
  return () => {
    // A store that only an older version has written to has no leases until it is opened to write.
    if (all === null && !hasLeases(database)) return [];
    all ??= database.prepare(`SELECT ${COLUMNS} FROM leases l JOIN runs r ON r.number = l.run ORDER BY r.run_id`);
    return (all.all() as LeaseRow[]).filter(isAlive).map(holderOfRow);
  };
}

function hasLeases(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'leases'").get() !== undefined;
}

export interface RunLeases {
  /** Contract: takes the lease, or returns who has it and lives. Inside of a write transaction. */
  take(run: number, since: string): RunHolder | null;
  /** Contract: throws RunHeld when another store has the run. Inside of a write transaction. */
  refuseHeld(run: number): void;
  drop(run: number): void;
  dropAll(): void;
}

/** The leases as one store sees them, which is `holder` in them. */
export function createLeases(database: Database, holder: string, self: ProcessIdentity): RunLeases {
  const found = database.prepare(
    `SELECT ${COLUMNS} FROM leases l JOIN runs r ON r.number = l.run WHERE l.run = ? AND l.holder <> ?`,
  );
  const put = database.prepare(
    `INSERT INTO leases (run, holder, pid, start_time, boot_id, since) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (run) DO UPDATE SET holder = excluded.holder, pid = excluded.pid, start_time = excluded.start_time,
       boot_id = excluded.boot_id, since = excluded.since WHERE leases.holder <> excluded.holder`,
  );
  const remove = database.prepare("DELETE FROM leases WHERE run = ? AND holder = ?");
  const removeAll = database.prepare("DELETE FROM leases WHERE holder = ?");

  function otherHolder(run: number): RunHolder | null {
    const row = found.get(run, holder) as LeaseRow | undefined;
    return row !== undefined && isAlive(row) ? holderOfRow(row) : null;
  }

  return {
    take(run, since) {
      const other = otherHolder(run);
      if (other !== null) return other;
      put.run(run, holder, self.pid, self.start_time, self.boot_id, since);
      return null;
    },
    refuseHeld(run) {
      const other = otherHolder(run);
      if (other !== null) throw new RunHeld(other);
    },
    drop: (run) => void remove.run(run, holder),
    dropAll: () => void removeAll.run(holder),
  };
}
