import type { EventStore } from "./event-store.js";

type Writes = Pick<EventStore, "open" | "claim" | "release" | "put">;

/** The writes of a store beside events, refused by rejection once it is closed. `append` is each store's own: every event passes there. */
export function guardWrites(writer: Writes, refuseWhenClosed: () => void): Writes {
  return {
    async open(runId) {
      refuseWhenClosed();
      return writer.open(runId);
    },
    async claim(runId) {
      refuseWhenClosed();
      return writer.claim(runId);
    },
    async release(runId) {
      refuseWhenClosed();
      return writer.release(runId);
    },
    async put(runId, key, value) {
      refuseWhenClosed();
      return writer.put(runId, key, value);
    },
  };
}
