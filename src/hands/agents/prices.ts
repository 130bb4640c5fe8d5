import type { ModelPrice } from "../../model/settings/agent-config.js";
import { plainModelName } from "../../model/settings/model-name.js";
import type { ModelEntry } from "../../model/plan/registry.js";
import { PRICE_LIST, PRICES_AS_OF } from "./price-list.js";

/*
 * Prices of models: those of the settings, else those of the registry or of the kept list, whichever are higher, each with its date. A model
 * that none of them knows has no price; none is guessed.
 */

export type PriceOf = (model: string) => ModelPrice | undefined;

/** `own` are prices of the settings, by the name of the model. */
export function pricesOf(models: readonly ModelEntry[], own: Readonly<Record<string, ModelPrice>> = {}): PriceOf {
  const settings = byName(Object.entries(own));
  const registry = byName(models.map(({ id, price }) => [id, price]));
  return (model) => settings(model) ?? dearer(registry(model), listedPrice(model));
}

/** A registry may be a clone's, and must not make a model cheaper than it is: the budget is counted in its price. */
function dearer(named: ModelPrice | undefined, listed: ModelPrice | undefined): ModelPrice | undefined {
  if (named === undefined || listed === undefined) return named ?? listed;
  const isCheaper =
    named.usd_per_million_in < listed.usd_per_million_in || named.usd_per_million_out < listed.usd_per_million_out;
  return isCheaper ? listed : named;
}

/** By the whole name first: the same model may cost something else with another provider. */
function byName(prices: readonly (readonly [string, ModelPrice])[]): PriceOf {
  const whole = new Map(prices);
  const plain = new Map<string, ModelPrice>();
  for (const [name, price] of prices) if (!plain.has(plainModelName(name))) plain.set(plainModelName(name), price);
  return (model) => whole.get(model) ?? plain.get(plainModelName(model));
}

let kept: PriceOf | null = null;

/** Finds the price in the kept list. */
export function listedPrice(model: string): ModelPrice | undefined {
  kept ??= byName(
    PRICE_LIST.trim()
      .split("\n")
      .map((row) => {
        const [name = "", usd_per_million_in, usd_per_million_out] = row.split(" ");
        const price = {
          usd_per_million_in: Number(usd_per_million_in),
          usd_per_million_out: Number(usd_per_million_out),
        };
        return [name, { ...price, as_of: PRICES_AS_OF }] as const;
      }),
  );
  return kept(model);
}
