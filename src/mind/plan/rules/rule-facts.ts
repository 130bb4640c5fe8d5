import type { FactPack, Fact } from "../../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../../model/plan/policy.js";
import type { FactEntry } from "../../../model/plan/registry.js";
import type { FactSchema, FactType } from "../../../foundation/conditions/fact-schema.js";
import type { Action } from "./actions.js";
import type { ParsedIntent } from "../parse-intent.js";
import type { Resolutions } from "../questions/resolutions.js";

/*
 * The values that a rule may read: the command, the intent, the policy and the facts. The schema is declared, so a rule that
 * misspells a field does not load; and a fact that is declared and not known holds the action.
 */

const strings = (max: number): FactType => ({ list: "string", max });

export function ruleFactSchema(facts: readonly FactEntry[]): FactSchema {
  const declared = facts.map((fact): [string, FactType] => [
    fact.id,
    fact.type === "strings" ? strings(1000) : fact.type,
  ]);
  return {
    command: {
      object: {
        id: "string",
        phase: "string",
        owner: "string",
        status: "string",
        effects: strings(6),
        undeclared_effects: strings(6),
        risk_level: "string",
        reads: strings(1000),
        writes: strings(1000),
        tests: strings(1000),
        evidence_refs: strings(30),
        has_rollback: "bool",
        data_sensitivity: "string",
        params: { map: "string", max: 10 },
        in_lock_scope: "bool",
        failure_rate: "number",
      },
    },
    intent: {
      object: {
        id: "string",
        status: "string",
        mode: "string",
        risk: "string",
        areas: strings(8),
        requires_review: strings(6),
        workflows: strings(18),
        agents: strings(13),
        commands: strings(1000),
        lock_mode: "string",
        files: strings(1000),
        created_by: "string",
        source: "string",
        max_files: "number",
        max_commits: "number",
        max_tokens: "number",
        max_cost_usd: "number",
      },
    },
    policy: { object: { id: "string", forbidden_effects: strings(6), review_floor: "string", reviewed: strings(6) } },
    facts: { object: Object.fromEntries(declared) },
  };
}

/** The part of the scope that is the same for all actions of a plan. */
export interface PlanScope {
  readonly intent: Readonly<Record<string, unknown>>;
  readonly policy: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

export function planScope(
  { intent }: ParsedIntent,
  policy: ExecutionPolicy,
  facts: FactPack,
  resolutions: Resolutions,
): PlanScope {
  return {
    intent: {
      id: intent.id,
      status: intent.status,
      mode: intent.interaction.mode,
      risk: intent.risk.overall,
      areas: intent.scope.targets.areas,
      requires_review: intent.risk.requires_review,
      workflows: intent.selected_workflows.map((w) => w.workflow_id),
      agents: intent.selected_agents.map((a) => a.agent_id),
      commands: intent.planned_commands.map((c) => c.command_id),
      lock_mode: intent.constraints.lock_scope.mode,
      files: intent.scope.targets.files,
      created_by: intent.audit.created_by,
      source: intent.audit.source,
      ...intent.budgets,
    },
    policy: {
      id: policy.policy_id,
      forbidden_effects: policy.forbidden_effects,
      review_floor: policy.review_floor,
      reviewed: [...new Set([...Object.keys(policy.reviewers), ...resolutions.reviewers.keys()])].sort(),
    },
    facts: { ...knownFacts(facts), ...Object.fromEntries(resolutions.facts) },
  };
}

/** The facts that have one value. A fact whose sources disagree is not known until a person says which one holds. */
function knownFacts(pack: FactPack): Record<string, Fact["value"]> {
  const known: Record<string, Fact["value"]> = {};
  for (const [name, stated] of Object.entries(pack.facts)) {
    const sources = Array.isArray(stated) ? stated : [stated];
    const [first, ...others] = sources as [Fact, ...Fact[]];
    if (others.every((other) => JSON.stringify(other.value) === JSON.stringify(first.value))) known[name] = first.value;
  }
  return known;
}

/** The facts of the pack whose sources disagree. */
export function findConflictingFacts(pack: FactPack): [string, readonly Fact[]][] {
  return Object.entries(pack.facts).flatMap(([name, stated]): [string, readonly Fact[]][] =>
    Array.isArray(stated) && new Set(stated.map((s) => JSON.stringify(s.value))).size > 1 ? [[name, stated]] : [],
  );
}

export function commandScope(
  action: Action,
  policy: ExecutionPolicy,
  resolutions: Resolutions,
): Readonly<Record<string, unknown>> {
  const { planned, entry, task, history } = action;
  return {
    id: planned.command_id,
    phase: action.phase,
    owner: entry.owner,
    status: entry.status,
    effects: action.effects,
    undeclared_effects: action.undeclaredEffects,
    risk_level: planned.risk_level,
    reads: action.reads,
    writes: action.writes,
    tests: task?.tests ?? [],
    evidence_refs: planned.evidence_refs,
    has_rollback: entry.rollback !== undefined,
    data_sensitivity: entry.data_sensitivity ?? policy.models.default_sensitivity,
    params: Object.fromEntries(resolutions.parameters.get(planned.command_id) ?? []),
    in_lock_scope: action.outsideLockScope.length === 0 || resolutions.scopeWidened.has(action.key),
    failure_rate: history === undefined ? 0 : history.failures / history.samples,
  };
}
