import { trustedPolicy } from "../../hands/settings/trust/in-effect.js";
import { agentSettings, otherAgents, requireAgent } from "../../hands/attempts/agents-of.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { Amounts, RunTask } from "../../model/run.js";
import type { Equip, TaskShare } from "../../mind/run/plan-ref.js";
import type { RoutingBounds } from "../../model/routing.js";
import type { ScopePolicy } from "../../model/settings/scope-policy.js";
import { offerAskedLimits, limitsOf, narrowScope, offerOf } from "../../mind/scope/narrow-scope.js";
import { toScopedTask, scopeOf, withNetwork } from "../../mind/scope/scope-of.js";
import type { RunContext } from "./run-arguments.js";

/** The person's limit for the whole run; null where nobody set one. */
export interface MostOfRun {
  readonly minutes: number | null;
  readonly api_calls: number | null;
}

/**
 * Who does a task, and what they may do: what the plan asks for, within the contract of the scope policy and the bounds of
 * the routing policy. The narrowest of them holds.
 */
export async function equipment(
  { args, configuration, trust, registry, context }: RunContext,
  most: MostOfRun,
  { child_scope }: RoutingBounds,
): Promise<Equip> {
  const policy = trustedPolicy(await context.project.scopePolicy(), trust);
  const checks = configuration.checks.map(({ run }) => run);
  return (node, task, share) => {
    const owner = registry.registry.agents.find(({ id }) => id === node.metadata.owner);
    const type = node.metadata.task?.type ?? owner?.builder;
    const planned = task.agent === node.metadata.owner ? undefined : task.agent;
    // The agent that the plan chose works on it, unless the command names another one.
    const agent = args.agent ?? planned ?? requireAgent(type, configuration, undefined);
    const binds = planned === agent;
    agentSettings(agent, configuration, registry.registry.models, binds ? (task.model ?? null) : null);
    const { writes } = toScopedTask(node, owner, null);
    const estimate = withinLimits(setAside(task, writes, configuration), task, most, share);
    const granted = scopeOf(toScopedTask(node, owner, estimate), policy, []);
    const commands = [...new Set([...granted.scope.commands, ...checks, ...configuration.scope.commands])];
    const reached = withNetwork(granted.scope, configuration.scope.network);
    const within = { ...reached, commands, read: [...configuration.scope.read] };
    const minutes = Math.min(within.minutes, most.minutes ?? Infinity);
    const limits = limitsOf([
      ...offerAskedLimits(granted, reached, within.tools),
      { by: "task", limits: { minutes: granted.asked.minutes } },
      ...(most.minutes === null ? [] : [{ by: "request" as const, limits: { minutes: most.minutes } }]),
      { by: "contract", limits: { ...contractLimits(policy, reached.network), write: granted.scope.write } },
      offerOf(child_scope),
    ]);
    return {
      agent,
      alternatives: otherAgents(agent, configuration, args.agent, registry.registry.models),
      // Of a plan that somebody else carries out, neither the model nor those who take over are meant.
      ...(binds ? {} : { model: undefined, fallbacks: undefined, model_choice: undefined }),
      estimate,
      scope: narrowScope({ ...within, minutes }, child_scope),
      limits,
    };
  };
}

/** No attempt sets aside more than its part of what was allowed: later tasks would find nothing left. */
function withinLimits(room: Amounts, { estimate }: RunTask, most: MostOfRun, share: TaskShare): Amounts {
  return {
    ...room,
    tokens: Math.min(room.tokens, Math.max(estimate.tokens, Math.floor(share.budget_tokens * share.tokens))),
    minutes: most.minutes === null ? room.minutes : Math.min(most.minutes, most.minutes * share.minutes),
    api_calls:
      most.api_calls === null
        ? room.api_calls
        : Math.min(room.api_calls, Math.max(1, Math.floor(most.api_calls * share.tokens))),
  };
}

function contractLimits({ most: { minutes, output_bytes, network } }: ScopePolicy, reached: readonly string[]) {
  return { minutes, output_bytes, network: [...new Set([...network, ...reached])] };
}

/** A pattern may stand for any number of files; a path stands for one. */
const FILES_OF_PATTERN = 50;

/** The amounts an attempt may use before it is stopped: its estimate and some room, for no estimate is exact. */
function setAside(
  { estimate }: RunTask,
  writes: readonly string[],
  { headroom, calls_per_attempt }: Configuration,
): Amounts {
  const files = writes.reduce((sum, path) => sum + (/[*?{]/.test(path) ? FILES_OF_PATTERN : 1), 0);
  return {
    ...estimate,
    tokens: estimate.tokens * headroom,
    // An agent that should cost nothing and reports a cost all the same is not stopped at its first cent.
    cost_usd: Math.max(estimate.cost_usd, estimate.tokens / 1_000_000) * headroom,
    minutes: Math.max(10, estimate.minutes * headroom),
    files,
    api_calls: calls_per_attempt,
  };
}
