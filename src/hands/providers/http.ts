import { setTimeout as sleep } from "node:timers/promises";
import type { AttemptOutcome } from "../../model/run.js";
import { timeLimit } from "./time-limit.js";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";

/* One request to a model's API: bounded in time and size, waited for when the server says when, and without its key in any message. */

export type StructuralFailure = Extract<AttemptOutcome, { kind: "structural" }>;

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly timeoutMs: number;
  /** A secret that must not be in any message. */
  readonly secret: string | null;
}

export type Posted =
  | { readonly status: "answered"; readonly body: unknown; readonly calls: number }
  | {
      readonly status: "failed";
      readonly failure: StructuralFailure | { readonly kind: "cancelled" };
      readonly gone: boolean;
      /** Whether the model may have worked although nothing of it came back. */
      readonly mayHaveUsed: boolean;
      readonly calls: number;
    };

const MOST_BYTES = 16 * 1024 * 1024;
/** How often a server that says when to come back is asked again within one call. */
const COMEBACKS = 2;

/** Contract: never rejects. */
export async function postJson(post: Post, signal: AbortSignal): Promise<Posted> {
  const deadline = performance.now() + post.timeoutMs;
  const clean = (text: string) =>
    (post.secret === null || post.secret === "" ? text : text.replaceAll(post.secret, "•••")).slice(0, 500);
  for (let calls = 1; ; calls++) {
    const left = Math.max(1, deadline - performance.now());
    const limit = timeLimit(left, signal);
    const fail = (
      error: StructuralFailure["error"],
      message: string,
      { gone = false, mayHaveUsed = false } = {},
    ): Posted => {
      const failure = { kind: "structural", error, message: clean(message) } as const;
      return { status: "failed", failure, gone, mayHaveUsed, calls };
    };
    let response: Response;
    let text: string;
    try {
      response = await fetch(post.url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...post.headers },
        body: JSON.stringify(post.body),
        // A key must not follow to wherever an answer points.
        redirect: "error",
        signal: limit.signal,
      });
      text = await readBounded(response);
    } catch (error) {
      if (signal.aborted)
        return { status: "failed", failure: { kind: "cancelled" }, gone: false, mayHaveUsed: true, calls };
      if (limit.passed())
        return fail("timeout", `There was no answer within ${post.timeoutMs / 1000} seconds.`, { mayHaveUsed: true });
      return fail("lost_connection", `The model cannot be reached: ${reasonOf(error)}`, {
        mayHaveUsed: !isRefused(error),
      });
    } finally {
      limit.end();
    }
    if (response.ok) {
      const body = jsonOrUndefined(text);
      if (body !== undefined) return { status: "answered", body, calls };
      return fail("malformed_output", "The API answered with something that is not JSON.", { mayHaveUsed: true });
    }
    const wait = retryAfterMs(response.headers);
    const canWait = wait !== null && wait < deadline - performance.now();
    if (isBusy(response.status) && canWait && calls <= COMEBACKS) {
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      continue;
    }
    const said = messageIn(text);
    const isUsed = response.status === 429 && /quota|usage limit|credit/i.test(said);
    const error = isUsed ? "usage_limit" : isLimit(response.status) ? "rate_limit" : "lost_connection";
    return fail(error, `The API answered ${response.status}: ${said}`, { gone: !isBusy(response.status) });
  }
}

const isLimit = (status: number) => status === 429 || status === 529;
const isBusy = (status: number) => status === 408 || isLimit(status) || status >= 500;

/** Seconds or a date, as HTTP has it. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  const seconds = Number(value);
  if (value.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Both providers put it into `error.message`; what stands before them on the way does not. */
function messageIn(text: string): string {
  const { error } = (jsonOrUndefined(text) ?? {}) as { error?: { message?: unknown } | string };
  const message = typeof error === "string" ? error : error?.message;
  return typeof message === "string" ? message : text.replace(/\s+/g, " ").trim().slice(0, 200);
}

function codeOf(error: unknown): string | undefined {
  const { cause, code } = error as { cause?: { code?: string }; code?: string };
  return cause?.code ?? code;
}

const isRefused = (error: unknown) => ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(codeOf(error) ?? "");

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return codeOf(error) ?? cause?.message ?? message ?? String(error);
}
