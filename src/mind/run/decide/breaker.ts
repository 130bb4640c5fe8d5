import type { AttemptOutcome, BreakerState, FailurePolicy } from "../../../model/run.js";

/*
 * The circuit breaker of one agent: too many failures and nothing is sent to it for a while; then one attempt, the
 * probe, finds out whether it works again.
 *
 *   closed ──(failures reach the threshold)──▶ open ──(the time has passed)──▶ half_open ──(probe succeeds)──▶ closed
 *                                               ▲                                  │
 *                                               └────────(probe fails)─────────────┘
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Failures since it was last closed by a probe. A success while it is closed does not take any back. */
  readonly failures: number;
  readonly last_failure_ms: number | null;
  /** Since when it is open; null unless it is. */
  readonly opened_at_ms: number | null;
  /** The attempt that tries the agent out, from its start to its end. */
  readonly probe: string | null;
}

export const CLOSED_BREAKER: Breaker = {
  state: "closed",
  failures: 0,
  last_failure_ms: null,
  opened_at_ms: null,
  probe: null,
};

export type MayStart =
  | { readonly answer: "yes" }
  /** Yes, but as the only one: record it with `onStart`. */
  | { readonly answer: "probe" }
  /** `retry_at_ms` is null while a probe is out: its end decides, not the clock. */
  | { readonly answer: "no"; readonly retry_at_ms: number | null };

const YES: MayStart = { answer: "yes" };

/** Whether an attempt of this agent may start now. Changes nothing. */
export function mayStart(breaker: Breaker, now: number, policy: FailurePolicy): MayStart {
  if (breaker.state === "closed") return YES;
  // INVARIANT: one probe at a time, until it has ended.
  if (breaker.probe !== null) return { answer: "no", retry_at_ms: null };
  if (breaker.state === "half_open") return { answer: "probe" };
  const retryAt = (breaker.last_failure_ms ?? breaker.opened_at_ms ?? now) + policy.breaker_open_ms;
  return now >= retryAt ? { answer: "probe" } : { answer: "no", retry_at_ms: retryAt };
}

/** An attempt has started. A closed breaker does not mind; any other makes it the probe if it may be one. */
export function onStart(breaker: Breaker, now: number, policy: FailurePolicy, attempt: string): Breaker {
  if (mayStart(breaker, now, policy).answer !== "probe") return breaker;
  return { ...breaker, state: "half_open", opened_at_ms: null, probe: attempt };
}

/**
 * An attempt has failed. `attempt` says which; without it the failure is taken to be the probe's.
 *
 * While half-open only the probe decides. Attempts from before the breaker opened may still fail late: they count, and
 * while it is open they move its end, but they do not speak for the probe.
 */
export function onFailure(breaker: Breaker, now: number, policy: FailurePolicy, attempt?: string): Breaker {
  const failures = breaker.failures + 1;
  const failed: Breaker = { ...breaker, failures, last_failure_ms: Math.max(now, breaker.last_failure_ms ?? now) };
  if (breaker.state === "open") return failed;
  if (breaker.state === "half_open") {
    return isProbe(breaker, attempt) ? { ...failed, state: "open", opened_at_ms: now, probe: null } : failed;
  }
  return failures >= policy.breaker_failures ? { ...failed, state: "open", opened_at_ms: now } : failed;
}

/** An attempt has succeeded: the probe's success closes the breaker and sets its count to zero; no other changes it. */
export function onSuccess(breaker: Breaker, attempt?: string): Breaker {
  return breaker.state === "half_open" && isProbe(breaker, attempt) ? CLOSED_BREAKER : breaker;
}

/** An attempt has ended and says nothing about its agent. If it was the probe, another attempt may be. */
export function onRelease(breaker: Breaker, attempt: string): Breaker {
  return breaker.probe === attempt ? { ...breaker, probe: null } : breaker;
}

/**
 * Decides whether the end of an attempt counts for or against its agent. Work that is malformed, broken, bad or forbidden is the agent's
 * failure; a spent budget, an open question, a workspace that could not be made ready, a wish for a wider scope and a
 * cancellation are not.
 */
export function speaksOfAgent(outcome: AttemptOutcome): "success" | "failure" | "neither" {
  switch (outcome.kind) {
    case "completed":
      return "success";
    case "structural":
    case "semantic":
    case "quality":
    case "safety":
      return "failure";
    case "resource":
    case "clarification":
    case "scope_request":
    case "environment":
    case "cancelled":
      return "neither";
  }
}

function isProbe(breaker: Breaker, attempt: string | undefined): boolean {
  return attempt === undefined || breaker.probe === attempt;
}
