import type { Alternative, RuleDecision, RuleEvaluation } from "../../../model/plan/decision.js";
import type { FactPack } from "../../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../../model/plan/policy.js";
import { type IntentEffect, RISK_LEVELS, type ReviewCategory } from "../../../model/primitives.js";
import type { DecisionKind } from "../../../model/plan/registry.js";
import type { Held, Outcome } from "../../../foundation/conditions/outcome.js";
import type { Action } from "./actions.js";
import type { CompiledRule } from "./compile-rules.js";
import { commandScope, type PlanScope } from "./rule-facts.js";
import type { Resolutions } from "../questions/resolutions.js";

export interface Judge {
  readonly rules: readonly CompiledRule[];
  readonly policy: ExecutionPolicy;
  readonly scope: PlanScope;
  readonly facts: FactPack;
  readonly resolutions: Resolutions;
}

const STRICTNESS: Readonly<Record<DecisionKind, number>> = { allow: 0, warn: 1, require_review: 2, deny: 3 };

/** Judge every action of a plan, in their order. */
export function adjudicateAll(actions: readonly Action[], judge: Judge): RuleDecision[] {
  // Actions of one command that name no paths of their own look the same to every rule: they are judged once.
  const judged = new Map<string, RuleDecision>();
  // Actions that differ in paths alone look the same to rules that read no paths.
  const shareable = judge.rules.map(({ condition }) => condition.reads.every(isSameForCommand));
  const answers = new Map<string, SharedAnswers>();
  return actions.map((action) => {
    const { command_id } = action.planned;
    const alike =
      action.task !== undefined &&
      action.task.files.length + action.task.tests.length + action.outsideLockScope.length === 0;
    const known = alike ? judged.get(command_id) : undefined;
    if (known !== undefined) return { ...known, target: action.key };
    let shared = answers.get(command_id);
    if (shared === undefined) answers.set(command_id, (shared = { shareable, outcomes: [], judged: [] }));
    const decision = adjudicate(action, judge, shared);
    if (alike) judged.set(command_id, decision);
    return decision;
  });
}

/** Answers of rules for an action of the same command, by the place of the rule. */
interface SharedAnswers {
  readonly shareable: readonly boolean[];
  readonly outcomes: (Outcome | undefined)[];
  /** Decisions of earlier actions. Equal answers give the same decision, and large plans have few of them. */
  readonly judged: { readonly fired: readonly Fired[]; readonly decision: RuleDecision }[];
}

/** A rule that spoke of an action: it holds, or it could not decide. */
interface Fired {
  readonly compiled: CompiledRule;
  readonly outcome: true | Held;
}

/** More than that are not worth the comparing. */
const MOST_JUDGED = 8;

/** Fields of the command that its tasks may differ in; see commandScope. */
const OF_TASK = new Set(["writes", "tests", "in_lock_scope"]);

function isSameForCommand(path: string): boolean {
  const [root, field] = path.split(".");
  return root !== "command" || (field !== undefined && !OF_TASK.has(field));
}

/**
 * Judge one action by all rules: deny > require_review > warn > allow.
 *
 * Contract: pure and total. The decision always names a rule and its evidence.
 * INVARIANT: a rule that errors or meets an unknown fact holds the action for review; it never lets it pass. A
 * command no rule speaks of is held as the policy says; there is no silent allow.
 */
export function adjudicate(action: Action, judge: Judge, shared?: SharedAnswers): RuleDecision {
  const scope = { command: commandScope(action, judge.policy, judge.resolutions), ...judge.scope };
  const fired: Fired[] = [];
  for (let r = 0; r < judge.rules.length; r++) {
    const compiled = judge.rules[r] as CompiledRule;
    const outcome = shared?.outcomes[r] ?? compiled.condition.evaluate(scope);
    if (shared?.shareable[r] === true) shared.outcomes[r] = outcome;
    if (outcome !== false) fired.push({ compiled, outcome });
  }
  const known = shared?.judged.find((other) => sayTheSame(other.fired, fired));
  if (known !== undefined) return { ...known.decision, target: action.key };
  const decision = decide(action, judge, fired);
  if (shared !== undefined && shared.judged.length < MOST_JUDGED) shared.judged.push({ fired, decision });
  return decision;
}

function sayTheSame(some: readonly Fired[], others: readonly Fired[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++)
    if (some[i]?.compiled !== others[i]?.compiled || some[i]?.outcome !== others[i]?.outcome) return false;
  return true;
}

/** INVARIANT: apart from the target it follows from the action's command and what fired; decisions are shared by that. */
function decide(action: Action, judge: Judge, fired: readonly Fired[]): RuleDecision {
  const evaluations = policyEvaluations(action, judge.policy);
  const ofWork: NonNullable<RuleDecision["reviews_of_work"]> = [];
  const reviews = new Set<ReviewCategory>(evaluations.length === 0 ? [] : [reviewFor(action.effects)]);
  for (const { compiled, outcome } of fired) {
    const { id, then } = compiled.rule;
    if (outcome === true && then.decision === "require_review" && then.at === "after_work") {
      ofWork.push({ category: then.review ?? reviewFor(action.effects), rule_id: id, reason: then.reason });
    } else if (outcome === true) {
      evaluations.push({ rule_id: id, decision: then.decision, reason: then.reason });
      if (then.decision === "require_review") reviews.add(then.review ?? reviewFor(action.effects));
    } else {
      evaluations.push(heldEvaluation(id, outcome));
      reviews.add(then.review ?? reviewFor(action.effects));
    }
  }
  if (evaluations.length === 0) evaluations.push(undecidedEvaluation(judge.policy));
  const deciding = evaluations.reduce((worst, next) =>
    STRICTNESS[next.decision] > STRICTNESS[worst.decision] ? next : worst,
  );
  if (deciding.rule_id === UNDECIDED && deciding.decision === "require_review") reviews.add(reviewFor(action.effects));
  return {
    target: action.key,
    decision: deciding.decision,
    rule_id: deciding.rule_id,
    reason: deciding.reason,
    evidence_refs: evidenceChain(action, fired, judge.facts),
    rules_considered: judge.rules.length,
    evaluations,
    reviews: deciding.decision === "require_review" || deciding.decision === "deny" ? [...reviews].sort() : [],
    ...(ofWork.length === 0 ? {} : { reviews_of_work: ofWork }),
    alternatives: alternativesOf(action, fired, deciding, evaluations),
  };
}

const UNDECIDED = "policy_undecided";

function undecidedEvaluation(policy: ExecutionPolicy): RuleEvaluation {
  return {
    rule_id: UNDECIDED,
    decision: policy.undecided,
    reason: "No rule speaks of this command, so a person decides.",
  };
}

function heldEvaluation(ruleId: string, held: Held): RuleEvaluation {
  return {
    rule_id: ruleId,
    decision: "require_review",
    reason: `The rule could not decide, so the action is held: ${held.message}`,
    held: { cause: held.reason, path: held.path, message: held.message },
  };
}

/** Evaluations of the policy itself, before any rule. */
function policyEvaluations({ effects, planned }: Action, policy: ExecutionPolicy): RuleEvaluation[] {
  const found: RuleEvaluation[] = [];
  const forbidden = effects.filter((effect) => policy.forbidden_effects.includes(effect));
  if (forbidden.length > 0)
    found.push({
      rule_id: "policy_forbidden_effects",
      decision: "deny",
      reason: `The policy ${policy.policy_id} forbids the effect ${forbidden.join(", ")}.`,
    });
  if (RISK_LEVELS.indexOf(planned.risk_level) >= RISK_LEVELS.indexOf(policy.review_floor))
    found.push({
      rule_id: "policy_review_floor",
      decision: "require_review",
      reason: `The policy ${policy.policy_id} wants a review from ${policy.review_floor} risk on; this is ${planned.risk_level}.`,
    });
  return found;
}

/** Who looks at an action when the rule does not say: by the most delicate of its effects. */
function reviewFor(effects: readonly IntentEffect[]): ReviewCategory {
  if (effects.includes("security")) return "security";
  if (effects.includes("data")) return "data";
  return effects.includes("deploy") ? "release" : "architecture";
}

/** From the intent's own evidence over the registry and the rules to the facts those rules read. */
function evidenceChain({ planned, entry }: Action, fired: readonly Fired[], facts: FactPack): string[] {
  const refs = [...planned.evidence_refs, `registry://commands/${entry.id}@${entry.version}`];
  for (const { compiled } of fired) {
    const { rule, factsRead } = compiled;
    refs.push(`rule://${rule.id}@${rule.version}`);
    for (const name of factsRead) {
      const stated = Object.hasOwn(facts.facts, name) ? facts.facts[name] : undefined;
      const sources = stated === undefined ? [] : Array.isArray(stated) ? stated : [stated];
      refs.push(`fact://${name}`, ...sources.map((source) => source.evidence_ref));
    }
  }
  return refs.length < 8 && new Set(refs).size === refs.length ? refs : [...new Set(refs)];
}

function alternativesOf(
  { entry }: Action,
  fired: readonly Fired[],
  deciding: RuleEvaluation,
  evaluations: readonly RuleEvaluation[],
): Alternative[] {
  if (deciding.decision === "allow") return [];
  const found: Alternative[] = [];
  for (const { rule_id, decision } of evaluations)
    if (STRICTNESS[decision] < STRICTNESS[deciding.decision])
      found.push({
        alternative: `${decision}, by ${rule_id}`,
        reason_rejected: `${deciding.decision}, by ${deciding.rule_id}, is stricter`,
      });
  for (const { compiled } of fired)
    for (const alternative of compiled.rule.then.alternatives)
      found.push({ alternative, reason_rejected: "The intent does not plan it." });
  for (const equivalent of entry.equivalents)
    found.push({ alternative: `use ${equivalent} instead`, reason_rejected: "The intent does not plan it." });
  return found;
}

export interface RuleConflict {
  readonly target: string;
  readonly demanding: string;
  readonly denying: string;
}

/** A rule that demands an action beside one that denies it: no order of strictness can resolve that. */
export function findRuleConflicts(decisions: readonly RuleDecision[], rules: readonly CompiledRule[]): RuleConflict[] {
  const mandatory = new Set(
    rules.filter(({ rule }) => rule.then.mandatory && rule.then.decision === "allow").map(({ rule }) => rule.id),
  );
  return decisions.flatMap(({ target, decision, rule_id, evaluations }) => {
    const demanding =
      decision === "deny" ? evaluations.find((e) => mandatory.has(e.rule_id) && e.held === undefined) : undefined;
    return demanding === undefined ? [] : [{ target, demanding: demanding.rule_id, denying: rule_id }];
  });
}
