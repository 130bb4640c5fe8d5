import { setTimeout as sleep } from "node:timers/promises";

/** Looks again and again until it is stopped. */
export interface Looking {
  /** Rejects when a look did. */
  readonly ended: Promise<void>;
  /** Look at once; when a look is under way, once more after it. */
  readonly wake: () => void;
  /** Contract: the look under way is waited for; none comes after it. Never rejects. */
  readonly stop: () => Promise<void>;
}

/**
 * Contract: one look at a time, the first at once. It keeps no process alive, and anyone who does not wait for `ended` is not
 * ended by it.
 */
export function poll(everyMs: number, look: (stopped: AbortSignal) => Promise<void>): Looking {
  const stopped = new AbortController();
  let pause = new AbortController();
  const loop = async () => {
    while (!stopped.signal.aborted) {
      pause = new AbortController();
      await look(stopped.signal);
      await sleep(everyMs, undefined, { signal: pause.signal, ref: false }).catch(() => undefined);
    }
  };
  const ended = loop();
  ended.catch(() => undefined);
  return {
    ended,
    wake: () => pause.abort(),
    stop: async () => {
      stopped.abort();
      pause.abort();
      await ended.catch(() => undefined);
    },
  };
}
