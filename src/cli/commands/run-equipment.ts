import { trustedPolicy } from "../../configuration/trust/in-effect.js";
import { agentSettings, otherAgents, requireAgent } from "../../execute/agents-of.js";
import type { Configuration } from "../../model/configuration.js";
import type { Amounts, RunTask } from "../../model/run.js";
import type { Equip } from "../../runs/plan-ref.js";
import { scopedTask, scopeOf, withNetwork } from "../../scope/scope-of.js";
import { readScopePolicy } from "./project.js";
import type { Ready } from "./run-arguments.js";

/** Who does a task, and what they may do: by the configuration, the registry and the scope policy. */
export async function equipment({ args, configuration, trust, registry }: Ready, most: number | null): Promise<Equip> {
  const policy = trustedPolicy(await readScopePolicy(), trust);
  const checks = configuration.checks.map(({ run }) => run);
  return (node, task) => {
    const owner = registry.registry.agents.find(({ id }) => id === node.metadata.owner);
    const type = node.metadata.task?.type ?? owner?.builder;
    const agent = requireAgent(type, configuration, args.agent);
    agentSettings(agent, configuration, registry.registry.models);
    const { writes } = scopedTask(node, owner, null);
    const room = setAside(task, writes, configuration);
    // What was asked to take so long at most is not set aside for longer.
    const estimate = most === null ? room : { ...room, minutes: Math.min(room.minutes, most) };
    const { scope } = scopeOf(scopedTask(node, owner, estimate), policy, []);
    const commands = [...new Set([...scope.commands, ...checks, ...configuration.scope.commands])];
    const reached = withNetwork(scope, configuration.scope.network);
    const alternatives = otherAgents(agent, configuration, args.agent, registry.registry.models);
    return { agent, alternatives, estimate, scope: { ...reached, commands, read: [...configuration.scope.read] } };
  };
}

/** A pattern may stand for any number of files; a path stands for one. */
const FILES_OF_PATTERN = 50;

/** What an attempt may use before it is stopped: its estimate and some room, for no estimate is exact. */
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
