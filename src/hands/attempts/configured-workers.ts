import { pricesOf } from "../agents/prices.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import type { AgentSettings } from "../../model/settings/agent-config.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { ModelSettings } from "../../model/settings/model-config.js";
import { CoordinatorError } from "../../model/errors.js";
import type { ExecutionPolicy, Worker } from "../../model/plan/policy.js";
import type { Sensitivity } from "../../model/primitives.js";
import type { ModelEntry } from "../../model/plan/registry.js";
import { TaskType } from "../../model/task.js";
import { entryOf, describeWorker } from "../../mind/plan/models/rank-workers.js";
import { agentForBuilder } from "./agents-of.js";
import { namedAgent, withModel } from "./named-agent.js";

/* Who can work here: every agent of the settings with every model it can be told to use, and for which data. */

export interface WorkersWanted {
  /** Whom the person who asks named for the whole run: then nobody else is chosen. */
  readonly agent?: string | undefined;
  /** The model or family the request asks for: then nothing else is chosen. */
  readonly model?: string | undefined;
}

/**
 * Null when no agent is named, or one that there is not: anyone who carries the plan out is told so.
 *
 * Contract: pure. Throws MODEL_NOT_CONFIGURED when a model is asked for that nothing configured here can serve.
 */
export function configuredWorkers(
  configuration: Configuration,
  models: readonly ModelEntry[],
  { agent, model }: WorkersWanted = {},
): ExecutionPolicy["workers"] | null {
  const usual = agentForBuilder(undefined, configuration, agent);
  if (usual === null || namedAgent(usual, configuration) === null) return null;
  const of = (name: string) => workersOf(name, configuration, models);
  const named = TaskType.options.flatMap((type) => {
    const name = agentForBuilder(type, configuration, agent);
    return name === null || name === usual || namedAgent(name, configuration) === null ? [] : [[type, name] as const];
  });
  const order =
    agent !== undefined ? [agent] : [usual, ...named.map(([, name]) => name), ...others(configuration, model)];
  const all = [...new Set(order)].flatMap(of);
  const choices = model === undefined ? all : all.filter((worker) => serves(worker, model, configuration, models));
  const [first] = choices;
  if (first === undefined) throw notConfigured(model ?? "", all);
  const builders = named.flatMap(([type, name]) => {
    const worker = choices.find((each) => each.agent === name);
    return worker === undefined ? [] : [[type, worker] as const];
  });
  return { default: first, builders: Object.fromEntries(builders), choices };
}

/** An agent with each of its models: one that is told no model works with its own choice. */
export function workersOf(name: string, configuration: Configuration, models: readonly ModelEntry[]): Worker[] {
  const settings = namedAgent(name, configuration);
  if (settings === null) return [];
  const first = resolveAgent(name, settings).model;
  const all = [...new Set([first, ...(settings.models ?? [])])].filter((model) => model !== null);
  return (all.length === 0 ? [null] : all).map((model) => workerOf(name, settings, model, configuration, models));
}

/** An agent with one model: the one that was chosen, or else that of its own settings. */
export function workerOf(
  name: string,
  settings: AgentSettings,
  chosen: string | null,
  configuration: Configuration,
  models: readonly ModelEntry[],
): Worker {
  const { model, price } = resolveAgent(name, withModel(settings, chosen), {
    priceOf: pricesOf(models, configuration.model_prices),
  });
  const accepts = acceptedClasses(name, model, configuration);
  return {
    agent: name,
    model,
    price,
    ...(isLocal(name, settings, model, configuration) ? { local: true } : {}),
    ...(accepts.length === 0 ? {} : { accepts }),
  };
}

/** A model that is asked directly, as somebody who is shown data: `model:NAME` is its name among the marks of the settings. */
export function modelWorker(
  name: string,
  { model }: Pick<ModelSettings, "model">,
  configuration: Configuration,
): Worker {
  const agent = `model:${name}`;
  const accepts = acceptedClasses(agent, model, configuration);
  return {
    agent,
    model,
    price: null,
    ...(isMarked(configuration.data_agents.local, agent, model, configuration) ? { local: true } : {}),
    ...(accepts.length === 0 ? {} : { accepts }),
  };
}

/** Who may work beside the default agent: those named to stand in, those marked for data, and for a model all there are. */
function others(configuration: Configuration, model: string | undefined): string[] {
  const { agents, fallback_agents, data_agents, awaiting_trust = [] } = configuration;
  const marked = [data_agents.local, data_agents.confidential, data_agents.restricted]
    .flat()
    .map((mark) => mark.split("/")[0] as string)
    .filter((name) => Object.hasOwn(agents, name));
  const all = model === undefined ? [] : Object.keys(agents);
  return [...fallback_agents, ...marked, ...all].filter((name) => !awaiting_trust.includes(name));
}

/** Families of models, as requests name them, by the provider the registry knows them under. */
const FAMILIES: Readonly<Record<string, string>> = { claude: "anthropic", ollama: "ollama" };

function serves(
  { agent, model }: Worker,
  wanted: string,
  configuration: Configuration,
  models: readonly ModelEntry[],
): boolean {
  if (agent === wanted || namedAgent(agent, configuration)?.preset === wanted) return true;
  if (model === null) return false;
  const entry = entryOf(model, models);
  const bare = model.slice(model.lastIndexOf("/") + 1);
  return (
    model === wanted ||
    bare === wanted ||
    entry?.id === wanted ||
    entry?.provider === (FAMILIES[wanted] ?? wanted) ||
    bare.startsWith(`${wanted}-`) ||
    model.startsWith(`${wanted}/`)
  );
}

function notConfigured(model: string, all: readonly Worker[]): CoordinatorError {
  return new CoordinatorError(
    "MODEL_NOT_CONFIGURED",
    `Nothing configured here can serve the model ${model}; configured: ${all.map(describeWorker).join(", ")}`,
    {
      fix: `Name it under models of an agent in coordinator.yaml (agents: {NAME: {models: [${model}]}}), or ask without it.`,
    },
  );
}

/**
 * Whether what an agent is shown stays on this machine: the scripted agent as it comes, which uses no model, and those a
 * person's own settings say it of.
 */
function isLocal(name: string, settings: AgentSettings, model: string | null, configuration: Configuration): boolean {
  const { preset, command, mcp_servers } = settings;
  if (preset === "scripted" && command === undefined && mcp_servers.length === 0) return true;
  return isMarked(configuration.data_agents.local, name, model, configuration);
}

function acceptedClasses(name: string, model: string | null, configuration: Configuration): Sensitivity[] {
  const { confidential, restricted } = configuration.data_agents;
  const isMarkedBy = (marks: readonly string[]) => isMarked(marks, name, model, configuration);
  if (isMarkedBy(restricted)) return ["internal", "confidential", "restricted"];
  return isMarkedBy(confidential) ? ["internal", "confidential"] : [];
}

/** A mark is about the agent a person knows by that name, never about one that a project put into its place. */
function isMarked(
  marks: readonly string[],
  name: string,
  model: string | null,
  { project_agents = [] }: Configuration,
): boolean {
  if (project_agents.includes(name)) return false;
  return marks.some((mark) => mark === name || (model !== null && mark === `${name}/${model}`));
}
