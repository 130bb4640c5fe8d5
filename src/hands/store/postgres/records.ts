import { createHash } from "node:crypto";
import type { StoredRecords } from "../event-store.js";
import type { Connections } from "./connection.js";

/** A larger record stays on the machine that made it: the server would have to hold it in memory as a whole. */
export const LARGEST_RECORD_BYTES = 64 * 1024 * 1024;

/** The records of all runs in the store. Contract: as `StoredRecords` says; a connection that reads only refuses to put. */
export function createRecords({ ask }: Connections, refuseWhenClosed: () => void): StoredRecords {
  return {
    async put(runId, name, content) {
      refuseWhenClosed();
      const checksum = createHash("sha256").update(content).digest();
      const kept = content.length > LARGEST_RECORD_BYTES ? null : content;
      await ask(
        `INSERT INTO records (run_id, name, bytes, checksum, content) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (run_id, name) DO UPDATE
           SET bytes = excluded.bytes, checksum = excluded.checksum, content = excluded.content
           WHERE records.checksum <> excluded.checksum OR records.content IS NULL`,
        [runId, name, content.length, checksum, kept],
      );
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
