import type { StoredSignals } from "../event-store.js";
import type { Connections, ConnectionOptions } from "./connection.js";
import { followChannel, signalChannelOf } from "./follow.js";

/** The signals of all runs in the store. Contract: as `StoredSignals` says. */
export function createSignals(
  { ask }: Connections,
  options: ConnectionOptions,
  refuseWhenClosed: () => void,
): StoredSignals {
  const channel = signalChannelOf(options.address.schema);
  async function query<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    refuseWhenClosed();
    return ask<Row>(sql, values);
  }
  return {
    async leave({ signal_id, run_id, text }) {
      // One statement, so that what wakes is committed with the row.
      await query(
        `WITH put AS (INSERT INTO signals (signal_id, run_id, signal) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1)
         SELECT pg_notify($4, '') FROM put`,
        signal_id,
        run_id,
        text,
        channel,
      );
    },
    left: () =>
      query<{ signal_id: string; text: string }>(
        "SELECT signal_id, signal AS text FROM signals WHERE verdict IS NULL ORDER BY left_at, signal_id",
      ),
    async isLeft(signalId) {
      return (await query("SELECT 1 FROM signals WHERE signal_id = $1 AND verdict IS NULL", signalId)).length > 0;
    },
    async verdict(signalId) {
      const [row] = await query<{ verdict: string | null }>(
        "SELECT verdict FROM signals WHERE signal_id = $1",
        signalId,
      );
      return row?.verdict ?? null;
    },
    async judge(signalId, verdict) {
      await query(
        "UPDATE signals SET verdict = $2, judged_at = clock_timestamp() WHERE signal_id = $1 AND verdict IS NULL",
        signalId,
        verdict,
      );
    },
    async forget(signalId) {
      await query("DELETE FROM signals WHERE signal_id = $1 AND verdict IS NOT NULL", signalId);
    },
    async sweep() {
      await query("DELETE FROM signals WHERE judged_at < clock_timestamp() - interval '1 day'");
    },
    async follow(wake) {
      refuseWhenClosed();
      return followChannel(options, channel, wake);
    },
  };
}
