import { formatCost } from "./format.ts";
import type { ExecutionGraph, PlanTask, ReviewPack } from "./types.ts";

/** Sums the estimates of a plan's tasks; of a task without one, its limit. */
export function sumEstimates(tasks: readonly PlanTask[]) {
  const sum = (key: "cost_usd" | "tokens" | "minutes") =>
    tasks.reduce((total, { planned, estimate }) => total + (planned ?? estimate)[key], 0);
  return { cost_usd: sum("cost_usd"), tokens: sum("tokens"), minutes: sum("minutes") };
}

/** Contract: a price that nobody knows is said, and never counted as nothing. */
export function tellCost(cost_usd: number, review: ReviewPack | null): string {
  if (review?.estimate.cost_is !== "partly_assumed") return formatCost(cost_usd);
  return cost_usd === 0 ? "a cost that is not known" : `${formatCost(cost_usd)} for models with a known price`;
}

export type Action = Extract<ExecutionGraph["nodes"][number], { readonly node_type: "action_proposal" }>;

/** The action of the plan behind each task, by the id of the task. */
export function actionsOf(graph: ExecutionGraph | null): ReadonlyMap<string, Action> {
  const found = new Map<string, Action>();
  for (const node of graph?.nodes ?? []) {
    if (node.node_type !== "action_proposal") continue;
    found.set(node.node_id, node);
    found.set(node.metadata.task?.id ?? node.command_ref, node);
  }
  return found;
}
