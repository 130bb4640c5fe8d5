import { pricesOf } from "../agents/prices.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import {
  AgentPreset,
  type AgentSettings,
  AgentSettings as AgentSettingsSchema,
  type ModelPrice,
} from "../model/agent-config.js";
import type { Configuration } from "../model/configuration.js";
import { CoordinatorError } from "../model/errors.js";
import type { AgentEntry, ModelEntry } from "../model/registry.js";

/* Which programs play the builders: those the configuration names, and the presets under their own names. */

export interface ChosenAgent {
  readonly name: string;
  readonly settings: AgentSettings;
  readonly price?: ModelPrice;
}

/** Contract: throws NOT_FOUND for a name that is neither configured nor a preset, with those there are. */
export function agentSettings(name: string, configuration: Configuration, models: readonly ModelEntry[]): ChosenAgent {
  const own = Object.hasOwn(configuration.agents, name) ? configuration.agents[name] : undefined;
  const preset = AgentPreset.safeParse(name);
  const settings = own ?? (preset.success ? AgentSettingsSchema.parse({ preset: preset.data }) : undefined);
  if (settings === undefined)
    throw new CoordinatorError("NOT_FOUND", `There is no agent ${name}`, {
      fix: `Add it under agents in coordinator.yaml, or use one of ${[...Object.keys(configuration.agents), ...AgentPreset.options].join(", ")}.`,
    });
  const { model } = resolveAgent(name, settings);
  const price = model === null ? undefined : pricesOf(models)(model);
  return { name, settings, ...(price === undefined ? {} : { price }) };
}

/** Who plays a builder: ordered for the whole run, named for its type, or the default. */
export function agentForBuilder(
  type: string | undefined,
  configuration: Configuration,
  ordered: string | undefined,
): string | null {
  const named = type === undefined ? undefined : (configuration.builders as Readonly<Record<string, string>>)[type];
  return ordered ?? named ?? configuration.default_agent ?? Object.keys(configuration.agents)[0] ?? null;
}

/** The agent in a role of the registry: with the role's servers, where its own settings have none of that name. */
export function inRole<Agent extends Pick<ChosenAgent, "settings">>(
  agent: Agent,
  role: Pick<AgentEntry, "mcp_servers"> | null,
): Agent {
  const own = agent.settings.mcp_servers;
  const more = (role?.mcp_servers ?? []).filter(({ name }) => !own.some((server) => server.name === name));
  return more.length === 0 ? agent : { ...agent, settings: { ...agent.settings, mcp_servers: [...own, ...more] } };
}

/** The variables that hold keys some agent or server is to be given: the only secrets that are handed on. */
export function keyVariables(
  configuration: Configuration,
  roles: readonly Pick<AgentEntry, "mcp_servers">[] = [],
): string[] {
  const servers = [...Object.values(configuration.agents), ...roles].flatMap(({ mcp_servers }) => mcp_servers ?? []);
  const keys = Object.entries(configuration.agents).flatMap(([name, settings]) => {
    const { auth } = resolveAgent(name, settings);
    return auth.type === "proxy" ? [auth.key_env] : [];
  });
  return [...keys, ...servers.flatMap(({ env }) => env)];
}
