/**
 * A signal that ends with another one, or when its time has passed.
 *
 * Not `AbortSignal.any` with `AbortSignal.timeout`: Node.js 20 may collect both before the time has come, and anyone who
 * waits then waits for ever. Contract: the caller ends it.
 */
export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly passed: () => boolean;
  readonly end: () => void;
}

const LONGEST_MS = 2 ** 31 - 1;

export function timeLimit(ms: number, outer: AbortSignal): TimeLimit {
  const inner = new AbortController();
  let passed = false;
  const timer = setTimeout(
    () => {
      passed = true;
      inner.abort();
    },
    Math.min(LONGEST_MS, Math.ceil(ms)),
  );
  const stop = () => inner.abort();
  if (outer.aborted) stop();
  else outer.addEventListener("abort", stop, { once: true });
  return {
    signal: inner.signal,
    passed: () => passed,
    end: () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", stop);
    },
  };
}
