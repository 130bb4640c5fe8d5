import type { RiskAssessment, RuleDecision } from "../../../model/plan/decision.js";
import type { FactPack, RememberedAnswer } from "../../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../../model/plan/policy.js";
import type { ReviewCategory, RiskLevel } from "../../../model/primitives.js";
import type { QuestionType } from "../../../model/plan/questions.js";
import type { CommandParameter } from "../../../model/plan/registry.js";
import type { Action } from "../rules/actions.js";
import { IdMaker } from "../ids.js";
import type { ParsedIntent } from "../parse-intent.js";
import type { RegistryIndex } from "../inputs/registry-index.js";
import { findConflictingFacts } from "../rules/rule-facts.js";
import { clip } from "../transition.js";
import type { Resolutions } from "./resolutions.js";
import { offeredValues, type Uncertainty } from "./uncertainty.js";

export interface UncertaintySource {
  readonly parsed: ParsedIntent;
  readonly registry: RegistryIndex;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly actions: readonly Action[];
  readonly decisions: readonly RuleDecision[];
  readonly risk: RiskAssessment;
  readonly resolutions: Resolutions;
  readonly remembered: readonly RememberedAnswer[];
}

/** Everything the plan depends on and nobody has said, in a fixed order. */
export function findUncertainties(source: UncertaintySource): Uncertainty[] {
  const ids = new IdMaker();
  const open = [
    ...openFacts(source, ids),
    ...openParameters(source, ids),
    ...openChoices(source, ids),
    ...openReviewers(source, ids),
    ...openScopes(source, ids),
  ];
  return source.remembered.length === 0
    ? open
    : open.map((uncertainty) => withRemembered(uncertainty, source.remembered));
}

/** Suggest what people answered before, where the choice is open. */
function withRemembered(uncertainty: Uncertainty, remembered: readonly RememberedAnswer[]): Uncertainty {
  const { kind } = uncertainty.subject;
  const isOpen = kind === "reviewer" || (kind === "parameter" && uncertainty.suggested.length === 0);
  const before = remembered.filter(
    ({ question_id, answer }) =>
      question_id === uncertainty.id && !uncertainty.suggested.some((s) => s.answer_text === answer),
  );
  if (!isOpen || before.length === 0) return uncertainty;
  const suggested = before.map(({ answer, times }) => ({
    answer_text: answer,
    rationale: `Answered so ${times} ${times === 1 ? "time" : "times"} before.`,
  }));
  return { ...uncertainty, suggested: [...suggested, ...uncertainty.suggested] };
}

/** How pressing a question is follows from what happens without an answer. */
export function classify(level: RiskLevel, hasFallback: boolean): QuestionType {
  if (level === "critical" || (level === "high" && !hasFallback)) return "blocker";
  if (level === "high") return "risk_mitigation";
  return level === "medium" ? "clarification" : "optimization";
}

function openFacts(
  { actions, decisions, registry, facts, resolutions }: UncertaintySource,
  ids: IdMaker,
): Uncertainty[] {
  const held = new Map<string, { actions: number[]; rules: Set<string> }>();
  for (let i = 0; i < actions.length; i++) {
    for (const { held: hold, rule_id } of decisions[i]?.evaluations ?? []) {
      if (hold?.cause !== "unknown_fact" || !hold.path.startsWith("facts.")) continue;
      const name = hold.path.slice("facts.".length);
      if (resolutions.facts.has(name)) continue;
      const found = held.get(name) ?? { actions: [], rules: new Set<string>() };
      if (found.actions.at(-1) !== i) found.actions.push(i);
      found.rules.add(rule_id);
      held.set(name, found);
    }
  }
  const conflicting = new Map(findConflictingFacts(facts));
  return [...held.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { actions: touched, rules }]): Uncertainty => {
      const entry = registry.facts.get(name);
      const level = entry?.blocking_level ?? "medium";
      const ruleList = [...rules].sort();
      const values = conflicting.get(name);
      // Without an answer an action stays held for review, which is safe; only a critical fact must be known.
      const fallback =
        entry?.default !== undefined && values === undefined
          ? {
              answer: JSON.stringify(entry.default),
              strategy: `Assume ${JSON.stringify(entry.default)}, the registry's default.`,
            }
          : level === "critical"
            ? null
            : { answer: "unknown", strategy: "Keep the actions that depend on it held for review." };
      const shared = {
        type: classify(level, fallback !== null),
        blockingLevel: level,
        fallback,
        actions: touched,
        evidence: ruleList.map((rule) => `rule://${rule}`),
      };
      if (values !== undefined)
        return {
          id: ids.make("q_evidence_", name),
          subject: { kind: "evidence", fact: name, values },
          ...shared,
          question: `The sources disagree about ${name}. Which value holds?`,
          context: `Rules that read it: ${ruleList.join(", ")}.`,
          evidence: [...shared.evidence, ...values.map((v) => v.evidence_ref)],
          suggested: offeredValues(values).map((answer_text, i) => ({
            answer_text,
            rationale: `Seen at ${values[i]?.evidence_ref}.`,
          })),
        };
      return {
        id: ids.make("q_fact_", name),
        subject: { kind: "fact", fact: name, type: entry?.type ?? "string" },
        ...shared,
        question: entry?.question ?? `What is the value of ${name}?`,
        context: `The fact pack does not say, and rules that read it hold the action: ${ruleList.join(", ")}.`,
        suggested:
          entry?.type === "bool"
            ? [
                { answer_text: "true", rationale: "It is so." },
                { answer_text: "false", rationale: "It is not so." },
              ]
            : [],
      };
    });
}

function append<K>(lists: Map<K, number[]>, key: K, item: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function openParameters({ actions, registry, resolutions }: UncertaintySource, ids: IdMaker): Uncertainty[] {
  const byCommand = new Map<string, number[]>();
  for (let i = 0; i < actions.length; i++) {
    const { entry } = actions[i] as Action;
    if (entry.parameters.length > 0) append(byCommand, entry.id, i);
  }
  return [...byCommand.entries()].flatMap(([command, touched]) => {
    const entry = registry.commands.get(command);
    const settled = resolutions.parameters.get(command);
    return (entry?.parameters ?? [])
      .filter(({ name }) => !settled?.has(name))
      .map((parameter) => parameterUncertainty(parameter, command, touched, actions, ids));
  });
}

/** Choices that the planner leaves to a person; the answer is told to those who carry out the command. */
function openChoices({ parsed, actions, registry, resolutions }: UncertaintySource, ids: IdMaker): Uncertainty[] {
  const asked = "open_questions" in parsed.intent ? (parsed.intent.open_questions ?? []) : [];
  return asked.flatMap(({ command_id, ...parameter }) => {
    const touched = actions.flatMap(({ entry }, i) => (entry.id === command_id ? [i] : []));
    const isOfRegistry = registry.commands.get(command_id)?.parameters.some(({ name }) => name === parameter.name);
    const isSettled = resolutions.parameters.get(command_id)?.has(parameter.name) === true;
    if (touched.length === 0 || isOfRegistry === true || isSettled) return [];
    return [parameterUncertainty(parameter, command_id, touched, actions, ids)];
  });
}

function parameterUncertainty(
  parameter: CommandParameter,
  command: string,
  touched: number[],
  actions: readonly Action[],
  ids: IdMaker,
): Uncertainty {
  const { name, question, why, blocking_level, options } = parameter;
  const fallback =
    parameter.default !== undefined
      ? { answer: parameter.default, strategy: `Use ${JSON.stringify(parameter.default)}, the default of ${command}.` }
      : null;
  return {
    id: ids.make("q_param_", `${command}_${name}`),
    subject: { kind: "parameter", command, parameter: name, closed: options.length > 0 },
    type: classify(blocking_level, fallback !== null),
    blockingLevel: blocking_level,
    question,
    context: why,
    evidence: [`registry://commands/${command}`, ...(actions[touched[0] as number]?.planned.evidence_refs ?? [])],
    suggested: options.map(({ answer, rationale, risk_change }) => ({
      answer_text: answer,
      rationale,
      ...(risk_change === undefined ? {} : { risk_change }),
    })),
    fallback,
    actions: touched,
  };
}

function openReviewers(
  { parsed, decisions, policy, risk, resolutions }: UncertaintySource,
  ids: IdMaker,
): Uncertainty[] {
  const wanted = new Map<ReviewCategory, number[]>(
    parsed.intent.risk.requires_review.map((category) => [category, []]),
  );
  for (const [i, { decision, reviews, reviews_of_work = [] }] of decisions.entries()) {
    if (decision === "require_review") for (const category of reviews) append(wanted, category, i);
    for (const { category } of reviews_of_work) if (!wanted.has(category)) wanted.set(category, []);
  }
  const delicate = risk.overall_risk === "high" || risk.overall_risk === "critical";
  return [...wanted.entries()]
    .filter(([category]) => policy.reviewers[category] === undefined && !resolutions.reviewers.has(category))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([category, touched]): Uncertainty => {
      const role = `${category}_reviewer`;
      return {
        id: ids.make("q_reviewer_", category),
        subject: { kind: "reviewer", category },
        type: "risk_mitigation",
        blockingLevel: delicate ? "high" : "medium",
        question: `Who reviews this plan for ${category}?`,
        context: `The plan needs a ${category} review and the policy names nobody for it.`,
        evidence: [`intent://${parsed.intent.id}/risk`, `policy://${policy.policy_id}/reviewers`],
        suggested: [{ answer_text: role, rationale: `Anyone who holds the role ${role}.`, risk_change: "no_change" }],
        fallback: { answer: role, strategy: `Anyone who holds the role ${role} may review.` },
        actions: touched,
      };
    });
}

function openScopes({ parsed, actions, resolutions }: UncertaintySource, ids: IdMaker): Uncertainty[] {
  return actions.flatMap(({ key, outsideLockScope, planned }, i): Uncertainty[] => {
    if (outsideLockScope.length === 0 || resolutions.scopeWidened.has(key)) return [];
    return [
      {
        id: ids.make("q_scope_", key),
        subject: { kind: "scope", action: key, paths: outsideLockScope },
        type: "blocker",
        blockingLevel: "critical",
        question: clip(`${key} writes outside the lock scope (${outsideLockScope.join(", ")}). May it?`, 2000),
        context: clip(
          `The intent locks ${parsed.constraints.lock_scope.paths.join(", ") || "every path"}; planning must not widen that by itself.`,
          4000,
        ),
        evidence: [`intent://${parsed.intent.id}/constraints/lock_scope`, ...planned.evidence_refs],
        suggested: [
          {
            answer_text: "widen",
            rationale: "The paths belong to this work; the scope was drawn too narrow.",
            risk_change: "increase",
          },
          { answer_text: "stop", rationale: "The scope is right; the intent must change.", risk_change: "decrease" },
        ],
        fallback: null,
        actions: [i],
      },
    ];
  });
}
