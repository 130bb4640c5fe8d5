import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/*
 * JSON lines between us and an agent that is not trusted to write any. Lines that are not a message are counted and left
 * out; a line without an end and a flood end the conversation. Nothing is ever written back for a bad line: an agent
 * that prints without reading would block us both.
 */

export interface LineLimits {
  readonly lineBytes: number;
  readonly totalBytes: number;
}

export interface LineStream extends Stream {
  /** Lines that were not a message, and the first of them. */
  readonly garbage: () => { readonly lines: number; readonly first: string };
  /** Why reading stopped before the agent's output ended; null when it did not. */
  readonly overrun: () => string | null;
}

/** Kinds of updates the protocol knows. Others are an agent's own and are nobody's concern. */
const KNOWN_UPDATES = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "current_mode_update",
  "config_option_update",
  "usage_update",
]);

export function lineStream(stdin: Writable, stdout: Readable, limits: LineLimits, onMessage: () => void): LineStream {
  let lines = 0;
  let first = "";
  let overrun: string | null = null;
  let total = 0;
  const pending: Buffer[] = [];
  let pendingBytes = 0;
  let open = true;

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const close = () => {
        if (!open) return;
        open = false;
        controller.close();
      };
      const take = (line: string) => {
        const text = line.trim();
        if (text === "" || !open) return;
        const message = messageIn(text);
        if (message === null) {
          if (lines++ === 0) first = text.slice(0, 200);
          return;
        }
        onMessage();
        if (message !== "ignored") controller.enqueue(message);
      };
      const stop = (why: string) => {
        overrun ??= why;
        pending.length = 0;
        stdout.destroy();
        close();
      };
      stdout.on("data", (chunk: Buffer) => {
        if (!open) return;
        total += chunk.length;
        if (total > limits.totalBytes) return stop(`it printed more than the ${limits.totalBytes} bytes it may`);
        let from = 0;
        for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
          pending.push(chunk.subarray(from, end));
          const line = Buffer.concat(pending).toString("utf8");
          pending.length = 0;
          pendingBytes = 0;
          from = end + 1;
          take(line);
        }
        if (from < chunk.length) {
          pending.push(chunk.subarray(from));
          pendingBytes += chunk.length - from;
        }
        if (pendingBytes > limits.lineBytes) stop(`it printed a line of more than ${limits.lineBytes} bytes`);
      });
      stdout.on("end", () => {
        take(Buffer.concat(pending).toString("utf8"));
        close();
      });
      stdout.on("error", close);
      stdout.on("close", close);
    },
    cancel() {
      open = false;
    },
  });

  // An agent that is gone does not read any more; that it is gone is found out elsewhere.
  stdin.on("error", () => undefined);
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      if (!stdin.destroyed && !stdin.writableEnded) stdin.write(`${JSON.stringify(message)}\n`);
    },
  });
  return { readable, writable, garbage: () => ({ lines, first }), overrun: () => overrun };
}

function messageIn(text: string): AnyMessage | "ignored" | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { method, id, params } = value as { method?: unknown; id?: unknown; params?: { update?: unknown } | null };
  if (typeof method !== "string" && (id === undefined || !("result" in value || "error" in value))) return null;
  if (method !== "session/update") return value as AnyMessage;
  const kind = (params?.update as { sessionUpdate?: unknown } | undefined)?.sessionUpdate;
  if (typeof kind !== "string") return null;
  return KNOWN_UPDATES.has(kind) ? (value as AnyMessage) : "ignored";
}
