import type { RoutingBounds } from "../../model/routing.js";
import { kindsOf, sharedHosts, sharedPaths } from "./narrow-scope.js";

/*
 * A plan is made under one routing policy and may be carried out under another. Neither is passed by: anyone who tightens the
 * policy after a plan was made binds its run, and anyone who loosens it gives a plan no more than it was approved with.
 */

/** Computes the bounds that both policies permit, under the name of the one in force now. Contract: pure. */
export function narrowBounds(planned: RoutingBounds, now: RoutingBounds): RoutingBounds {
  const [was, is] = [planned.child_scope, now.child_scope];
  const kinds = kindsOf(is.tools);
  return {
    policy_id: now.policy_id,
    target: now.target,
    child_scope: {
      tools: was.tools.filter((tool) => kindsOf([tool]).every((kind) => kinds.includes(kind))),
      write: sharedPaths(was.write, is.write),
      network: sharedHosts(was.network, is.network),
      time_limit_ms: Math.min(was.time_limit_ms, is.time_limit_ms),
      max_output_bytes: Math.min(was.max_output_bytes, is.max_output_bytes),
    },
    failure: {
      max_retries: Math.min(planned.failure.max_retries, now.failure.max_retries),
      escalation_triggers: [...now.failure.escalation_triggers],
    },
  };
}
