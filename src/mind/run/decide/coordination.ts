import type { Usage } from "../../../model/run.js";
import { book } from "../account.js";
import { takeAllAsEntered, tidy } from "../amounts.js";
import { attemptKey, type Claim, type Ledger, type Reservation } from "../ledger.js";

/* The usage of coordination within a run's budget: sessions of planning, review and resolving, which are not attempts. */

/** Books what coordination itself used: model calls of planning and review, which belong to no attempt. */
export function bookCoordination(ledger: Ledger, usage: Usage): Ledger {
  const amounts = takeAllAsEntered(usage.amounts);
  return {
    ...ledger,
    run: book(ledger.run, amounts, usage.source),
    coordination_tokens: tidy(ledger.coordination_tokens + amounts.tokens),
  };
}

/** A session of coordination, as anyone who reserves. It belongs to no task and to no phase of the plan. */
export function sessionClaim(purpose: string): Claim {
  return { task_id: purpose, attempt: 0, phase: "coordination" };
}

export function sessionKey(purpose: string): string {
  return attemptKey(purpose, 0);
}

/** Whether something is held for a session of coordination, which is not an attempt at a task. */
export function isOfSession({ key }: Pick<Reservation, "key">): boolean {
  return key.endsWith(attemptKey("", 0));
}

/** Of all tokens a run uses, coordination itself is to take less than this share. */
export const COORDINATION_LIMIT = 0.05;

/** The share of all tokens that went into coordination, and whether it is under what the specification allows. */
export function coordinationShare(
  ledger: Ledger,
  limit = COORDINATION_LIMIT,
): { tokens: number; share: number; within: boolean } {
  const tokens = ledger.coordination_tokens;
  const share = tokens === 0 ? 0 : tokens / ledger.run.used.tokens;
  return { tokens, share, within: share < limit };
}
