import { isFree } from "../../../../model/settings/prices.js";
import type { ReviewPack } from "../../../../model/plan/review.js";
import type { PlanMade } from "../../../../app/plan-reports.js";
import { dollars, thousands } from "../../../../foundation/text/figures.js";
import { row } from "../screen.js";

/** Shows the expected cost of a plan with its workers, and its limit. */
export function costLines(report: PlanMade, review: ReviewPack, width: number): string[] {
  const { planned, budget, minutes_critical_path } = review.estimate;
  const time = `about ${Math.max(1, Math.round(minutes_critical_path))} min`;
  const most = `at most ${thousands(budget.tokens)} tokens and ${dollars(budget.cost_usd)}`;
  return row("Cost", `${price(report, review)}; about ${thousands(planned.tokens)} tokens, ${time}; ${most}`, width);
}

function price({ ground }: PlanMade, { models, estimate }: ReviewPack): string {
  const workers = ground?.workers;
  if (workers === undefined) {
    const named = [...new Set(models.flatMap(({ model }) => model ?? []))];
    if (ground !== undefined || named.length === 0) return "unknown, because no agent is configured";
    return `about ${dollars(estimate.planned.cost_usd)} with ${named.join(", ")}`;
  }
  const used = new Set(models.flatMap(({ agent }) => agent ?? []));
  const working = [workers.default, ...Object.values(workers.builders)].filter(({ agent }) => used.has(agent));
  const unpriced = working.filter((worker) => worker.price === null);
  if (unpriced.length > 0) {
    const names = unpriced.map(({ agent, model }) => (model === null ? agent : `${agent} (${model})`));
    return `unknown: ${names.join(", ")} ${names.length === 1 ? "has" : "have"} no price in the settings, ${dollars(estimate.planned.cost_usd)} is set aside`;
  }
  if (working.every((worker) => worker.price !== null && isFree(worker.price)))
    return `none: ${working.map(({ agent }) => agent).join(", ")} ${working.length === 1 ? "asks" : "ask"} no paid model`;
  const names = working.map(({ agent, model }) => (model === null ? agent : `${agent} (${model})`));
  return `about ${dollars(estimate.planned.cost_usd)} with ${names.join(", ")}`;
}
