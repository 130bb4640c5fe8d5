import { ModelSettings } from "../../model/settings/model-config.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";

/* Which models are asked, in which order: by the configuration, by what the request prefers and by what the policy allows. */

/** The models everybody has without a word of configuration. Each of them is plain configuration all the same. */
const USUAL: Readonly<Record<string, ModelSettings>> = {
  claude: ModelSettings.parse({
    provider: "anthropic",
    base_url: "https://api.anthropic.com",
    model: "claude-sonnet-4-5",
    key_env: "ANTHROPIC_API_KEY",
    registry_id: "anthropic/claude-sonnet-4.5",
  }),
  ollama: ModelSettings.parse({
    provider: "openai",
    base_url: "http://127.0.0.1:11434/v1",
    model: "gemma2",
    // It runs on this machine.
    prices: { usd_per_million_in: 0, usd_per_million_out: 0, as_of: "2025-11-01" },
  }),
};

export interface ModelChoice {
  readonly configuration: Pick<Configuration, "models" | "model_order">;
  /** Who is configured to be asked first, if that is not the first of the order. */
  readonly first?: string | undefined;
  /** The model that the request names. */
  readonly preference: string | undefined;
  readonly policy: ExecutionPolicy | null;
  /** Whether the data of the request may be shown to a model of the settings. */
  readonly mayAsk: (name: string, settings: ModelSettings) => { readonly allowed: boolean; readonly reason: string };
}

export interface ChosenModels {
  /** In the order in which they are asked. */
  readonly chosen: readonly { readonly name: string; readonly settings: ModelSettings }[];
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Contract: pure. A preference is honoured to the letter: nothing else is asked in its place, because who names a model
 * may have a reason that is nobody else's to weigh. Without one the order of the configuration holds, after anyone who is to be first.
 */
export function chooseModels({ configuration, first, preference, policy, mayAsk }: ModelChoice): ChosenModels {
  const known: Readonly<Record<string, ModelSettings>> = { ...USUAL, ...configuration.models };
  const order = [...(first === undefined ? [] : [first]), ...configuration.model_order];
  const names = preference === undefined ? [...new Set(order)] : [preference];
  const chosen: { name: string; settings: ModelSettings }[] = [];
  const left_out: { name: string; reason: string }[] = [];
  for (const name of names) {
    const settings = Object.hasOwn(known, name) ? known[name] : undefined;
    if (settings === undefined) {
      left_out.push({ name, reason: "no model of that name is configured" });
      continue;
    }
    const denied = [settings.registry_id, settings.model].some(
      (id) => id !== undefined && policy?.models.denied.includes(id) === true,
    );
    const shown = mayAsk(name, settings);
    if (denied) left_out.push({ name, reason: `the policy ${policy?.policy_id ?? ""} denies it` });
    else if (shown.allowed) chosen.push({ name, settings });
    else left_out.push({ name, reason: shown.reason });
  }
  return { chosen, left_out };
}
