import type { RiskAssessment, RuleDecision } from "../../../model/plan/decision.js";
import type { Lineage } from "../../../model/plan/graph.js";
import type { FactPack } from "../../../model/settings/packs.js";
import type { Action } from "./actions.js";
import { adjudicateAll } from "./adjudicate.js";
import { assessRisk } from "../assess-risk.js";
import type { GraphSource } from "../graph/draft.js";
import type { PlanInputs } from "../inputs.js";
import type { ParsedIntent } from "../parse-intent.js";
import { findUncertainties } from "../questions/find-uncertainties.js";
import type { Resolutions } from "../questions/resolutions.js";
import type { ActionCost } from "../models/route-models.js";
import { planScope } from "./rule-facts.js";
import type { Services } from "../services.js";

/** The inputs that stay the same through all rounds of questions. */
export interface PlanningContext {
  readonly inputs: PlanInputs;
  readonly services: Services;
  readonly parsed: ParsedIntent;
  readonly lineage: Lineage;
  readonly facts: FactPack;
  readonly actions: readonly Action[];
  readonly costs: readonly ActionCost[];
}

/** The outcome of the rules once some questions are resolved. */
export interface Judgement {
  readonly resolutions: Resolutions;
  readonly decisions: readonly RuleDecision[];
  readonly risk: RiskAssessment;
  readonly source: GraphSource;
}

/** Let the rules speak on every action, with what is resolved so far. */
export function judge(ground: PlanningContext, resolutions: Resolutions): Judgement {
  const { inputs, parsed, facts, actions, costs } = ground;
  const { rules } = inputs.registry.rules;
  const scope = planScope(parsed, inputs.policy, facts, resolutions);
  const decisions = adjudicateAll(actions, { rules, policy: inputs.policy, scope, facts, resolutions });
  const risk = assessRisk(parsed, actions, decisions, rules);
  const shared = {
    parsed,
    registry: inputs.registry.index,
    policy: inputs.policy,
    actions,
    decisions,
    risk,
    resolutions,
  };
  const uncertainties = findUncertainties({ ...shared, facts, remembered: inputs.memory?.answers ?? [] });
  return { resolutions, decisions, risk, source: { ...shared, costs, uncertainties } };
}
