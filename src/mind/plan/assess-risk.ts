import type { RiskAssessment, RiskFactor, RuleDecision } from "../../model/plan/decision.js";
import { higherRisk, type RiskLevel } from "../../model/primitives.js";
import type { Action } from "./rules/actions.js";
import type { CompiledRule } from "./rules/compile-rules.js";
import type { ParsedIntent } from "./parse-intent.js";

/**
 * The risk of the whole plan: the highest of what the intent declares, what its commands declare, what the rules that
 * fired say, and what earlier runs taught. Each source that raises it is a factor with its evidence.
 */
export function assessRisk(
  { intent }: ParsedIntent,
  actions: readonly Action[],
  decisions: readonly RuleDecision[],
  rules: readonly CompiledRule[],
): RiskAssessment {
  const factors = new Map<string, RiskFactor>();
  const add = (factor: string, level: RiskLevel, evidence: string) => {
    const known = factors.get(factor);
    if (known === undefined) factors.set(factor, { factor, level, evidence_refs: [evidence] });
    else {
      // A driver of the intent may have the words of a factor found here; the higher level holds.
      known.level = higherRisk(known.level, level);
      if (known.evidence_refs.length < 20) known.evidence_refs.push(evidence);
    }
  };
  for (const driver of intent.risk.drivers) add(driver, intent.risk.overall, `intent://${intent.id}/risk`);
  const levelOfRule = new Map(rules.map(({ rule }) => [rule.id, rule.then.risk]));
  for (let i = 0; i < actions.length; i++) {
    const { planned, effects, history, key } = actions[i] as Action;
    if (planned.risk_level !== "low")
      add(`Commands of ${planned.risk_level} risk`, planned.risk_level, `command://${key}`);
    if (effects.includes("deploy")) add("Something is deployed", "medium", `command://${key}`);
    if (history !== undefined && history.failures * 2 > history.samples)
      add("More than half of the earlier attempts failed", "medium", `memory://history/${planned.command_id}`);
    for (const evaluation of decisions[i]?.evaluations ?? []) {
      const level = levelOfRule.get(evaluation.rule_id);
      if (level !== undefined) add(`Rule ${evaluation.rule_id}`, level, `command://${key}`);
      if (evaluation.held !== undefined) add("A rule could not decide", "medium", `rule://${evaluation.rule_id}`);
    }
  }
  let overall_risk: RiskLevel = intent.risk.overall;
  for (const { level } of factors.values()) overall_risk = higherRisk(overall_risk, level);
  return { overall_risk, factors: [...factors.values()] };
}
