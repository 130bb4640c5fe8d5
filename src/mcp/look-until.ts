import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 250;

/** Polls until something is there. Contract: null when the time is over or nobody waits any more. */
export async function lookUntil<T>(
  look: () => Promise<T | null>,
  waitMs: number,
  signal: AbortSignal,
): Promise<T | null> {
  for (const end = performance.now() + waitMs; ;) {
    const found = await look();
    if (found !== null || signal.aborted || performance.now() >= end) return found;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
