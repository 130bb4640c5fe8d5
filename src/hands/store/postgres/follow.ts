import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { clientConfig, type ConnectionOptions } from "./connection.js";

/** The channel on which writers of a schema say that they have appended. */
export const channelOf = (schema: string) => `coordinator_${schema}`.slice(0, 63);

/** The channel on which it is said that a signal was left. */
export const signalChannelOf = (schema: string) => `coordinator_signal_${schema}`.slice(0, 63);

const AGAIN_MS = 1_000;

/** Listen for appends. Contract: as `followChannel`. */
export function followAppends(options: ConnectionOptions, wake: () => void): Promise<() => Promise<void>> {
  return followChannel(options, channelOf(options.address.schema), wake);
}

/**
 * Listen on a channel. Contract: calls `wake` soon after a notification of any process, and once at each new connection, since
 * some may have been missed before it. A lost connection is made again. Resolves to what ends it.
 */
export async function followChannel(
  options: ConnectionOptions,
  channel: string,
  wake: () => void,
): Promise<() => Promise<void>> {
  const { Client: ClientClass } = await import("pg");
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: Client | null = null;

  async function listenOnce(): Promise<void> {
    const client = new ClientClass(clientConfig(options));
    current = client;
    const ended = new Promise<void>((resolve) => {
      client.on("error", () => resolve());
      client.on("end", () => resolve());
    });
    try {
      client.on("notification", wake);
      await client.connect();
      await client.query(`LISTEN "${channel}"`);
      wake();
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  const listening = (async () => {
    while (!signal.aborted) {
      await listenOnce().catch(() => undefined);
      if (!signal.aborted) await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();

  return async () => {
    stopping.abort();
    await current?.end().catch(() => undefined);
    await listening;
  };
}
