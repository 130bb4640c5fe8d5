import { useSyncExternalStore } from "react";

/* One stream of events for the whole page. Shown data is read again when an event changes it. */

export interface LiveEvent {
  readonly project: string;
  readonly run_id: string;
  readonly sequence: number;
  readonly event: { readonly type: string };
}

type Listener = (event: LiveEvent | null) => void;
export type Connection = "connecting" | "live" | "offline";

const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let source: EventSource | null = null;
let connection: Connection = "connecting";

function setConnection(now: Connection): void {
  if (connection === now) return;
  const wasOffline = connection === "offline";
  connection = now;
  for (const watcher of watchers) watcher();
  // Events in the meantime are unknown: everything is read again.
  if (now === "live" && wasOffline) for (const listener of listeners) listener(null);
}

/** Contract: does nothing while a stream is open. The browser reconnects by itself and says what it saw last. */
export function openStream(): void {
  if (source !== null && source.readyState !== EventSource.CLOSED) return;
  source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => setConnection("live"));
  source.addEventListener("error", () => {
    setConnection("offline");
    // A stream that was refused is closed for good: try again, for as long as the page is shown.
    if (source?.readyState === EventSource.CLOSED) setTimeout(openStream, RETRY_MS);
  });
  source.addEventListener("message", (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as LiveEvent;
    for (const listener of listeners) listener(event);
  });
}

const RETRY_MS = 2000;

export function closeStream(): void {
  source?.close();
  source = null;
}

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connection,
  );
}
