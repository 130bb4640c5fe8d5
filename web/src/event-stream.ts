/* The stream of events of the server, followed once: by a worker that all tabs of a browser share, or by the page itself. */

export interface LiveEvent {
  readonly project: string;
  readonly run_id: string;
  readonly sequence: number;
  readonly event: { readonly type: string };
}

export type Connection = "connecting" | "live" | "offline";

/** A message of the stream to those who follow it. */
export type StreamMessage =
  | { readonly type: "connection"; readonly connection: Connection }
  | { readonly type: "event"; readonly event: LiveEvent }
  /** The session has ended: the server says why. */
  | { readonly type: "logged_out"; readonly problem: unknown };

export interface FollowedStream {
  /** Contract: does nothing while the stream is open. The browser reconnects by itself and names the last event it saw. */
  readonly open: () => void;
  readonly close: () => void;
  readonly connection: () => Connection;
}

const RETRY_MS = 2000;

export function followStream(tell: (message: StreamMessage) => void): FollowedStream {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let connection: Connection = "connecting";
  const setConnection = (now: Connection) => {
    if (connection === now) return;
    connection = now;
    tell({ type: "connection", connection: now });
  };

  function open(): void {
    if (source !== null && source.readyState !== EventSource.CLOSED) return;
    clearTimeout(retry);
    const opened = new EventSource("/api/v1/events");
    source = opened;
    opened.addEventListener("open", () => setConnection("live"));
    opened.addEventListener("error", () => {
      if (source !== opened) return;
      setConnection("offline");
      if (opened.readyState === EventSource.CLOSED) void askAgain(opened);
    });
    opened.addEventListener("message", (message: MessageEvent<string>) =>
      tell({ type: "event", event: JSON.parse(message.data) as LiveEvent }),
    );
  }

  /** A stream that was refused is closed for good. It is tried again, unless the server no longer knows who asks. */
  async function askAgain(opened: EventSource): Promise<void> {
    const answer = await fetch("/api/v1/session", { credentials: "same-origin" }).catch(() => null);
    const problem: unknown = answer?.status === 401 ? await answer.json().catch(() => null) : null;
    if (source !== opened) return;
    if (answer?.status !== 401) {
      retry = setTimeout(open, RETRY_MS);
      return;
    }
    source = null;
    tell({ type: "logged_out", problem });
  }

  return {
    open,
    close() {
      clearTimeout(retry);
      source?.close();
      source = null;
      connection = "connecting";
    },
    connection: () => connection,
  };
}
