import { pricesOf } from "../agents/prices.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import { AgentPreset, type AgentSettings, type ModelPrice } from "../../model/settings/agent-config.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { AgentEntry, ModelEntry } from "../../model/plan/registry.js";
import { requireAgreement } from "./agreed-logins.js";
import { namedAgent, withModel } from "./named-agent.js";

/* Which programs play the builders: those the configuration names, and the presets under their own names. */

export interface ChosenAgent {
  readonly name: string;
  readonly settings: AgentSettings;
  readonly price?: ModelPrice;
}

/**
 * Contract: throws NOT_FOUND for a name that is neither configured nor a preset, with those there are; USAGE for one that
 * would have more of a person's login than they agreed to; NOT_TRUSTED for one of the project that waits for trust.
 */
export function agentSettings(
  name: string,
  configuration: Configuration,
  models: readonly ModelEntry[],
  model: string | null = null,
): ChosenAgent {
  const named = namedAgent(name, configuration);
  if (named === null)
    throw new CoordinatorError("NOT_FOUND", `There is no agent ${name}`, {
      fix: `Add it under agents in coordinator.yaml, or use one of ${[...Object.keys(configuration.agents), ...AgentPreset.options].join(", ")}.`,
    });
  if (configuration.awaiting_trust?.includes(name) === true) throw notTrusted(name, named);
  const settings = withModel(named, model);
  const { model: used, auth } = resolveAgent(name, settings);
  requireAgreement(name, settings.preset, auth, configuration);
  const price = used === null ? undefined : pricesOf(models, configuration.model_prices)(used);
  return { name, settings, ...(price === undefined ? {} : { price }) };
}

function notTrusted(name: string, { command, preset }: AgentSettings): CoordinatorError {
  const what = command === undefined ? `the preset ${preset ?? ""} with changes` : command.join(" ");
  return new CoordinatorError(
    "NOT_TRUSTED",
    `The project's agent ${name} is not started: it runs ${what}, and you have not agreed to that`,
    { fix: "coordinator trust shows what the project asks for, and asks you once." },
  );
}

/** Whom a run would start: named for a builder, for conflicts, for reviews, to specify or plan, by default, or by the person who asks. */
export function listUsedAgents(configuration: Configuration, asked: string | undefined): ReadonlySet<string> {
  const { default_agent, resolver, reviewer, product, planner, builders, agents } = configuration;
  const first = default_agent ?? Object.keys(agents)[0];
  const named = [first, resolver, reviewer, product, planner, asked, ...Object.values(builders)];
  return new Set(named.filter((name) => name !== undefined));
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

/** Who plays a builder. Contract: throws where no agent is configured and none was ordered. */
export function requireAgent(
  type: string | undefined,
  configuration: Configuration,
  ordered: string | undefined,
): string {
  const agent = agentForBuilder(type, configuration, ordered);
  if (agent === null)
    throw new CoordinatorError("USAGE", "No agent is configured, so nobody can carry out the plan", {
      fix: "Name one: --agent claude; or add agents to coordinator.yaml. coordinator doctor says which are there.",
    });
  return agent;
}

/** Who may take over from an agent that does not get through: all others that are configured and may be started. */
export function otherAgents(
  agent: string,
  configuration: Configuration,
  ordered: string | undefined,
  models: readonly ModelEntry[],
): string[] {
  // A person who orders one agent for the whole run gets no other.
  if (ordered !== undefined) return [];
  const mayStart = (name: string) => {
    try {
      return agentSettings(name, configuration, models).name === name;
    } catch (error) {
      if (error instanceof CoordinatorError) return false;
      throw error;
    }
  };
  return Object.keys(configuration.agents).filter((name) => name !== agent && mayStart(name));
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

/**
 * The variables that hold keys some agent or server is to be given: the only secrets that are handed on.
 *
 * Contract: throws USAGE for a variable of a server that the person has not agreed to hand on.
 */
export function keyVariables(
  configuration: Configuration,
  roles: readonly Pick<AgentEntry, "mcp_servers">[] = [],
): string[] {
  const agents = Object.entries(configuration.agents).filter(([name]) => !configuration.awaiting_trust?.includes(name));
  const servers = [...agents.map(([, agent]) => agent), ...roles].flatMap(({ mcp_servers }) => mcp_servers ?? []);
  const keys = agents.flatMap(([name, settings]) => {
    const { auth } = resolveAgent(name, settings);
    return auth.type === "proxy" ? [auth.key_env] : [];
  });
  const given = servers.flatMap(({ env }) => env);
  const foreign = given.find((name) => !configuration.variables.includes(name));
  if (foreign !== undefined)
    throw new CoordinatorError("USAGE", `The project gives ${foreign} of your environment to an MCP server`, {
      fix: `If the agent may have it, list it in your own settings, ~/.config/coordinator/config.yaml: variables: [${foreign}]`,
    });
  return [...keys, ...given];
}
