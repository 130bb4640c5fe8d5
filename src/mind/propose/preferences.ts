import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { ModelEntry } from "../../model/plan/registry.js";

const PROVIDERS: Readonly<Record<string, string>> = { claude: "anthropic", ollama: "ollama" };

/**
 * The policy with the models a person prefers put first, the team's own order behind them. It only prefers: what the
 * policy denies stays denied, and what is not installed is not used.
 */
export function preferModel(
  policy: ExecutionPolicy,
  model: string | undefined,
  models: readonly ModelEntry[],
): ExecutionPolicy {
  if (model === undefined) return policy;
  const wanted = models
    .filter(({ id, provider }) => id === model || provider === (PROVIDERS[model] ?? model))
    .map(({ id }) => id);
  const others = policy.models.preferred.filter((id) => !wanted.includes(id));
  // Within the provider the team's order and then price decide, so its models are all preferred alike: the router
  // breaks ties by the place in this list, which therefore goes from cheap to dear.
  const price = (id: string) => {
    const entry = models.find((each) => each.id === id);
    return entry === undefined ? 0 : entry.price.usd_per_million_in * 4 + entry.price.usd_per_million_out;
  };
  const own = policy.models.preferred.filter((id) => wanted.includes(id));
  const rest = wanted.filter((id) => !own.includes(id)).sort((a, b) => price(a) - price(b) || (a < b ? -1 : 1));
  return { ...policy, models: { ...policy.models, preferred: [...own, ...rest, ...others].slice(0, 100) } };
}
