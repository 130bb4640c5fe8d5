import type { RiskAssessment, RuleDecision } from "../../../model/plan/decision.js";
import { findRuleConflicts } from "./adjudicate.js";
import type { CompiledRules } from "./compile-rules.js";
import type { ParsedIntent } from "../parse-intent.js";
import { abortGuard, blockGuard, type Guard, passGuard } from "../transition.js";

/** Rules that cannot be decided by a machine decide nothing, so planning stops before any is asked. */
export function allRulesDecidable({ rules, undecidable }: CompiledRules): Guard {
  const name = "all_rules_decidable";
  if (undecidable.length === 0) return passGuard(name, `${rules.length} rules, all machine-decidable`);
  const shown = undecidable.slice(0, 5).map((p) => `${p.ruleId} at ${p.line}:${p.column}: ${p.message}`);
  return abortGuard(name, shown.join("; "), {
    type: "constraint_violation",
    recovery: ["Mend the condition; `coordinator registry check` shows the place in its file."],
    diagnostics: undecidable,
  });
}

export function ruleGuards(
  parsed: ParsedIntent,
  decisions: readonly RuleDecision[],
  risk: RiskAssessment,
  rules: CompiledRules,
): Guard[] {
  // A denial that another rule contradicts is for a person to settle (BLOCKED) and no hard denial (ABORTED).
  const contested = new Set(findRuleConflicts(decisions, rules.rules).map(({ target }) => target));
  return [
    allRulesDecidable(rules),
    noUnresolvableConflict(decisions, rules),
    deniesHaveReasons(decisions),
    nothingDenied(contested.size === 0 ? decisions : decisions.filter(({ target }) => !contested.has(target))),
    riskFitsMode(parsed, risk),
  ];
}

function noUnresolvableConflict(decisions: readonly RuleDecision[], { rules }: CompiledRules): Guard {
  const name = "no_unresolvable_rule_conflict";
  const conflicts = findRuleConflicts(decisions, rules);
  if (conflicts.length === 0) return passGuard(name, "No rule demands what another denies");
  return blockGuard(
    name,
    conflicts.map((c) => `${c.target}: ${c.demanding} demands it and ${c.denying} denies it`).join("; "),
    {
      type: "constraint_violation",
      recovery: ["Change one of the two rules, or take the command out of the intent."],
      diagnostics: conflicts.map((c) => ({
        code: "RULE_CONFLICT",
        path: c.target,
        message: `${c.demanding} against ${c.denying}`,
      })),
    },
  );
}

function deniesHaveReasons(decisions: readonly RuleDecision[]): Guard {
  const name = "denies_have_reasons";
  const bare = decisions.find(({ decision, reason }) => decision === "deny" && reason.trim() === "");
  if (bare === undefined) return passGuard(name, "Every denial says why");
  return abortGuard(name, `${bare.rule_id} denies ${bare.target} and does not say why`, {
    type: "constraint_violation",
    recovery: [`Write then.reason in the rule ${bare.rule_id}.`],
  });
}

function nothingDenied(decisions: readonly RuleDecision[]): Guard {
  const name = "nothing_denied";
  const denied = decisions.filter(({ decision }) => decision === "deny");
  if (denied.length === 0) return passGuard(name, `${decisions.length} actions judged, none denied`);
  const alternatives = denied.flatMap((d) => d.alternatives.map((a) => `${d.target}: ${a.alternative}`));
  return abortGuard(
    name,
    denied
      .slice(0, 5)
      .map((d) => `${d.target} is denied by ${d.rule_id}: ${d.reason}`)
      .join("; "),
    {
      type: denied.some((d) => d.rule_id.startsWith("policy_")) ? "policy_violation" : "rule_denied",
      recovery: alternatives.length > 0 ? alternatives.slice(0, 10) : ["Take the denied command out of the intent."],
      diagnostics: denied.map((d) => ({ code: "RULE_DENIED", path: d.target, message: `${d.rule_id}: ${d.reason}` })),
    },
  );
}

/** Red line I3 on what the rules found, not only on what the intent declares. */
export function riskFitsMode({ intent }: ParsedIntent, { overall_risk, factors }: RiskAssessment): Guard {
  const name = "risk_fits_mode";
  const { mode } = intent.interaction;
  if (mode !== "full_auto" || overall_risk === "low" || overall_risk === "medium")
    return passGuard(name, `The risk is ${overall_risk} and the mode ${mode}`);
  const why = factors.filter((f) => f.level === overall_risk).map((f) => f.factor);
  return abortGuard(
    name,
    `Red line I3: the plan's risk is ${overall_risk} (${why.join("; ")}), so it must not be full_auto`,
    {
      type: "red_line_violation",
      recovery: ["Choose interactive or semi_auto."],
    },
  );
}
