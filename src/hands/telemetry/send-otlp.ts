import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { SignalSettings } from "./otlp-settings.js";

const pack = promisify(gzip);

/** `sent`: taken. `refused`: it will never be taken as it is. `later`: the collector is away or busy. */
export interface Sent {
  readonly outcome: "sent" | "refused" | "later";
  readonly problem: string | null;
  /** How long the collector wants to be left alone. */
  readonly waitMs: number;
}

const LATER = new Set([408, 429, 502, 503, 504]);
const MOST_WAIT_MS = 300_000;

/** Send one document to a collector. Contract: never rejects, takes no longer than its time limit, follows no redirect. */
export async function sendOtlp(
  { url, headers, timeoutMs, gzip: packs }: SignalSettings,
  document: object,
  stopped: AbortSignal,
): Promise<Sent> {
  try {
    const text = JSON.stringify(document);
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", ...(packs ? { "content-encoding": "gzip" } : {}) },
      body: packs ? new Uint8Array(await pack(text)) : text,
      redirect: "error",
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopped]),
    });
    const said = await response.text().catch(() => "");
    if (response.ok) return { outcome: "sent", problem: findRejected(said), waitMs: 0 };
    const problem = `${url} answered ${response.status}`;
    if (!LATER.has(response.status)) return { outcome: "refused", problem, waitMs: 0 };
    return { outcome: "later", problem, waitMs: retryAfter(response.headers.get("retry-after")) };
  } catch (error) {
    return { outcome: "later", problem: `${url} does not answer: ${reasonOf(error)}`, waitMs: 0 };
  }
}

/** Reads the message of a collector that took only a part; null when it took all. */
function findRejected(text: string): string | null {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedSpans?: unknown; rejectedDataPoints?: unknown; errorMessage?: string };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? partialSuccess?.rejectedDataPoints ?? 0);
    return rejected > 0 ? `The collector rejected ${rejected}: ${partialSuccess?.errorMessage ?? ""}` : null;
  } catch {
    return null;
  }
}

function retryAfter(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * 1000, MOST_WAIT_MS) : 0;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}
