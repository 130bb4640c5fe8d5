import type { ChildScope, RoutingBounds, RoutingPolicy, RoutingTarget } from "../../model/routing.js";

/** The scope of a child agent of this target (tools, paths, hosts), from the policy. The caller owns the copy. */
export function childScope(policy: RoutingPolicy, target: RoutingTarget): ChildScope {
  const scope = policy.child_scopes[target];
  return { ...scope, tools: [...scope.tools], write: [...scope.write], network: [...scope.network] };
}

/** The limits of the policy for a run, to be kept with it: a policy that is changed later changes no run that has begun. */
export function boundsOf(policy: RoutingPolicy, target: RoutingTarget): RoutingBounds {
  const { max_retries, escalation_triggers } = policy.failure;
  return {
    policy_id: policy.policy_id,
    target,
    child_scope: childScope(policy, target),
    failure: { max_retries, escalation_triggers: [...escalation_triggers] },
  };
}
