import type { PlanTask } from "./types.ts";

/** What a plan thinks that its tasks will use; of a task without a figure, what it may use at most. */
export function sumEstimates(tasks: readonly PlanTask[]) {
  const sum = (key: "cost_usd" | "tokens" | "minutes") =>
    tasks.reduce((total, { planned, estimate }) => total + (planned ?? estimate)[key], 0);
  return { cost_usd: sum("cost_usd"), tokens: sum("tokens"), minutes: sum("minutes") };
}
