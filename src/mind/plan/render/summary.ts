import type { ReviewPack } from "../../../model/plan/review.js";

/** The last line of a plan, wherever it is shown. */
export function summaryLine({ summary, risk, estimate }: ReviewPack, planChecksum: string): string {
  const parts = [
    `${count(summary.actions, "action")} in ${count(summary.levels, "level")}`,
    count(summary.reviews, "review"),
    count(summary.questions_answered + summary.fallbacks_used, "question"),
    `risk ${risk.overall_risk}`,
    `est. $${estimate.planned.cost_usd.toFixed(2)}`,
    `checksum ${planChecksum.slice(0, 12)}…`,
  ];
  return `Plan: ${parts.join(", ")}`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
