import type { ModelPrice } from "../model/agent-config.js";
import type { ModelEntry } from "../model/registry.js";

/** What tokens cost at a price, in US dollars. */
export function priceTokens(tokens: { in: number; out: number }, price: ModelPrice): number {
  return (tokens.in * price.usd_per_million_in + tokens.out * price.usd_per_million_out) / 1_000_000;
}

/** The prices of a registry's models, by id and by the id without its provider. */
export function pricesOf(models: readonly ModelEntry[]): (model: string) => ModelPrice | undefined {
  const byName = new Map<string, ModelPrice>();
  for (const { id, price } of models) {
    byName.set(id, price);
    const bare = id.slice(id.lastIndexOf("/") + 1);
    if (!byName.has(bare)) byName.set(bare, price);
  }
  return (model) => byName.get(model) ?? byName.get(model.slice(model.lastIndexOf("/") + 1));
}

/**
 * For a model nobody has priced: about what large hosted models cost. A guess on the dear side, because a cost that is
 * not known must stop a run too early rather than too late.
 */
export const UNKNOWN_PRICE: ModelPrice = { usd_per_million_in: 5, usd_per_million_out: 25, as_of: "2026-11-01" };
