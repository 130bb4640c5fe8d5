import type { ModelPrice } from "./agent-config.js";

/** The cost of tokens at a price, in US dollars. */
export function priceTokens(tokens: { readonly in: number; readonly out: number }, price: ModelPrice): number {
  return (tokens.in * price.usd_per_million_in + tokens.out * price.usd_per_million_out) / 1_000_000;
}

export function isFree({ usd_per_million_in, usd_per_million_out }: ModelPrice): boolean {
  return usd_per_million_in === 0 && usd_per_million_out === 0;
}

/**
 * For a model nobody has priced: about what large hosted models cost. A guess on the dear side, because a cost that is
 * not known must stop a run too early rather than too late. It is reserved, and never told as the price of anything.
 */
export const UNKNOWN_PRICE: ModelPrice = { usd_per_million_in: 5, usd_per_million_out: 25, as_of: "2026-11-01" };
