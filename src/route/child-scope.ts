import type { ChildScope, RoutedDecision, RoutingPolicy, RoutingTarget } from "../model/routing.js";

/** What a child agent of this target may use, write and reach, from the policy. The caller owns the copy. */
export function childScope(policy: RoutingPolicy, target: RoutingTarget): ChildScope {
  const scope = policy.child_scopes[target];
  return { ...scope, tools: [...scope.tools], write: [...scope.write], network: [...scope.network] };
}

/** All that a child agent is given. */
export interface ChildInput<Input> {
  readonly task_id: string;
  readonly input: Input;
  readonly injected_context: readonly string[];
  readonly child_scope: ChildScope;
}

/**
 * The child's input: the operator's payload as it was received, the selected references, the scope.
 *
 * INVARIANT: neither the registry nor the log of the selection is in it: a child knows of no document but its own.
 */
export function childInput<Input>(decision: RoutedDecision, payload: Input): ChildInput<Input> {
  const { task_id, injected_context, child_scope } = decision;
  return { task_id, input: payload, injected_context, child_scope };
}
