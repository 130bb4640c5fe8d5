import { pricesOf } from "../../agents/prices.js";
import { resolveAgent } from "../../agents/resolve-agent.js";
import { agentForBuilder } from "../../execute/agents-of.js";
import { namedAgent } from "../../execute/named-agent.js";
import { holdersOf } from "../../execute/roles.js";
import type { Configuration } from "../../model/configuration.js";
import type { ExecutionPolicy, Worker } from "../../model/policy.js";
import { ReviewCategory } from "../../model/primitives.js";
import type { ModelEntry } from "../../model/registry.js";
import { TaskType } from "../../model/task.js";
import type { PlanGround } from "../report.js";

/**
 * The policy a plan is made with: the team's own, and what the settings say of who works and who reviews. It is kept
 * with the plan, so that the plan can be made again. `agent`: whom the person who asks named for the whole run.
 */
export function withSettings(
  policy: ExecutionPolicy,
  configuration: Configuration,
  models: readonly ModelEntry[],
  agent?: string,
): ExecutionPolicy {
  const workers = workersIn(configuration, models, agent);
  const named = ReviewCategory.options.flatMap((category) => {
    const holders = holdersOf(`${category}_reviewer`, configuration);
    return holders.length === 0 ? [] : [[category, holders.slice(0, 20)] as const];
  });
  return {
    ...policy,
    reviewers: { ...Object.fromEntries(named), ...policy.reviewers },
    ...(workers === null || policy.workers !== undefined ? {} : { workers }),
  };
}

/** What a person is shown of the settings beside a plan. */
export function groundOf({ checks }: Configuration, { workers }: ExecutionPolicy): PlanGround {
  return { checks: checks.map(({ name, run }) => ({ name, run })), workers };
}

/** Null when nobody is named, or somebody that there is not: whoever carries the plan out is told so. */
function workersIn(
  configuration: Configuration,
  models: readonly ModelEntry[],
  agent: string | undefined,
): ExecutionPolicy["workers"] | null {
  const workerFor = (type: string | undefined): Worker | null => {
    const name = agentForBuilder(type, configuration, agent);
    const settings = name === null ? null : namedAgent(name, configuration);
    if (name === null || settings === null) return null;
    const { model, price } = resolveAgent(name, settings, { priceOf: pricesOf(models) });
    return { agent: name, model, price };
  };
  const usual = workerFor(undefined);
  if (usual === null) return null;
  const builders = TaskType.options.flatMap((type) => {
    const worker = workerFor(type);
    return worker === null || worker.agent === usual.agent ? [] : [[type, worker] as const];
  });
  return { default: usual, builders: Object.fromEntries(builders) };
}
