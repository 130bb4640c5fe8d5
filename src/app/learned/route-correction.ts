import type { CompiledPolicy } from "../../mind/route/compile-policy.js";
import { route } from "../../mind/route/route.js";
import type { InputType } from "../../model/routing.js";
import type { FoundCorrection } from "./corrections.js";

const CATEGORY_OF = { technical: "technical_explicit", product: "business", ambiguous: "ambiguous" } as const;

/** Finds the correction in a person's `--type` or `t`: null when the policy would have sent the request to the same target. */
export function routeCorrection(policy: CompiledPolicy, words: string, type: InputType): FoundCorrection | null {
  const decision = route(policy, { task_id: "correction", input: { body: words }, context_registry: [] });
  if (decision.status !== "routed" || decision.routed_to === (type === "technical" ? "dev" : "product")) return null;
  const { category, rule_id } = decision.classification;
  return { kind: "route", text: words, decided: { category, rule_id }, chosen: { category: CATEGORY_OF[type] } };
}
