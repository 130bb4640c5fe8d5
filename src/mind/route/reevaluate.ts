import type { ContextDocument, RoutedDecision, RoutingDecision } from "../../model/routing.js";
import type { CompiledPolicy } from "./compile-policy.js";
import { route } from "./route.js";

export type Reevaluation =
  | { readonly action: "dispatch"; readonly decision: RoutedDecision; readonly added: readonly string[] }
  | { readonly action: "escalate"; readonly reason: string; readonly decision: RoutingDecision };

/**
 * A child failed because its input did not suffice: decide again, from the registry as it is now.
 *
 * Contract: pure. Nothing the child said is an argument: a child cannot ask for documents. When the new decision gives
 * it nothing beside what it was given, another child would fail the same way, so a person decides.
 */
export function reevaluate(
  policy: CompiledPolicy,
  input: unknown,
  documents: readonly ContextDocument[],
  given: readonly string[],
): Reevaluation {
  const decision = route(policy, input, documents);
  if (decision.status !== "routed") return { action: "escalate", reason: decision.reason.message, decision };
  const added = decision.injected_context.filter((ref) => !given.includes(ref));
  if (added.length > 0) return { action: "dispatch", decision, added };
  return { action: "escalate", reason: "the registry holds nothing more for this child", decision };
}
