import type { AttemptOutcome, FailurePolicy } from "../../../model/run.js";
import { seededRandom } from "../seeded.js";

/** How far a delay may lie from its backoff, either way. */
const JITTER = 0.2;

/** Backoff as the specification has it: base × multiplier^retry, at most the longest delay. The first retry is 0. */
export function backoffMs(policy: FailurePolicy, retry: number): number {
  const { base_delay_ms, backoff_multiplier, max_delay_ms } = policy;
  // Nothing times a power too big to hold would be no number.
  if (base_delay_ms === 0) return 0;
  return Math.min(base_delay_ms * backoff_multiplier ** Math.max(0, retry), max_delay_ms);
}

/**
 * How long to wait before a retry: its backoff, moved by up to a fifth so that attempts that failed together do not
 * come back together.
 *
 * Contract: pure; the same policy, retry, seed and key give the same whole number of milliseconds, from 0 to
 * `max_delay_ms`. At the longest delay only the lower half of the range is left, and the draw is spread over that.
 */
export function retryDelayMs(policy: FailurePolicy, retry: number, seed: number, key: string): number {
  const backoff = backoffMs(policy, retry);
  const least = backoff * (1 - JITTER);
  const most = Math.min(backoff * (1 + JITTER), policy.max_delay_ms);
  return Math.round(least + (most - least) * seededRandom(seed, `${key}#retry${retry}`)());
}

/**
 * Whether an attempt that ended so is followed by another one without asking anybody.
 *
 * INVARIANT: only structural failures are. A semantic failure is never retried, however many retries are left. Waiting
 * for a usage limit to end counts as a retry like any other, so that a limit that never ends reaches a person. So does
 * one that says it ends later than a run may wait, at once.
 */
export function shouldRetry(
  policy: FailurePolicy,
  outcome: AttemptOutcome,
  retriesSoFar: number,
  now: number,
): boolean {
  return (
    outcome.kind === "structural" &&
    // Another attempt would find the same models.
    outcome.error !== "model_unavailable" &&
    retriesSoFar < policy.max_retries &&
    tooLongWait(policy, outcome, now) === null
  );
}

const HOUR_MS = 3_600_000;

/** A wait that nobody is let in for, in words; null for one that is kept. Contract: pure and total. */
export function tooLongWait(
  // Runs of earlier versions were begun without a longest wait, and go on as they did.
  { max_wait_ms = Infinity }: Partial<FailurePolicy>,
  outcome: AttemptOutcome,
  now: number,
): string | null {
  const stated = outcome.kind === "structural" ? outcome.wait_until_ms : undefined;
  if (stated === undefined || !Number.isFinite(stated) || stated - now <= max_wait_ms) return null;
  const hours = (ms: number) => `${Math.round((ms / HOUR_MS) * 10) / 10} h`;
  return `it says to wait for ${hours(stated - now)}, and a run waits for at most ${hours(max_wait_ms)}`;
}

/**
 * When the next attempt may start. A limit that says when it ends is waited for; one that ends sooner than the backoff,
 * or has already ended, does not shorten the backoff.
 */
export function retryAtMs(
  policy: FailurePolicy,
  outcome: AttemptOutcome,
  {
    retry,
    now,
    seed,
    key,
  }: { readonly retry: number; readonly now: number; readonly seed: number; readonly key: string },
): number {
  const soonest = now + retryDelayMs(policy, retry, seed, key);
  const stated = outcome.kind === "structural" ? outcome.wait_until_ms : undefined;
  return stated !== undefined && Number.isFinite(stated) ? Math.max(soonest, stated) : soonest;
}
