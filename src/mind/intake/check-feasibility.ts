import type { IntakeStrategy } from "../../model/intake-policy.js";
import type { IntakeStep, Preferences, ResourceEstimate } from "../../model/request.js";
import type { z } from "zod";
import type { ApproachFinding } from "./choose-approach.js";
import type { CompiledPolicy } from "./compile-policy.js";
import type { IntentFinding } from "./parse-intent.js";
import type { Reading } from "./reading/reading.js";

export interface FeasibilityFinding {
  readonly estimate: ResourceEstimate;
  readonly step: IntakeStep;
}

export interface FeasibilityInput {
  readonly reading: Reading;
  readonly found: IntentFinding;
  readonly approach: ApproachFinding;
  readonly strategy: IntakeStrategy;
  readonly preferences: z.infer<typeof Preferences> | undefined;
}

/** Step 4. Estimate what the request takes and hold it against the budget; the lower of two limits holds. */
export function checkFeasibility(policy: CompiledPolicy, input: FeasibilityInput): FeasibilityFinding {
  const estimate = estimateResources(policy, input);
  const { max_tokens, max_time_seconds } = estimate.budget;
  const fail = (rule_id: string, reason: string): FeasibilityFinding => ({
    estimate,
    step: { step: "feasibility", outcome: "failed", rule_id, reason, evidence: [] },
  });
  if (max_tokens !== null && estimate.tokens > max_tokens)
    return fail(
      "feasibility_tokens",
      `Exceeds token budget: about ${estimate.tokens} tokens, and ${max_tokens} are allowed`,
    );
  if (max_time_seconds !== null && estimate.time_seconds > max_time_seconds)
    return fail(
      "feasibility_time",
      `Exceeds time limit: about ${estimate.time_seconds} s, and ${max_time_seconds} s are allowed`,
    );
  return {
    estimate,
    step: {
      step: "feasibility",
      outcome: "passed",
      rule_id: "feasibility_within_budget",
      reason: `About ${estimate.tokens} tokens, ${estimate.time_seconds} s, ${estimate.cost_usd} USD`,
      evidence: [],
    },
  };
}

/** Tokens from what is counted in the request; time, calls and cost from the tokens. The breakdown adds up. */
function estimateResources({ policy }: CompiledPolicy, input: FeasibilityInput): ResourceEstimate {
  const { reading, found, approach, strategy, preferences } = input;
  const rates = policy.estimate;
  const parts = [
    { part: approach.approach, count: 1, tokens: approach.base_tokens },
    part("further objects", furtherObjects(found), rates.tokens_per_object),
    part("places", found.intent.places.length, rates.tokens_per_place),
    part("acceptance", found.intent.acceptance.length, rates.tokens_per_acceptance),
    part("list entries", reading.listEntries, rates.tokens_per_list_entry),
    part("hundreds of words", Math.floor(reading.ownWords / 100), rates.tokens_per_hundred_words),
  ].filter(({ tokens }) => tokens > 0);
  const plain = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const factor = strategy.estimate_factor ?? policy.default_strategy.estimate_factor ?? 1;
  const tokens = Math.min(Math.round(plain * factor), Number.MAX_SAFE_INTEGER);
  const breakdown =
    tokens === plain
      ? parts
      : [...parts, { part: `type factor ${factor}`, count: factor, tokens: Math.max(0, tokens - plain) }];
  const model = preferences?.model ?? rates.default_model;
  const price = rates.models[model] ??
    rates.models[rates.default_model] ?? { usd_per_million_tokens: 0, tokens_per_second: 1 };
  return {
    tokens,
    time_seconds: Math.ceil(tokens / price.tokens_per_second),
    api_calls: Math.ceil(tokens / rates.tokens_per_api_call),
    cost_usd: Math.round((tokens / 1_000_000) * price.usd_per_million_tokens * 100) / 100,
    model,
    complexity: tokens >= rates.large_from_tokens ? "large" : tokens >= rates.medium_from_tokens ? "medium" : "small",
    breakdown,
    budget: {
      max_tokens: lower(preferences?.max_budget_tokens, strategy.max_tokens ?? policy.default_strategy.max_tokens),
      max_time_seconds: lower(
        preferences?.max_time_seconds,
        strategy.max_time_seconds ?? policy.default_strategy.max_time_seconds,
      ),
      source:
        preferences?.max_budget_tokens === undefined && preferences?.max_time_seconds === undefined
          ? "policy"
          : "preferences",
    },
  };
}

function part(name: string, count: number, each: number): ResourceEstimate["breakdown"][number] {
  return { part: name, count, tokens: count * each };
}

function lower(a: number | undefined, b: number | undefined): number | null {
  if (a === undefined) return b ?? null;
  return b === undefined ? a : Math.min(a, b);
}

/** Groups of words that name things, beyond the first one: a rough count of what has to be made. */
function furtherObjects({ objectWords }: IntentFinding): number {
  let count = 0;
  for (let at = 1; at < objectWords.length && count < MOST_OBJECTS; at++)
    if ((objectWords[at]?.start ?? 0) - (objectWords[at - 1]?.end ?? 0) > 1) count++;
  return count;
}

const MOST_OBJECTS = 12;
