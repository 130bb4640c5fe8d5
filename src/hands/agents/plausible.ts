import type { ModelPrice } from "../../model/settings/agent-config.js";
import { priceTokens, UNKNOWN_PRICE } from "../../model/settings/prices.js";

/*
 * The most that an attempt can have used at all. Agents report their own use, and one that reports more than any model could have
 * worked through in the time would take the budget of every other task with it.
 */

/** Usage of parallel calls with full contexts, cached tokens included, and what may be under way at the start. */
const TOKENS_PER_MINUTE = 5_000_000;
const TOKENS_AT_ONCE = 500_000;
/** How far a cost may be above that of the dearest tokens: prices change, and tools cost too. */
const COST_MARGIN = 4;

/** The most tokens that so many minutes can have used. Contract: pure; at least what may be under way at once. */
export function mostTokens(minutes: number): number {
  return TOKENS_AT_ONCE + TOKENS_PER_MINUTE * (Number.isFinite(minutes) && minutes > 0 ? minutes : 0);
}

/** The most they can have cost. Contract: pure. */
export function mostCost(minutes: number, price: ModelPrice | null): number {
  const dearest = (one: ModelPrice) => priceTokens({ in: 0, out: mostTokens(minutes) }, one);
  return COST_MARGIN * Math.max(dearest(UNKNOWN_PRICE), price === null ? 0 : dearest(price));
}

/** A number an agent sent: anything but a finite count of at least zero says nothing. */
export function saneCount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
