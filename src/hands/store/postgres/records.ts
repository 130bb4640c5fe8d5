import { createHash } from "node:crypto";
import { CoordinatorError } from "../../../model/errors.js";
import type { StoredRecords } from "../event-store.js";
import type { Connections } from "./connection.js";

/** A larger record stays on the machine that made it: the server would have to hold it in memory as a whole. */
export const LARGEST_RECORD_BYTES = 64 * 1024 * 1024;

/** The leases of a process that writes. */
export interface OwnLeases {
  readonly holder: string;
  /** Whether it claimed this run and has not given it back. */
  readonly hasClaimed: (runId: string) => boolean;
}

/**
 * The lease is locked until the record is written: nobody takes the run over in between. The last value is null for a process that has
 * not claimed the run, as when runs are copied into the store.
 */
const PUT = `WITH lease AS (
    SELECT l.holder FROM leases l JOIN runs r ON r.number = l.run WHERE r.run_id = $1 FOR SHARE OF l
  ), ours AS (
    SELECT $6::text IS NULL OR EXISTS (SELECT 1 FROM lease WHERE holder = $6) AS held
  ), written AS (
    INSERT INTO records (run_id, name, bytes, checksum, content) SELECT $1, $2, $3, $4, $5 FROM ours WHERE held
    ON CONFLICT (run_id, name) DO UPDATE
      SET bytes = excluded.bytes, checksum = excluded.checksum, content = excluded.content
      WHERE records.checksum <> excluded.checksum OR records.content IS NULL
  )
  SELECT held FROM ours`;

/**
 * The records of all runs in the store. Contract: as `StoredRecords` says; a connection that reads only refuses to put, and a process
 * that has lost a run to another one is refused with STORE_LOCKED.
 */
export function createRecords({ ask }: Connections, refuseWhenClosed: () => void, own?: OwnLeases): StoredRecords {
  return {
    async put(runId, name, content) {
      refuseWhenClosed();
      const checksum = createHash("sha256").update(content).digest();
      const kept = content.length > LARGEST_RECORD_BYTES ? null : content;
      const holder = own?.hasClaimed(runId) === true ? own.holder : null;
      const [row] = await ask<{ held: boolean }>(PUT, [runId, name, content.length, checksum, kept, holder]);
      if (row?.held === true) return;
      throw new CoordinatorError("STORE_LOCKED", `Another process carries out ${runId} by now`, {
        fix: `coordinator watch ${runId} follows it; this process can be ended.`,
      });
    },
    async get(runId, name) {
      refuseWhenClosed();
      const [row] = await ask<{ content: Buffer | null }>(
        "SELECT content FROM records WHERE run_id = $1 AND name = $2",
        [runId, name],
      );
      return row?.content ?? null;
    },
    async names(runId) {
      refuseWhenClosed();
      const rows = await ask<{ name: string }>("SELECT name FROM records WHERE run_id = $1 ORDER BY name", [runId]);
      return rows.map(({ name }) => name);
    },
  };
}
