import { pricesOf } from "../agents/prices.js";
import { priceTokens, UNKNOWN_PRICE } from "../../model/settings/prices.js";
import type { ModelSettings } from "../../model/settings/model-config.js";
import type { ModelEntry } from "../../model/plan/registry.js";
import { postJson } from "./http.js";
import type { Completed, Completion, Model, TokenCount } from "./model.js";
import { PROVIDERS } from "./providers.js";

export interface ModelParts {
  readonly settings: ModelSettings;
  /** The registry's models, for their prices. */
  readonly registry: readonly ModelEntry[];
  /** Looked at for the one variable that holds the key. */
  readonly environment: NodeJS.ProcessEnv;
}

/** About what a model makes of a text. */
const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARACTERS_PER_TOKEN));
}

export function createModel(name: string, { settings, registry, environment }: ModelParts): Model {
  const provider = PROVIDERS[settings.provider];
  const known =
    settings.prices ??
    registry.find(({ id }) => id === settings.registry_id)?.price ??
    pricesOf(registry)(settings.model);
  const price = known ?? UNKNOWN_PRICE;
  const cost_is = known === undefined ? "estimated" : "priced";
  const costOf: Model["costOf"] = (tokens) => priceTokens(tokens, price);
  const usageOf = (tokens: TokenCount | null) => ({ tokens, cost_usd: tokens === null ? 0 : costOf(tokens) });

  async function complete(completion: Completion, signal: AbortSignal): Promise<Completed> {
    const key = settings.key_env === undefined ? null : (environment[settings.key_env] ?? "");
    if (key === "")
      return {
        ...unreachableError(`The variable ${settings.key_env} is not set, and the model needs its key.`),
        ...usageOf(null),
      };
    const sent = estimateTokens(completion.system + completion.prompt + JSON.stringify(completion.schema ?? ""));
    const posted = await postJson(
      {
        url: settings.base_url.replace(/\/+$/, "") + provider.path,
        headers: provider.headers(key),
        body: provider.body(completion, settings),
        timeoutMs: settings.timeout_seconds * 1000,
        secret: key,
      },
      signal,
    );
    const { calls } = posted;
    const atMost: TokenCount = { in: sent, out: completion.maxTokens, source: "estimated" };
    if (posted.status === "failed") {
      const { failure, gone: isGone, mayHaveUsed } = posted;
      return { status: "failed", failure, gone: isGone, calls, ...usageOf(mayHaveUsed ? atMost : null) };
    }
    const answer = provider.read(posted.body);
    if (answer === null) {
      const message = "The API answered with something that is not an answer of a model.";
      const failure = { kind: "structural", error: "malformed_output", message } as const;
      return { status: "failed", failure, gone: false, calls, ...usageOf(atMost) };
    }
    const { text, json, stopped } = answer;
    const tokens: TokenCount =
      answer.tokens === null || answer.tokens.in + answer.tokens.out === 0
        ? { in: sent, out: estimateTokens(text), source: "estimated" }
        : { ...answer.tokens, source: "reported" };
    return { status: "completed", text, json, stopped, calls, tokens, cost_usd: costOf(tokens), cost_is };
  }

  return { name, complete, costOf, maxOutputTokens: settings.max_output_tokens };
}

function unreachableError(message: string) {
  const failure = { kind: "structural", error: "lost_connection", message } as const;
  return { status: "failed", failure, gone: true, calls: 0 } as const;
}
