import { agentForBuilder } from "../../hands/attempts/agents-of.js";
import { workerOf } from "../../hands/attempts/configured-workers.js";
import { dataOf, holdForData, mostSensitive } from "../../hands/attempts/data-class.js";
import { namedAgent } from "../../hands/attempts/named-agent.js";
import type { SessionRequest } from "../../hands/integration/coordination-session.js";
import type { ExecuteOptions } from "./execute-options.js";
import { type CommonOrder, commonOrder, type OrderParts } from "./orders.js";

/* Who is asked to resolve a conflict or to review, and whether they may be shown what it is about. */

type Purpose = SessionRequest["purpose"];

/** Who resolves conflicts and who reviews, as configured. Another reviewer than resolver need not have written the work. */
function chooseConfigured(purpose: Purpose, { configuration, agent }: ExecuteOptions): string | null {
  const resolver = () => configuration.resolver ?? agentForBuilder(undefined, configuration, agent);
  return purpose === "review" ? (configuration.reviewer ?? resolver()) : resolver();
}

/**
 * Why the agent for a session must not be asked; null when it may. It sees the work of every task and what these files
 * hold, so the most sensitive of them counts: what a task wrote is known only when it has.
 */
function heldSession(agent: string, { configuration, models, state }: ExecuteOptions, paths: readonly string[]) {
  const settings = namedAgent(agent, configuration);
  if (settings === null) return null;
  const worker = workerOf(agent, settings, null, configuration, models);
  const found = (state.layout?.plan.tasks ?? []).map((task) => dataOf(task, [], configuration));
  const all = [...found, dataOf({ files: [...paths] }, [], configuration)];
  const sensitivity = mostSensitive(all.map((one) => one.sensitivity));
  const because = all.find((one) => one.sensitivity === sensitivity)?.because ?? "";
  return holdForData(worker, { sensitivity, because }) === null
    ? null
    : `${sensitivity} data (${because}) is not shown to ${agent}`;
}

/** Who is asked in a session about these files; null when nobody is configured who may be shown them. */
export function sessionAgent(purpose: Purpose, options: ExecuteOptions, paths: readonly string[] = []): string | null {
  const agent = chooseConfigured(purpose, options);
  return agent === null || heldSession(agent, options, paths) !== null ? null : agent;
}

/** The order of that agent, beside the subject of the session; or why no agent may be asked. */
export function sessionOrder(
  { purpose, paths }: Pick<SessionRequest, "purpose" | "paths">,
  options: ExecuteOptions,
  around: Pick<OrderParts, "cache" | "sandboxes" | "clockMs">,
): CommonOrder | string {
  const agent = chooseConfigured(purpose, options);
  if (agent === null) return "no agent is configured that could be asked";
  return heldSession(agent, options, paths) ?? commonOrder(options, around, agent);
}
