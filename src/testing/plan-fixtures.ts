import { createHash } from "node:crypto";
import type { IntentLock, IntentV091, IntentV100, PlannedCommand } from "../model/plan/intent.js";
import type { FactPack, MemoryPack } from "../model/settings/packs.js";
import { ExecutionPolicy } from "../model/plan/policy.js";
import type { AnswerPack, QuestionPack } from "../model/plan/questions.js";
import {
  AgentEntry,
  CommandEntry,
  FactEntry,
  ModelEntry,
  type Registry,
  RuleEntry,
  WorkflowEntry,
} from "../model/plan/registry.js";
import type { IntentTask } from "../model/task.js";
import { type Action, listActions } from "../mind/plan/rules/actions.js";
import { adjudicateAll, type Judge } from "../mind/plan/rules/adjudicate.js";
import { assessRisk } from "../mind/plan/assess-risk.js";
import type { GraphSource } from "../mind/plan/graph/draft.js";
import { type PlanInputs, prepareRegistry, type PreparedRegistry } from "../mind/plan/inputs.js";
import { type ParsedIntent, parseIntent } from "../mind/plan/parse-intent.js";
import { plan, type PlanOutcome } from "../mind/plan/plan.js";
import { intentChecksumOf } from "../mind/plan/rules/precheck.js";
import { findUncertainties } from "../mind/plan/questions/find-uncertainties.js";
import { NOTHING_RESOLVED, type Resolutions } from "../mind/plan/questions/resolutions.js";
import { budgetOf } from "../mind/plan/review-pack.js";
import { planScope } from "../mind/plan/rules/rule-facts.js";
import { routeModels } from "../mind/plan/models/route-models.js";
import type { Services } from "../mind/plan/services.js";

/*
 * A plan that is right in everything, and builders for plans that differ from it in one thing. The base plan reads,
 * writes and checks one file; a rule allows each of its three commands, so it ends in DONE without a question.
 */

export const NOW = "2026-02-03T04:05:06Z";

export const services: Services = {
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
  coordinatorVersion: "0.1.0",
};

const head = (id: string) => ({ id, version: "1.0.0", status: "active" as const, title: `Title of ${id}` });

export function command(id: string, entry: Partial<CommandEntry> = {}): CommandEntry {
  return CommandEntry.parse({
    kind: "command",
    ...head(id),
    phase: "implementation",
    owner: "builder",
    effects: ["write"],
    estimate: { tokens_in: 8000, tokens_out: 2000, minutes: 10 },
    ...entry,
  });
}

export function rule(id: string, when: string, then: Partial<RuleEntry["then"]> = {}): RuleEntry {
  return RuleEntry.parse({
    kind: "rule",
    ...head(id),
    when,
    then: { decision: "allow", reason: `Because of ${id}.`, ...then },
  });
}

export function fact(id: string, entry: Partial<FactEntry> = {}): FactEntry {
  return FactEntry.parse({
    kind: "fact",
    ...head(id),
    type: "bool",
    question: `What is the value of ${id}?`,
    blocking_level: "medium",
    ...entry,
  });
}

export function model(id: string, entry: Partial<ModelEntry> = {}): ModelEntry {
  return ModelEntry.parse({
    kind: "model",
    ...head(id),
    provider: "example",
    location: "cloud",
    capabilities: ["extraction", "writing", "reasoning", "coding", "review"],
    quality: 4,
    context_tokens: 200_000,
    price: { usd_per_million_in: 1, usd_per_million_out: 5, as_of: "2026-01-01" },
    ...entry,
  });
}

export function agent(id: string, phases: AgentEntry["phases"]): AgentEntry {
  return AgentEntry.parse({ kind: "agent", ...head(id), phases, responsibilities: ["Do the work"] });
}

export function workflow(id: string, phases: readonly WorkflowEntry["phases"][number]["phase"][]): WorkflowEntry {
  return WorkflowEntry.parse({
    kind: "workflow",
    ...head(id),
    phases: phases.map((phase) => ({ phase, purpose: `What ${phase} is for` })),
  });
}

/** A parameter that has to be asked for, and what else is said of it. */
export function parameter(name: string, entry: Partial<CommandEntry["parameters"][number]> = {}) {
  return {
    name,
    question: `Which ${name} shall it be?`,
    why: `The command needs its ${name}.`,
    blocking_level: "critical" as const,
    options: [],
    ...entry,
  };
}

export function plannedCommand(command_id: string, entry: Partial<PlannedCommand> = {}): PlannedCommand {
  return {
    command_id,
    intent: `Carry out ${command_id}`,
    effects: ["write"],
    risk_level: "low",
    evidence_refs: ["scan://repository"],
    ...entry,
  };
}

export function task(id: string, entry: Partial<IntentTask> = {}): IntentTask {
  return {
    id,
    command_id: "edit_code",
    title: `Task ${id}`,
    type: "feature",
    dependencies: [],
    priority: "P1",
    estimated_iterations: 3,
    completion_promise: "DONE",
    files: [`src/${id.toLowerCase()}.ts`],
    tests: [],
    ...entry,
  };
}

function baseRegistry(): Registry {
  return {
    schema_version: "1.0.0",
    workflows: [workflow("small_change", ["analysis", "implementation", "validation", "release"])],
    agents: [agent("analyst", ["analysis", "review"]), agent("builder", ["implementation", "validation", "release"])],
    commands: [
      command("scan_code", { phase: "analysis", owner: "analyst", effects: ["read"], capability: "reasoning" }),
      command("edit_code", { writes: ["src/app.ts"], rollback: "Revert the commit." }),
      command("check_code", { phase: "validation", effects: ["read"] }),
      command("ship_code", { phase: "release", effects: ["deploy"] }),
    ],
    rules: [
      rule("allow_reading", `command.effects.all(e, e == "read")`),
      rule("allow_writing", `"write" in command.effects && command.risk_level != "critical"`),
    ],
    facts: [],
    models: [
      model("cloud-large", {
        quality: 5,
        price: { usd_per_million_in: 10, usd_per_million_out: 50, as_of: "2026-01-01" },
      }),
      model("cloud-small"),
      model("local-small", {
        location: "local",
        quality: 3,
        price: { usd_per_million_in: 0, usd_per_million_out: 0, as_of: "2026-01-01" },
      }),
    ],
  };
}

/** The base intent, unsealed. */
export function baseIntent(): IntentV091 {
  return {
    id: "intent_base_plan",
    type: "execution_intent",
    title: "Change one file",
    version: "1.0.0",
    status: "approved",
    created_at: "2026-01-25T11:00:00Z",
    lineage: { introduced_in: "0.9.1", derived_from: [], supersedes: [] },
    scope: {
      project_id: "example",
      repo_root: ".",
      targets: { files: ["src/app.ts"], modules: [], areas: ["backend"] },
    },
    objective: { goal: "One file is changed", success_criteria: ["The file is changed"], non_goals: [] },
    selected_workflows: [{ workflow_id: "small_change", phases: ["analysis", "implementation", "validation"] }],
    selected_agents: [
      { agent_id: "analyst", role: "Analyst", responsibilities: ["Look at it"] },
      { agent_id: "builder", role: "Builder", responsibilities: ["Change it"] },
    ],
    planned_commands: [
      plannedCommand("scan_code", { effects: ["read"] }),
      plannedCommand("edit_code"),
      plannedCommand("check_code", { effects: ["read"] }),
    ],
    interaction: { mode: "interactive", question_budget: 10, question_policy: "conceptual_only" },
    risk: { overall: "low", drivers: ["One file only"], requires_review: ["architecture"] },
    budgets: { max_files: 10, max_commits: 5, max_tokens: 1_000_000, max_cost_usd: 50 },
    evidence_refs: ["ticket://1"],
    constraints: {
      execution: "forbidden",
      no_fabrication: true,
      registry_only: true,
      lock_scope: { mode: "none", paths: [] },
    },
    audit: { created_by: "tester", source: "human", checksum: "0".repeat(64) },
  };
}

/** The intent with the checksum its content gives. */
export function seal<T extends IntentV091 | IntentV100>(intent: T): T {
  return { ...intent, audit: { ...intent.audit, checksum: intentChecksumOf(intent, services) } };
}

export function fullAuto(intent: IntentV091 | IntentV100): void {
  intent.interaction = { mode: "full_auto", question_budget: 0, question_policy: "never" };
}

/** In what a plan differs from the base plan. Functions change a fresh copy; null takes something away. */
export interface Difference {
  readonly intent?: (intent: IntentV091) => void;
  /** Makes the intent a v1.0.0 one. It is changed before it is sealed. */
  readonly intent100?: (intent: IntentV100) => void;
  /** These tasks in a v1.0.0 intent. */
  readonly tasks?: readonly IntentTask[];
  /** The whole document instead, as it is. */
  readonly document?: unknown;
  readonly registry?: (registry: Registry) => void;
  readonly policy?: (policy: ExecutionPolicy) => void;
  readonly facts?: FactPack["facts"] | null;
  readonly memory?: Partial<MemoryPack> | null;
  readonly lock?: IntentLock;
  readonly answers?: readonly AnswerPack[];
  readonly instants?: readonly string[];
}

export function intentWith({ intent, intent100, tasks }: Difference = {}): IntentV091 | IntentV100 {
  const base = baseIntent();
  intent?.(base);
  if (intent100 === undefined && tasks === undefined) return seal(base);
  const newer: IntentV100 = { schema_version: "1.0.0", ...base, ...(tasks === undefined ? {} : { tasks: [...tasks] }) };
  intent100?.(newer);
  return seal(newer);
}

export function registryWith(change: (registry: Registry) => void = () => undefined): Registry {
  const registry = baseRegistry();
  change(registry);
  return registry;
}

export function policyWith(change: (policy: ExecutionPolicy) => void = () => undefined): ExecutionPolicy {
  const policy = ExecutionPolicy.parse({
    schema_version: "1.0.0",
    policy_id: "policy_test",
    reviewers: { architecture: ["ada"] },
  });
  change(policy);
  return policy;
}

let basePrepared: PreparedRegistry | undefined;

export function inputsWith(difference: Difference = {}): PlanInputs {
  const { document, registry, policy, facts, memory, lock, answers, instants } = difference;
  return {
    intent: document === undefined ? intentWith(difference) : document,
    lock: lock ?? null,
    policy: policyWith(policy),
    registry:
      registry === undefined
        ? (basePrepared ??= prepareRegistry(baseRegistry(), services))
        : prepareRegistry(registryWith(registry), services),
    facts:
      facts === null
        ? null
        : {
            schema_version: "1.0.0",
            pack_id: "facts_test",
            project_id: "example",
            collected_at: NOW,
            facts: facts ?? {},
          },
    memory:
      memory === null
        ? null
        : {
            schema_version: "1.0.0",
            pack_id: "memory_test",
            project_id: "example",
            collected_at: NOW,
            notes: [],
            history: [],
            answers: [],
            ...memory,
          },
    answers: answers ?? [],
    instants: instants ?? [NOW],
  };
}

export function planWith(difference: Difference = {}): PlanOutcome {
  return plan(inputsWith(difference), services);
}

/** The states a plan went through, in order. */
export function statesOf({ tape }: PlanOutcome): string[] {
  return tape.states.map((s) => s.to_state);
}

/** An AnswerPack for the questions of a plan; `fallback` stands for the answer type of that name. */
export function answersTo(pack: QuestionPack | undefined, answers: Readonly<Record<string, string>>): AnswerPack {
  if (pack === undefined) throw new Error("the plan asks nothing");
  return {
    pack_id: "apack_of_a_test",
    schema_version: "0.9.2",
    question_pack_id: pack.pack_id,
    answers: Object.entries(answers).map(([question_id, answer_text]) => ({
      question_id,
      answer_type: answer_text === "fallback" ? "fallback" : "text",
      answer_text,
      provided_at: NOW,
      provided_by: "human",
    })),
    provided_at: NOW,
  };
}

/** Results of the steps before the graph of a plan, for tests of one step. */
interface Workbench {
  readonly inputs: PlanInputs;
  readonly parsed: ParsedIntent;
  readonly actions: readonly Action[];
  readonly judge: Judge;
  readonly source: GraphSource;
}

export function workbench(difference: Difference = {}, resolutions: Resolutions = NOTHING_RESOLVED): Workbench {
  const inputs = inputsWith(difference);
  const { policy, registry, facts, memory } = inputs;
  const result = parseIntent(inputs.intent);
  if (!result.ok || facts === null) throw new Error(`not a plan: ${JSON.stringify(result)}`);
  const { parsed } = result;
  const actions = listActions(parsed, registry.index, memory);
  const judge = {
    rules: registry.rules.rules,
    policy,
    scope: planScope(parsed, policy, facts, resolutions),
    facts,
    resolutions,
  };
  const decisions = adjudicateAll(actions, judge);
  const risk = assessRisk(parsed, actions, decisions, judge.rules);
  const costs = routeModels(
    actions,
    registry.registry.models,
    policy,
    budgetOf(parsed.intent.budgets, policy).cost_usd,
  );
  const shared = { parsed, registry: registry.index, policy, actions, decisions, risk, resolutions };
  const uncertainties = findUncertainties({ ...shared, facts, remembered: memory?.answers ?? [] });
  return { inputs, parsed, actions, judge, source: { ...shared, costs, uncertainties } };
}
