import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { FailureType } from "../../src/model/tape.js";
import { checksumsComplete, lineageComplete, outputsCarryTheirChecksums } from "../../src/mind/plan/freeze.js";
import { buildDraft } from "../../src/mind/plan/graph/build-graph.js";
import { actionsHaveEvidence, everyNodeReachable, noPlaceholderLeft } from "../../src/mind/plan/graph/graph-guards.js";
import {
  modeAllowsQuestions,
  questionGuards,
  questionsHaveEvidence,
} from "../../src/mind/plan/questions/question-guards.js";
import type { Guard } from "../../src/mind/plan/transition.js";
import type { QuestionPack } from "../../src/model/plan/questions.js";
import {
  agent,
  answersTo,
  command,
  type Difference,
  fact,
  fullAuto,
  intentWith,
  parameter,
  plannedCommand,
  planWith,
  rule,
  task,
  workbench,
} from "../../src/testing/plan-fixtures.js";

/** How one guard is made to fail in a whole plan, and what that gives. */
interface Failing {
  readonly plan: Difference;
  /** The answers of one round, where it takes some. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly state: "BLOCKED" | "ABORTED";
  readonly type: FailureType;
  readonly from: string;
  readonly invalidInput?: true;
}

const blocks = (from: string, plan: Difference, rest: Partial<Failing> = {}): Failing => ({
  plan,
  state: "BLOCKED",
  type: "constraint_violation",
  from,
  ...rest,
});
const aborts = (from: string, type: FailureType, plan: Difference): Failing => ({ plan, state: "ABORTED", type, from });
const asks = (entry: Parameters<typeof parameter>[1] = {}): Difference => ({
  registry: (r) => {
    r.commands.push(command("name_it", { writes: ["src/name.ts"], parameters: [parameter("force", entry)] }));
    r.rules.push(rule("no_force", `command.id == "name_it" && command.params["force"] == "yes"`, { decision: "deny" }));
  },
  intent: (i) => i.planned_commands.push(plannedCommand("name_it")),
});
const document = (change: object) => ({ document: { ...intentWith(), ...change } });

const FAILING: Readonly<Record<string, Failing>> = {
  red_line_i1_no_execution_payload: aborts("RECEIVED", "red_line_violation", document({ shell: "ls" })),
  red_line_i2_full_auto_asks_nothing: aborts("RECEIVED", "red_line_violation", {
    intent: (i) => (i.interaction.mode = "full_auto"),
  }),
  red_line_i3_high_risk_not_full_auto: aborts("RECEIVED", "red_line_violation", {
    intent: (i) => {
      fullAuto(i);
      i.risk.overall = "high";
    },
  }),
  red_line_i4_evidence_on_commands: aborts("RECEIVED", "red_line_violation", {
    intent: (i) => (i.planned_commands[0] = plannedCommand("scan_code", { effects: ["read"], evidence_refs: ["   "] })),
  }),
  intent_schema_valid: blocks("RECEIVED", document({ title: 7 }), { invalidInput: true }),
  intent_ids_unique: blocks("RECEIVED", { tasks: [task("T-1"), task("T-1")] }, { invalidInput: true }),
  paths_are_safe: blocks("RECEIVED", { intent: (i) => (i.scope.targets.files = ["../x"]) }, { invalidInput: true }),
  intent_within_limits: blocks("RECEIVED", { policy: (p) => (p.limits.max_commands = 2) }),
  intent_checksum_valid: blocks("RECEIVED", document({ title: "Changed after sealing" })),
  intent_status_plannable: blocks("RECEIVED", { intent: (i) => (i.status = "superseded") }),
  policy_allows_intent: aborts("RECEIVED", "policy_violation", {
    intent: fullAuto,
    policy: (p) => (p.most_autonomy = "semi_auto"),
  }),
  registry_content_exists: blocks("RECEIVED", { registry: (r) => (r.agents = []) }, { type: "missing_registry" }),
  registry_content_active: blocks(
    "RECEIVED",
    {
      registry: (r) => {
        for (const c of r.commands) c.status = "deprecated";
      },
    },
    { type: "missing_registry" },
  ),
  registry_versions_match: blocks("RECEIVED", {
    intent100: (i) =>
      (i.registry_versions = { workflows: {}, agents: {}, commands: { edit_code: "0.9.0" }, rules: {} }),
  }),
  memory_pack_available: blocks("PRECHECKED", { memory: null }),
  fact_pack_available: blocks("PRECHECKED", { facts: null }),
  all_rules_decidable: aborts("CONTEXT_BUILT", "constraint_violation", {
    registry: (r) => r.rules.push(rule("odd_rule", "command.mood == 1")),
  }),
  no_unresolvable_rule_conflict: blocks("CONTEXT_BUILT", {
    registry: (r) => {
      r.rules.push(rule("must_happen", "true", { mandatory: true }));
      for (const x of r.rules) if (x.id === "allow_writing") x.then.decision = "deny";
    },
  }),
  denies_have_reasons: aborts("CONTEXT_BUILT", "constraint_violation", {
    registry: (r) => r.rules.push(rule("mute_rule", "true", { decision: "deny", reason: "" })),
  }),
  nothing_denied: aborts("CONTEXT_BUILT", "rule_denied", {
    registry: (r) => r.rules.push(rule("no_writing", `"write" in command.effects`, { decision: "deny" })),
  }),
  risk_fits_mode: aborts("CONTEXT_BUILT", "red_line_violation", {
    intent: fullAuto,
    registry: (r) => r.rules.push(rule("risky", "true", { decision: "warn", risk: "critical" })),
  }),
  graph_is_acyclic: blocks("RULES_EVALUATED", {
    tasks: [task("task_a", { dependencies: ["task_b"] }), task("task_b", { dependencies: ["task_a"] })],
  }),
  all_phases_mapped: blocks("RULES_EVALUATED", {
    intent: (i) => (i.selected_workflows = [{ workflow_id: "small_change", phases: ["analysis"] }]),
  }),
  every_node_in_a_lane: blocks("RULES_EVALUATED", {
    registry: (r) => {
      r.agents = [agent("analyst", ["analysis"]), agent("builder", ["design"])];
      for (const c of r.commands) c.owner = "somebody_else";
    },
  }),
  node_limit_kept: blocks("RULES_EVALUATED", { policy: (p) => (p.limits.max_nodes = 5) }),
  no_blocker_unasked: blocks("GRAPH_DRAFTED", {
    ...asks(),
    intent: (i) => {
      asks().intent?.(i);
      i.interaction.question_policy = "never";
    },
  }),
  questions_have_fallback: blocks("GRAPH_DRAFTED", asks({ blocking_level: "medium" })),
  no_rule_conflicts: blocks("GRAPH_DRAFTED", {
    intent: fullAuto,
    registry: (r) => {
      r.facts = [fact("branch_frozen", { default: true })];
      r.rules.push(rule("no_frozen", "facts.branch_frozen", { decision: "deny" }));
    },
  }),
  critical_questions_answered: blocks(
    "AWAITING_ANSWERS",
    { ...asks(), policy: (p) => (p.reviewers = {}) },
    { answers: { q_reviewer_architecture: "ada" } },
  ),
  nobody_said_stop: blocks(
    "AWAITING_ANSWERS",
    { intent: (i) => (i.constraints.lock_scope = { mode: "files", paths: [] }) },
    { answers: { q_scope_edit_code: "stop" } },
  ),
  replan_rounds_left: blocks(
    "AWAITING_ANSWERS",
    { ...asks(), policy: (p) => (p.limits.max_replan_rounds = 0) },
    { answers: { q_param_name_it_force: "yes" } },
  ),
  no_surplus_answers: blocks(
    "GRAPH_DRAFTED",
    { answers: [answersTo(planWith(asks()).questions[0], { q_param_name_it_force: "yes" })] },
    { invalidInput: true },
  ),
  review_categories_covered: blocks(
    "GRAPH_FINALIZED",
    { policy: (p) => (p.reviewers = {}) },
    { answers: { q_reviewer_architecture: "," } },
  ),
  budgets_kept: blocks("GRAPH_FINALIZED", { intent: (i) => (i.budgets.max_tokens = 1) }),
};

const outcomeOf = ({ plan, answers }: Failing) => {
  if (answers === undefined) return planWith(plan);
  return planWith({ ...plan, answers: [answersTo(planWith(plan).questions[0], answers)] });
};

describe("every guard that can fail in a plan [S4-007, S4-008, S4-016, S4-071, S4-072, S4-073, S4-074, S4-075, S4-077, S4-078, S4-079, S4-080, S4-085]", () => {
  it.each(Object.entries(FAILING))("%s ends the plan as the table says", (name, failing) => {
    const out = outcomeOf(failing);
    const failed = out.tape.states.at(-1)?.guards_evaluated.filter((g) => !g.passed) ?? [];
    expect(failed.map((g) => g.guard_name)).toContain(name);
    expect({
      state: out.state,
      type: out.tape.failure_info?.failure_type,
      from: out.tape.failure_info?.failed_at_state,
      invalidInput: out.invalidInput,
    }).toEqual({
      state: failing.state,
      type: failing.type,
      from: failing.from,
      invalidInput: failing.invalidInput ?? false,
    });
    expect(out.tape.failure_info?.failure_message).not.toBe("");
    expect(out.tape.completed_at).toBeDefined();
    expect(out.problems).not.toEqual([]);
    expect([out.graph, out.review, out.frozen]).toEqual([null, null, null]);
  });

  it.each(Object.entries(FAILING))("%s fails alone: it is one difference from a plan that passes", (name, failing) => {
    const failed =
      outcomeOf(failing)
        .tape.states.at(-1)
        ?.guards_evaluated.filter((g) => !g.passed) ?? [];
    // The schema refuses these too; the red line is what is reported.
    const alongside = name.startsWith("red_line_") && !name.includes("i4") ? ["intent_schema_valid"] : [];
    const mute = name === "denies_have_reasons" ? ["nothing_denied"] : [];
    const unreached = name === "all_phases_mapped" || name === "graph_is_acyclic" ? ["every_node_reachable"] : [];
    expect(failed.map((g) => g.guard_name).filter((g) => g !== name)).toEqual([...alongside, ...mute, ...unreached]);
  });

  it.each(Object.entries(FAILING))("%s says how to go on [S4-076, S4-081]", (_, failing) => {
    const suggestions = outcomeOf(failing).tape.failure_info?.recovery_suggestions ?? [];
    expect(suggestions.length).toBeGreaterThan(0);
    expect(suggestions.every((s) => s.length > 5)).toBe(true);
  });
});

it("a denial that nobody contests aborts, even beside a contested one [S4-075]", () => {
  const out = planWith({
    registry: (r) => {
      r.rules = [
        rule("must_edit", `command.id == "edit_code"`, { mandatory: true }),
        rule("no_edit", `command.id != "check_code"`, { decision: "deny" }),
        rule("allow_rest", "true"),
      ];
    },
  });
  expect(out.state).toBe("ABORTED");
  expect(out.problems.map((p) => `${p.code} ${p.path}`)).toEqual(["RULE_DENIED scan_code"]);
});

/** Guards that stand behind others: no plan gets past those, so they are asked directly. */
const STANDING_BEHIND: Readonly<Record<string, () => Guard | undefined>> = {
  every_node_reachable: () => {
    const draft = buildDraft(workbench().source);
    draft.addNode({
      node_id: "node_lost",
      node_type: "phase",
      label: "Lost",
      phase_ref: "x",
      metadata: { workflow_id: "" },
    });
    return everyNodeReachable(draft);
  },
  actions_have_evidence: () => {
    const draft = buildDraft(workbench().source);
    for (const node of draft.nodes) if (node.node_type === "action_proposal") node.evidence_refs = [];
    return actionsHaveEvidence(draft);
  },
  no_placeholder_left: () => noPlaceholderLeft(buildDraft(workbench(asks()).source)),
  mode_allows_questions: () => modeAllowsQuestions({ mode: "full_auto", ask: "never", budget: 0, max: 50 }),
  question_budget_available: () => {
    const pack = planWith(asks()).questions[0] as QuestionPack;
    const rules = { mode: "interactive", ask: "all", budget: 9, max: 0 } as const;
    return questionGuards(pack, { ask: [], fallBack: [], stuck: [] }, rules).find(
      (guard) => guard.guard_name === "question_budget_available",
    );
  },
  questions_have_evidence: () => {
    const [question] = planWith(asks()).questions[0]?.questions ?? [];
    return question && questionsHaveEvidence([{ ...question, evidence_refs: [] }]);
  },
  checksums_complete: () => checksumsComplete({ graph: "", questions: "", review: "" }),
  outputs_carry_their_checksums: () => {
    const { tape, graph, frozen } = planWith();
    if (graph === null || frozen === null) return undefined;
    return outputsCarryTheirChecksums(tape.states, { ...graph, checksum: "0".repeat(64) }, frozen);
  },
  lineage_complete: () => {
    const { lineage } = planWith();
    return lineage === null ? undefined : lineageComplete({ ...lineage, intent_checksum: "" });
  },
};

it.each(Object.entries(STANDING_BEHIND))("%s fails when it is asked [S4-008]", (name, ask) => {
  expect(ask()).toMatchObject({ guard_name: name, passed: false, onFail: { state: expect.any(String) as string } });
});

/** Guards that only record what was seen to before: wrong answers are refused while waiting, checksums just made. */
const RECORDING = ["answers_valid"];

it("every guard named anywhere in src/mind/plan is in one of these tables", () => {
  const root = fileURLToPath(new URL("../../src/mind/plan/", import.meta.url));
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(root, file), "utf8"))
    .filter((source) => /\b(?:Guard|passGuard|blockGuard|abortGuard)\b/.test(source));
  const named = sources.flatMap((source) => [
    ...source.matchAll(/\b(?:passGuard|blockGuard|abortGuard|documentGuard|packGuard)\(\s*"([a-z0-9_]+)"/g),
    ...source.matchAll(/\bconst name = "([a-z0-9_]+)"/g),
    ...source.matchAll(/\bname: "(red_line_[a-z0-9_]+)"/g),
    ...source.matchAll(/\bguard_name: "([a-z0-9_]+)"/g),
  ]);
  const known = [...Object.keys(FAILING), ...Object.keys(STANDING_BEHIND), ...RECORDING];
  expect(new Set(named.map(([, name]) => name))).toEqual(new Set(known));
});
