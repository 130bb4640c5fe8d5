import { formatCost, formatCount, plural, words } from "../format.ts";
import type { ReviewPack } from "../types.ts";

/** Shows what a person weighs before they approve: risks, predicted conflicts, cost and time with their basis, the way back. */
export function PlanReview({ review }: { readonly review: ReviewPack }) {
  const { risk, change_impact, estimate, schedule, warnings, rollback_guide, summary } = review;
  const { predicted_conflicts, outside_lock_scope } = change_impact;
  return (
    <section className="card" aria-label="Review of the plan">
      <dl className="facts">
        <dt>Goal</dt>
        <dd>{summary.goal}</dd>
        {summary.success_criteria.length > 0 && (
          <>
            <dt>Done when</dt>
            <dd>{summary.success_criteria.join("; ")}</dd>
          </>
        )}
        {summary.non_goals.length > 0 && (
          <>
            <dt>Not part of it</dt>
            <dd>{summary.non_goals.join("; ")}</dd>
          </>
        )}
        <dt>Risk</dt>
        <dd>
          {risk.overall_risk}
          {risk.factors.length > 0 && `: ${risk.factors.map(({ factor }) => words(factor)).join("; ")}`}
        </dd>
        <dt>Budget</dt>
        <dd>
          {formatCost(estimate.budget.cost_usd)} and {formatCount(estimate.budget.tokens)} tokens; estimated{" "}
          {formatCost(estimate.planned.cost_usd)} and {formatCount(estimate.planned.tokens)} tokens
          {estimate.cost_is === "partly_assumed" && ", where some models have no known price"}
        </dd>
        <dt>Time</dt>
        <dd>
          at least {estimate.minutes_critical_path.toFixed(1)} min (the longest chain,{" "}
          {plural(schedule.critical_path.length, "task")}), {estimate.minutes_total.toFixed(1)} min of work in all
        </dd>
        <dt>Predicted conflicts</dt>
        <dd>
          {predicted_conflicts.length === 0 ? (
            "none: no two tasks at the same time may touch the same file"
          ) : (
            <ul className="plain-list">
              {predicted_conflicts.map(({ first, second, pattern, reason }) => (
                <li key={`${first} ${second} ${pattern}`}>
                  {first} and {second} in <code>{pattern}</code>: {reason}
                </li>
              ))}
            </ul>
          )}
        </dd>
        {outside_lock_scope.length > 0 && (
          <>
            <dt>Outside of its bounds</dt>
            <dd>
              <code>{outside_lock_scope.join(" ")}</code>
            </dd>
          </>
        )}
        {warnings.length > 0 && (
          <>
            <dt>Warnings</dt>
            <dd>{warnings.join("; ")}</dd>
          </>
        )}
      </dl>
      {rollback_guide.length > 0 && (
        <details>
          <summary>How to undo it</summary>
          <ul>
            {rollback_guide.map(({ node, action, how }) => (
              <li key={node}>
                {action}: {how}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
