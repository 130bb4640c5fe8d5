import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { SentEvent } from "../app/serve/event-feed.js";
import { SECURITY_HEADERS } from "./respond.js";

/*
 * Server-sent events. Nothing is kept for a viewer: it is given the next events when it has taken the last ones, and is
 * dropped when it takes nothing for too long. It then comes back with the id of the last event it has seen. A viewer whose
 * token was revoked or whose session ended is sent nothing more.
 */

export interface StreamLimits {
  readonly heartbeatMs: number;
  /** How long a viewer may take nothing. */
  readonly stallMs: number;
  /** For so long it counts that a viewer might look. */
  readonly trustedMs: number;
}

const USUAL_LIMITS: StreamLimits = { heartbeatMs: 15_000, stallMs: 30_000, trustedMs: 250 };

export interface Viewer {
  readonly outgoing: ServerResponse;
  /** Whether the viewer may still look. */
  readonly mayStill: () => boolean;
}

/** Contract: resolves when the viewer has gone, was dropped, or `events` ended. Never rejects because of the viewer. */
export async function sendEvents(
  { outgoing, mayStill }: Viewer,
  follow: (signal: AbortSignal) => AsyncIterable<readonly SentEvent[]>,
  { heartbeatMs, stallMs, trustedMs }: StreamLimits = USUAL_LIMITS,
): Promise<void> {
  const gone = new AbortController();
  let trustedUntil = performance.now() + trustedMs;
  const isRefused = () => {
    if (performance.now() < trustedUntil) return false;
    trustedUntil = performance.now() + trustedMs;
    return !mayStill();
  };
  outgoing.on("close", () => gone.abort());
  outgoing.on("error", () => gone.abort());
  outgoing.writeHead(200, {
    ...SECURITY_HEADERS,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  outgoing.write(": connected\nretry: 2000\n\n");
  const beat = setInterval(() => {
    if (isRefused()) gone.abort();
    else if (!outgoing.writableNeedDrain) outgoing.write(": heartbeat\n\n");
  }, heartbeatMs);
  try {
    for await (const page of follow(gone.signal)) {
      if (isRefused()) return;
      const text = page.map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`).join("");
      if (outgoing.write(text)) continue;
      const stalled = AbortSignal.timeout(stallMs);
      await once(outgoing, "drain", { signal: AbortSignal.any([stalled, gone.signal]) });
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  } finally {
    clearInterval(beat);
    gone.abort();
    outgoing.destroy();
  }
}
