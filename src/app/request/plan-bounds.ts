import type { ActionNode, ExecutionGraph } from "../../model/plan/graph.js";
import type { AgentEntry } from "../../model/plan/registry.js";
import type { RoutingBounds } from "../../model/routing.js";
import type { ScopePolicy } from "../../model/settings/scope-policy.js";
import { leavesNothing, readCut, describeCut } from "../inspect/explain/limit-cuts.js";
import { offerAskedLimits, limitsOf, offerOf } from "../../mind/scope/narrow-scope.js";
import { toScopedTask, scopeOf, withNetwork } from "../../mind/scope/scope-of.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import type { Project } from "../project/project.js";

/* A plan held against the limits of the routing policy and of the contract, before it is carried out. */

export interface PlanCuts {
  /** Requests of tasks that are not granted, one line each. */
  readonly told: readonly string[];
  /** The part of it that leaves a task nothing to write or to write with. */
  readonly refused: readonly string[];
}

interface CutParts {
  readonly project: Project;
  readonly bounds: RoutingBounds;
  readonly agents: readonly AgentEntry[];
  /** The hosts that the project lets every builder reach. */
  readonly hosts: readonly string[];
}

/** Contract: reads the scope policy and decides; nothing is written. */
export async function readPlanCuts(graph: ExecutionGraph | null, parts: CutParts): Promise<PlanCuts> {
  // Which hosts of it count is known when the run begins: people agree to each.
  const policy: ScopePolicy = { ...(await parts.project.scopePolicy()), network: [] };
  const nodes = graph?.nodes ?? [];
  const cuts = nodes.flatMap((node) => (node.node_type === "action_proposal" ? cutsOf(node, policy, parts) : []));
  return {
    told: cuts.map(({ told }) => told),
    refused: cuts.filter(({ isLast }) => isLast).map(({ told }) => told),
  };
}

function cutsOf(node: ActionNode, policy: ScopePolicy, { bounds, agents, hosts }: CutParts) {
  const owner = agents.find(({ id }) => id === node.metadata.owner);
  const granted = scopeOf(toScopedTask(node, owner, null), policy, []);
  const reached = withNetwork(granted.scope, hosts);
  const limits = limitsOf([
    ...offerAskedLimits(granted, reached, reached.tools),
    { by: "task", limits: { minutes: node.metadata.estimate.minutes } },
    { by: "contract", limits: { write: granted.scope.write } },
    offerOf(bounds.child_scope),
  ]);
  const name = node.metadata.task?.id ?? node.command_ref;
  return limits
    .flatMap((limit) => readCut(limit) ?? [])
    .map((cut) => ({ told: `${name}: ${describeCut(cut, bounds.policy_id)}.`, isLast: leavesNothing(cut) }));
}

/** Why a plan is not carried out; null where every task has something left. */
export function refuseEmptyTasks({ refused }: PlanCuts): Finished | null {
  const [first, ...others] = refused;
  if (first === undefined) return null;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return fail(EXIT.refused, "BOUNDS_EXCEEDED", `Nothing would be left of ${first.replace(/\.$/, "")}${more}`, {
    fix: "Ask for something within these limits, or have governance/policy.yaml permit it (child_scopes, dev).",
  });
}
