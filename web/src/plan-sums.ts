import type { PlanTask } from "./types.ts";

/** Sums the estimates of a plan's tasks; of a task without one, its limit. */
export function sumEstimates(tasks: readonly PlanTask[]) {
  const sum = (key: "cost_usd" | "tokens" | "minutes") =>
    tasks.reduce((total, { planned, estimate }) => total + (planned ?? estimate)[key], 0);
  return { cost_usd: sum("cost_usd"), tokens: sum("tokens"), minutes: sum("minutes") };
}
