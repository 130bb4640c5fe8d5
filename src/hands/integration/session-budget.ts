import type { RunEvent } from "../../model/event.js";
import type { Amounts } from "../../model/run.js";
import { remainingAmounts } from "../../mind/run/account.js";
import { sessionKey } from "../../mind/run/decide/coordination.js";
import { reservationOf } from "../../mind/run/ledger.js";
import type { RunState } from "../../mind/run/state.js";

/* Budgets of coordination sessions: reserved in the run's ledger before they start, as for every attempt. */

export interface SessionBudgetParts {
  readonly state: () => RunState;
  /** Contract: in the log when it resolves with null; else why it was not taken. */
  readonly ask: (event: RunEvent) => Promise<string | null>;
  /** Whether the log knows what a session of this purpose used. */
  readonly isCounted: (purpose: string) => Promise<boolean>;
}

/** As much of the wish as the run still has; or why nothing. Contract: asked again for the same, nothing more is set aside. */
export function sessionBudget({ state, ask, isCounted }: SessionBudgetParts) {
  return async (purpose: string, wish: Amounts): Promise<Amounts | string> => {
    const set = reservationOf(state().ledger, sessionKey(purpose))?.set_aside;
    if (set !== undefined) return { ...wish, tokens: set.tokens, cost_usd: set.cost_usd };
    // It has come to its end before; nothing more is spent on it.
    if (await isCounted(purpose)) return wish;
    const left = remainingAmounts(state().ledger.run);
    const tokens = Math.min(wish.tokens, left?.tokens ?? Infinity);
    const cost_usd = Math.min(wish.cost_usd, left?.cost_usd ?? Infinity);
    if (tokens <= 0 || (cost_usd <= 0 && wish.cost_usd > 0)) return "nothing is left of the run's budget";
    const why = await ask({ type: "coordination_reserved", purpose, tokens, cost_usd });
    return why ?? { ...wish, tokens, cost_usd };
  };
}
