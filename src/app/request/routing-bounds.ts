import type { Diagnostic } from "../../model/diagnostic.js";
import type { RoutingBounds, RoutingFailurePolicy } from "../../model/routing.js";
import type { RunPolicy } from "../../model/run.js";
import { boundsOf } from "../../mind/route/child-scope.js";
import { loadRoutingLimits } from "./routing-policy.js";

/* The limits of the routing policy on the runs of a project. */

/** Reads the bounds of the policy in force now, for a plan that was not made from words: dev carries it out. */
export async function currentBounds(
  cwd: string,
): Promise<RoutingBounds | { readonly problems: readonly Diagnostic[] }> {
  const loaded = await loadRoutingLimits(undefined, cwd);
  return loaded.ok ? boundsOf(loaded.policy.policy, "dev") : { problems: loaded.problems };
}

/** The policy of a run with the failure policy of the routing policy. Of two numbers of retries the smaller one holds. */
export function withinBounds(
  run: RunPolicy,
  { failure: { max_retries, escalation_triggers } }: { readonly failure: RoutingFailurePolicy },
): RunPolicy {
  const retries = Math.min(run.failure.max_retries, max_retries);
  return { ...run, failure: { ...run.failure, max_retries: retries, escalation_triggers: [...escalation_triggers] } };
}
