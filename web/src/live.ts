import { useSyncExternalStore } from "react";
import { tellLoggedOut } from "./api.ts";
import {
  type Connection,
  type FollowedStream,
  followStream,
  type LiveEvent,
  type StreamMessage,
} from "./event-stream.ts";

/* The events of the server, for the whole page. Shown data is read again when an event changes it. */

export type { LiveEvent } from "./event-stream.ts";

type Listener = (event: LiveEvent | null) => void;

const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let connection: Connection = "connecting";

function setConnection(now: Connection): void {
  if (connection === now) return;
  const wasOffline = connection === "offline";
  connection = now;
  for (const watcher of watchers) watcher();
  // Events in the meantime are unknown: everything is read again.
  if (now === "live" && wasOffline) for (const listener of listeners) listener(null);
}

function take(message: StreamMessage): void {
  if (message.type === "connection") setConnection(message.connection);
  else if (message.type === "logged_out") tellLoggedOut(message.problem);
  else for (const listener of listeners) listener(message.event);
}

let stream: Pick<FollowedStream, "open" | "close"> | null = null;

export function openStream(): void {
  stream ??= typeof SharedWorker === "undefined" ? followStream(take) : shareStream();
  stream.open();
}

export function closeStream(): void {
  stream?.close();
  connection = "connecting";
}

/** Follows the stream that all tabs of this browser share. */
function shareStream(): Pick<FollowedStream, "open" | "close"> {
  const { port } = new SharedWorker(new URL("./event-worker.ts", import.meta.url), { type: "module" });
  port.addEventListener("message", ({ data }: MessageEvent<StreamMessage>) => take(data));
  port.start();
  let isOpen = false;
  const say = (wish: "open" | "close") => port.postMessage(wish);
  // A page that is left tells the worker, and one that is come back to follows again.
  window.addEventListener("pagehide", () => say("close"));
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && isOpen) say("open");
  });
  return {
    open() {
      isOpen = true;
      say("open");
    },
    close() {
      isOpen = false;
      say("close");
    },
  };
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
