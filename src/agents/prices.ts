import type { ModelPrice } from "../model/agent-config.js";
import type { ModelEntry } from "../model/registry.js";

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
