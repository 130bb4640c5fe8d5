import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RISK_LEVELS } from "../../../model/primitives.js";
import { QuestionPack } from "../../../model/plan/questions.js";
import {
  answersTo,
  baseIntent,
  command,
  type Difference,
  fact,
  fullAuto,
  parameter,
  plannedCommand,
  planWith,
  policyWith,
  rule,
  task,
  workbench,
} from "../../../testing/plan-fixtures.js";
import { classify } from "./find-uncertainties.js";
import { type QuestionRules, questionRules, shouldAsk, triage } from "./govern.js";
import {
  modeAllowsQuestions,
  questionGuards,
  questionsHaveEvidence,
  questionsHaveFallback,
} from "./question-guards.js";
import type { Uncertainty } from "./uncertainty.js";

const open = (id: string, entry: Partial<Uncertainty> = {}): Uncertainty => ({
  id,
  subject: { kind: "fact", fact: id, type: "bool" },
  type: "clarification",
  blockingLevel: "medium",
  question: `What is ${id}, please?`,
  context: "It is not known.",
  evidence: ["rule://x"],
  suggested: [],
  fallback: { answer: "unknown", strategy: "Keep it held." },
  actions: [],
  ...entry,
});
const blocker = (id: string) => open(id, { type: "blocker", blockingLevel: "critical", fallback: null });
const rules = (entry: Partial<QuestionRules> = {}): QuestionRules => ({
  mode: "interactive",
  ask: "all",
  budget: 10,
  max: 50,
  ...entry,
});

describe("questionRules: the strictest of mode, intent and policy [S4-045, S4-053]", () => {
  it.each([
    ["interactive", "conceptual_only", "all"],
    ["interactive", "blockers_only", "blockers_only"],
    ["interactive", "never", "never"],
    ["semi_auto", "conceptual_only", "blockers_only"],
    ["semi_auto", "never", "never"],
    ["full_auto", "never", "never"],
    ["full_auto", "conceptual_only", "never"],
  ] as const)("%s with %s asks %s", (mode, question_policy, ask) => {
    const intent = { ...baseIntent(), interaction: { mode, question_policy, question_budget: 5 } };
    expect(questionRules(intent, policyWith())).toEqual({ mode, ask, budget: 5, max: 50 });
  });

  it("takes the lower of both budgets [S4-045]", () => {
    expect(
      questionRules(
        baseIntent(),
        policyWith((p) => (p.question_budget = 3)),
      ).budget,
    ).toBe(3);
    expect(
      questionRules(
        baseIntent(),
        policyWith((p) => (p.question_budget = 30)),
      ).budget,
    ).toBe(10);
  });
});

describe("shouldAsk [S4-045]", () => {
  it.each([
    [rules(), open("q_any"), true],
    [rules({ ask: "blockers_only" }), open("q_any"), false],
    [rules({ ask: "blockers_only" }), blocker("q_block"), true],
    [rules({ ask: "never" }), blocker("q_block"), false],
    [rules({ mode: "full_auto" }), blocker("q_block"), false],
  ])("%j", (given, uncertainty, asked) => {
    expect(shouldAsk(uncertainty, given)).toBe(asked);
  });
});

describe("triage", () => {
  it("spends the budget on what has no fallback, then on what is most pressing [S4-045]", () => {
    const list = [
      open("q_low", { blockingLevel: "low" }),
      open("q_high", { blockingLevel: "high" }),
      blocker("q_must"),
    ];
    const sorted = triage(list, rules({ budget: 2 }), 0);
    expect(sorted.ask.map((u) => u.id)).toEqual(["q_must", "q_high"]);
    expect(sorted.fallBack.map((u) => u.id)).toEqual(["q_low"]);
    expect(sorted.stuck).toEqual([]);
  });

  it("is stuck with what must be known and may not be asked", () => {
    const sorted = triage([blocker("q_one"), blocker("q_two")], rules({ budget: 3 }), 2);
    expect([sorted.ask, sorted.stuck].map((list) => list.map((u) => u.id))).toEqual([["q_one"], ["q_two"]]);
  });

  it("never asks more than fifty at once by default [S4-092]", () => {
    const list = Array.from({ length: 70 }, (_, i) => open(`q_${i}`));
    expect(triage(list, rules({ budget: 1000, max: policyWith().limits.max_questions }), 0).ask).toHaveLength(50);
  });

  it("loses nothing, keeps every limit, and asks nothing in full_auto, whatever is open [S4-045, S4-053]", () => {
    const any = fc.record({
      level: fc.constantFrom(...RISK_LEVELS),
      safe: fc.boolean(),
      type: fc.constantFrom("blocker" as const, "clarification" as const),
    });
    const given = fc.record({
      mode: fc.constantFrom("interactive" as const, "semi_auto" as const, "full_auto" as const),
      ask: fc.constantFrom("all" as const, "blockers_only" as const, "never" as const),
      budget: fc.nat(8),
      max: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), given, fc.nat(4), (list, policy, already) => {
        const all = list.map(({ level, safe, type }, i) =>
          open(`q_${i}`, { blockingLevel: level, type, fallback: safe ? { answer: "x", strategy: "y" } : null }),
        );
        const { ask, fallBack, stuck } = triage(all, policy, already);
        expect([...ask, ...fallBack, ...stuck].map((u) => u.id).sort()).toEqual(all.map((u) => u.id).sort());
        expect(ask.length).toBeLessThanOrEqual(Math.max(0, Math.min(policy.budget - already, policy.max)));
        expect(fallBack.every((u) => u.fallback !== null) && stuck.every((u) => u.fallback === null)).toBe(true);
        if (policy.mode === "full_auto" || policy.ask === "never") expect(ask).toEqual([]);
      }),
    );
  });
});

describe("classify [S4-047]", () => {
  it.each([
    ["critical", true, "blocker"],
    ["critical", false, "blocker"],
    ["high", false, "blocker"],
    ["high", true, "risk_mitigation"],
    ["medium", false, "clarification"],
    ["medium", true, "clarification"],
    ["low", true, "optimization"],
  ] as const)("%s with a fallback: %s → %s", (level, hasFallback, type) => {
    expect(classify(level, hasFallback)).toBe(type);
  });
});

/** Facts, parameters, reviewers, scopes and evidence, all open at once. */
const everything: Difference = {
  registry: (r) => {
    r.facts = [fact("tests_pass"), fact("on_call", { type: "string", blocking_level: "low", default: "ada" })];
    r.rules.push(
      rule("tested", `command.id == "edit_code" && facts.tests_pass`, { decision: "warn" }),
      rule("watched", `command.id in ["edit_code", "name_it"] && facts.on_call == "eve"`, { decision: "warn" }),
    );
    r.commands.push(
      command("name_it", {
        writes: ["src/name.ts"],
        parameters: [parameter("name"), parameter("colour", { blocking_level: "medium", default: "blue" })],
      }),
    );
  },
  intent: (i) => {
    i.planned_commands.push(plannedCommand("name_it"));
    i.constraints.lock_scope = { mode: "files", paths: ["src/app.ts"] };
  },
  policy: (p) => (p.reviewers = {}),
  facts: {
    tests_pass: [
      { value: true, evidence_ref: "ci://1" },
      { value: false, evidence_ref: "ci://2" },
    ],
  },
};

describe("the QuestionPack", () => {
  const { questions, state, graph } = planWith(everything);
  const pack = questions[0];
  const question = (id: string) => pack?.questions.find((q) => q.question_id === id);

  it("holds every open question, most pressing first, and the policy's constraints [S4-046]", () => {
    expect(state).toBe("AWAITING_ANSWERS");
    expect(graph).toBeNull();
    expect(pack?.questions.map((q) => `${q.question_id} ${q.type} ${q.blocking_level}`)).toEqual([
      "q_param_name_it_name blocker critical",
      "q_scope_name_it blocker critical",
      "q_evidence_tests_pass clarification medium",
      "q_param_name_it_colour clarification medium",
      "q_reviewer_architecture risk_mitigation medium",
      "q_fact_on_call optimization low",
    ]);
    expect(pack?.policy_constraints).toEqual({
      execution_mode: "interactive",
      question_budget: 10,
      question_policy: "all",
      budget_consumed: 6,
      budget_remaining: 4,
    });
    expect(QuestionPack.parse(pack)).toEqual(pack);
  });

  it("gives every question its evidence [S4-048]", () => {
    expect(pack?.questions.map((q) => q.evidence_refs)).toEqual([
      ["registry://commands/name_it", "scan://repository"],
      ["intent://intent_base_plan/constraints/lock_scope", "scan://repository"],
      ["rule://tested", "ci://1", "ci://2"],
      ["registry://commands/name_it", "scan://repository"],
      ["intent://intent_base_plan/risk", "policy://policy_test/reviewers"],
      ["rule://watched"],
    ]);
  });

  it("says of every question what happens without an answer, or it is a blocker [S4-050]", () => {
    expect(pack?.questions.map((q) => q.default_strategy)).toEqual([
      undefined,
      undefined,
      "Keep the actions that depend on it held for review.",
      'Use "blue", the default of name_it.',
      "Anyone who holds the role architecture_reviewer may review.",
      'Assume "ada", the registry\'s default.',
    ]);
    expect(pack?.questions.every((q) => q.default_strategy !== undefined || q.type === "blocker")).toBe(true);
  });

  it("says what an answer would change: scope, nodes, description [S4-049]", () => {
    expect(pack?.questions.map((q) => q.impact)).toEqual([
      {
        scope: "single_action",
        description: "It decides how the actions are carried out: one action.",
        affected_nodes: ["node_action_name_it"],
      },
      {
        scope: "single_action",
        description: "It decides whether the action may be planned: one action.",
        affected_nodes: ["node_action_name_it"],
      },
      {
        scope: "single_action",
        description: "It decides which rules let the actions pass: one action.",
        affected_nodes: ["node_action_edit_code"],
      },
      {
        scope: "single_action",
        description: "It decides how the actions are carried out: one action.",
        affected_nodes: ["node_action_name_it"],
      },
      {
        scope: "entire_plan",
        description: "It decides who must approve the plan: 2 actions.",
        affected_nodes: ["node_action_edit_code", "node_action_name_it"],
      },
      {
        scope: "single_phase",
        description: "It decides which rules let the actions pass: 2 actions.",
        affected_nodes: ["node_action_edit_code", "node_action_name_it"],
      },
    ]);
  });

  it("suggests answers where they are known", () => {
    expect(question("q_evidence_tests_pass")?.suggested_answers?.map((s) => s.answer_text)).toEqual(["true", "false"]);
    expect(question("q_scope_name_it")?.suggested_answers?.map((s) => s.answer_text)).toEqual(["widen", "stop"]);
    expect(question("q_param_name_it_name")?.suggested_answers).toBeUndefined();
  });

  it("stays within the published lengths, even for evidence of great length", () => {
    const disputed: Difference = {
      registry: (r) => {
        r.facts = [fact("release_notes", { type: "string" })];
        r.rules.push(rule("noted", `facts.release_notes == "x"`));
      },
      facts: {
        release_notes: [
          { value: "a".repeat(3000), evidence_ref: "doc://1" },
          { value: `${"a".repeat(2000)}b`, evidence_ref: "doc://2" },
        ],
      },
    };
    const { questions: asked } = planWith(disputed);
    expect(QuestionPack.safeParse(asked[0]).error?.issues).toBeUndefined();
    const second = asked[0]?.questions[0]?.suggested_answers?.[1]?.answer_text as string;
    const out = planWith({ ...disputed, answers: [answersTo(asked[0], { q_evidence_release_notes: second })] });
    expect(out.state).toBe("DONE");
    expect(out.settled[0]?.answer).toBe(second);
  });

  it("asks nothing when nothing is open", () => {
    expect(workbench().source.uncertainties).toEqual([]);
    expect(planWith().questions).toEqual([]);
  });
});

describe("the guards of questions", () => {
  const pack = planWith(everything).questions[0] as QuestionPack;

  it("mode_allows_questions aborts full_auto [S4-053]", () => {
    expect(modeAllowsQuestions(rules({ mode: "full_auto" }))).toMatchObject({
      passed: false,
      onFail: { state: "ABORTED", type: "red_line_violation" },
    });
    expect(modeAllowsQuestions(rules({ ask: "never" })).passed).toBe(false);
    expect(modeAllowsQuestions(rules()).passed).toBe(true);
  });

  it("question_budget_available counts against the limit", () => {
    const guard = (max: number) =>
      questionGuards(pack, { ask: [], fallBack: [], stuck: [] }, rules({ max })).find(
        (g) => g.guard_name === "question_budget_available",
      );
    expect(guard(6)?.passed).toBe(true);
    expect(guard(5)).toMatchObject({ passed: false, onFail: { state: "BLOCKED" } });
  });

  it("questions_have_evidence and questions_have_fallback find a bare question [S4-048, S4-050]", () => {
    const [first] = pack.questions;
    if (first === undefined) throw new Error("no question");
    expect(questionsHaveEvidence([{ ...first, evidence_refs: [] }]).passed).toBe(false);
    expect(questionsHaveEvidence(pack.questions).passed).toBe(true);
    expect(questionsHaveFallback([{ ...first, type: "clarification" }]).passed).toBe(false);
    expect(questionsHaveFallback(pack.questions).passed).toBe(true);
  });
});

it("full_auto asks nothing: it falls back, or it is blocked [S4-053]", () => {
  const soft = planWith({ intent: fullAuto, policy: (p) => (p.reviewers = {}) });
  expect(soft.state).toBe("DONE");
  expect(soft.review?.summary).toMatchObject({ questions_answered: 0, fallbacks_used: 1 });
  const hard = planWith({
    ...everything,
    intent: (i) => {
      everything.intent?.(i);
      fullAuto(i);
    },
  });
  expect(hard.state).toBe("BLOCKED");
  expect(hard.problems.map((p) => `${p.code} ${p.path}`)).toEqual([
    "QUESTION_UNASKED q_param_name_it_name",
    "QUESTION_UNASKED q_scope_name_it",
  ]);
  for (const out of [soft, hard]) expect(out.tape.states.map((s) => s.to_state)).not.toContain("QUESTIONS_EMITTED");
});

it("semi_auto asks blockers only [S4-045, S4-067]", () => {
  const { questions } = planWith({
    ...everything,
    intent: (i) => {
      everything.intent?.(i);
      i.interaction.mode = "semi_auto";
    },
  });
  expect(questions[0]?.questions.map((q) => q.question_id)).toEqual(["q_param_name_it_name", "q_scope_name_it"]);
});

it("a scope question stands for each task that leaves the lock", () => {
  const { source } = workbench({
    tasks: [task("T-1"), task("T-2")],
    intent: (i) => (i.constraints.lock_scope = { mode: "files", paths: ["src/app.ts", "src/t-1.ts"] }),
  });
  expect(source.uncertainties.map((u) => u.subject)).toEqual([{ kind: "scope", action: "T-2", paths: ["src/t-2.ts"] }]);
});
