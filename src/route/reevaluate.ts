import type { ContextDocument, RoutedDecision, RoutingDecision } from "../model/routing.js";
import type { CompiledPolicy } from "./compile-policy.js";
import { route } from "./route.js";

export type Reevaluation =
  | { readonly action: "dispatch"; readonly decision: RoutedDecision }
  | { readonly action: "escalate"; readonly reason: string; readonly decision: RoutingDecision };

/**
 * A child failed because its input did not suffice: decide again, from the registry as it is now.
 *
 * Contract: pure. Nothing the child said is an argument: a child cannot ask for documents. When the new decision gives
 * it nothing else than the one before, another child would fail the same way, so a person decides.
 */
export function reevaluate(
  policy: CompiledPolicy,
  input: unknown,
  documents: readonly ContextDocument[],
  before: RoutedDecision,
): Reevaluation {
  const decision = route(policy, input, documents);
  if (decision.status !== "routed") return { action: "escalate", reason: decision.reason.message, decision };
  const same =
    decision.routed_to === before.routed_to &&
    decision.injected_context.length === before.injected_context.length &&
    decision.injected_context.every((ref, i) => ref === before.injected_context[i]);
  if (same) return { action: "escalate", reason: "the registry holds nothing more for this child", decision };
  return { action: "dispatch", decision };
}
