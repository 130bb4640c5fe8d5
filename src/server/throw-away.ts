import type { IncomingMessage } from "node:http";

const MOST_MS = 2000;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads the rest of a body that nobody wants. A sender that still writes when its connection is closed never sees why: it is
 * answered afterwards.
 *
 * Contract: resolves at the end of the body, or when that takes too long or is too much. Keeps nothing.
 */
export function throwAway(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (incoming.readableEnded || incoming.destroyed) return resolve();
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      incoming.off("data", count).off("end", finish).off("close", finish).off("error", finish);
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) finish();
    };
    const timer = setTimeout(finish, MOST_MS);
    incoming.on("data", count).on("end", finish).on("close", finish).on("error", finish);
    incoming.resume();
    return undefined;
  });
}
