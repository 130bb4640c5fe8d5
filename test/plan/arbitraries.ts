import * as fc from "fast-check";
import type { IntentV100 } from "../../src/model/plan/intent.js";
import type { FactPack } from "../../src/model/settings/packs.js";
import { IntentEffect, Phase, ReviewCategory, RISK_LEVELS, Sensitivity } from "../../src/model/primitives.js";
import { DecisionKind, TaskCapability } from "../../src/model/plan/registry.js";
import {
  agent,
  command,
  type Difference,
  fact,
  fullAuto,
  parameter,
  plannedCommand,
  rule,
  task,
  workflow,
} from "../../src/testing/plan-fixtures.js";

/** Conditions of every kind: true, false, of the command, of the intent, of facts known or not, with parameters. */
const CONDITIONS = [
  "true",
  "false",
  `"write" in command.effects`,
  `command.risk_level in ["high", "critical"]`,
  `command.effects.all(e, e == "read")`,
  "command.in_lock_scope",
  `intent.mode == "full_auto"`,
  `"security" in policy.reviewed`,
  "facts.fact_a",
  "facts.fact_a && facts.fact_b",
  "facts.fact_c > 2.0",
  `command.params["colour"] == "red"`,
  "size(command.writes) > 1",
  "command.failure_rate > 0.5",
];
const PATHS = ["src/a.ts", "src/b.ts", "src/*.ts", "src/**", "docs/a.md", "test/a.ts", "**/*.md"];
const NAMES = ["aa_one", "bb_two", "cc_three", "dd_four", "ee_five", "ff_six"];

/** The ordinary value, and now and then another: a plan with ten odd things in it would never get far. */
const mostly = <T>(ordinary: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(ordinary) }, { weight: 1, arbitrary: other });
const some = <T>(from: readonly T[], min = 0) => fc.subarray([...from], { minLength: min });
const seen = (value: boolean | number | string, evidence_ref: string) => ({ value, evidence_ref });

const registry = fc.record({
  phases: mostly([...Phase.options], some(Phase.options, 2)),
  rules: fc.array(
    fc.record({
      when: fc.constantFrom(...CONDITIONS),
      decision: fc.constantFrom(
        ...DecisionKind.options,
        ...Array.from({ length: 4 }, () => ["allow", "warn", "require_review"] as const).flat(),
      ),
      review: fc.option(fc.constantFrom(...ReviewCategory.options), { nil: undefined }),
      risk: mostly(undefined, fc.constantFrom(...RISK_LEVELS)),
      mandatory: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  commands: fc.array(
    fc.record({
      phase: fc.constantFrom(...Phase.options),
      effects: some(IntentEffect.options, 1),
      needs: mostly([] as string[], some(NAMES)),
      writes: some(PATHS),
      capability: fc.constantFrom(...TaskCapability.options),
      data_sensitivity: fc.option(fc.constantFrom(...Sensitivity.options), { nil: undefined }),
      colour: mostly("none", fc.constantFrom("critical", "medium", "defaulted", "defaulted")),
    }),
    { minLength: NAMES.length, maxLength: NAMES.length },
  ),
  factLevel: fc.constantFrom(...RISK_LEVELS),
  factDefault: fc.option(fc.boolean(), { nil: undefined }),
});

const intent = fc.record({
  mode: fc.constantFrom("interactive" as const, "semi_auto" as const, "full_auto" as const),
  question_budget: fc.nat(50),
  question_policy: fc.constantFrom("conceptual_only" as const, "blockers_only" as const, "never" as const),
  risk: mostly("low" as const, fc.constantFrom(...RISK_LEVELS)),
  requires_review: some(ReviewCategory.options, 1),
  commands: some(NAMES),
  commandRisk: fc.constantFrom("low" as const, "low" as const, "medium" as const, "high" as const),
  phases: mostly([...Phase.options], some(Phase.options, 1)),
  lock: fc.record({
    mode: fc.constantFrom("none" as const, "none" as const, "task" as const, "files" as const),
    paths: some(PATHS),
  }),
  tasks: fc.array(
    fc.record({
      command: fc.nat(5),
      files: some(PATHS),
      after: fc.array(fc.nat(9), { maxLength: 2 }),
      agent: fc.constantFrom(undefined, "analyst", "builder"),
    }),
    { maxLength: 8 },
  ),
  cost: mostly(10_000, fc.constantFrom(0, 0.01, 50)),
});

const policy = fc.record({
  reviewers: some(ReviewCategory.options),
  undecided: mostly("require_review" as const, fc.constant("deny" as const)),
  question_budget: mostly(50, fc.nat(3)),
  max_nodes: mostly(200, fc.constant(20)),
  installed: fc.boolean(),
});

const facts = fc.record({
  a: fc.constantFrom("unknown", "true", "false", "disputed", "wrong"),
  b: fc.constantFrom("unknown", "true", "false"),
  c: fc.constantFrom("unknown", "1", "3"),
});

function factPack({ a, b, c }: { a: string; b: string; c: string }): FactPack["facts"] {
  const pack: FactPack["facts"] = {};
  if (a === "disputed") pack["fact_a"] = [seen(true, "ci://1"), seen(false, "ci://2")];
  else if (a === "wrong") pack["fact_a"] = seen("yes", "ci://1");
  else if (a !== "unknown") pack["fact_a"] = seen(a === "true", "ci://1");
  if (b !== "unknown") pack["fact_b"] = seen(b === "true", "ci://3");
  if (c !== "unknown") pack["fact_c"] = seen(Number(c), "ci://4");
  return pack;
}

/** Plans of all kinds: most of their documents are sound, and they end in any state a plan can end in. */
export const anyPlan: fc.Arbitrary<Difference> = fc.record({ registry, intent, policy, facts }).map((drawn) => ({
  registry: (r) => {
    const { phases, rules, commands, factLevel, factDefault } = drawn.registry;
    r.workflows.push(workflow("any_change", phases));
    r.agents.push(agent("anybody", Phase.options));
    r.facts = [
      fact("fact_a", { blocking_level: factLevel, ...(factDefault === undefined ? {} : { default: factDefault }) }),
      fact("fact_b"),
      fact("fact_c", { type: "number", blocking_level: "low", default: 1 }),
    ];
    for (const [i, { when, decision, review, risk, mandatory }] of rules.entries())
      r.rules.push(
        rule(`any_rule_${i}`, when, {
          decision,
          mandatory,
          ...(review === undefined ? {} : { review }),
          ...(risk === undefined ? {} : { risk }),
        }),
      );
    for (const [i, { colour, data_sensitivity, ...entry }] of commands.entries()) {
      const level = colour === "critical" ? "critical" : "medium";
      const asked = parameter("colour", {
        blocking_level: level,
        ...(colour === "defaulted" ? { default: "blue" } : {}),
      });
      r.commands.push(
        command(NAMES[i] as string, {
          ...entry,
          owner: i % 2 === 0 ? "builder" : "stranger",
          parameters: colour === "none" ? [] : [asked],
          ...(data_sensitivity === undefined ? {} : { data_sensitivity }),
        }),
      );
    }
  },
  intent100: (i: IntentV100) => {
    const {
      mode,
      question_budget,
      question_policy,
      risk,
      requires_review,
      commands,
      commandRisk,
      phases,
      lock,
      tasks,
      cost,
    } = drawn.intent;
    i.selected_workflows = [
      { workflow_id: "small_change", phases: ["analysis", "implementation", "validation", "release"] },
      { workflow_id: "any_change", phases },
    ];
    i.selected_agents.push({ agent_id: "anybody", role: "Anybody", responsibilities: ["All of it"] });
    i.planned_commands.push(
      ...commands.map((id) => plannedCommand(id, { effects: ["read"], risk_level: commandRisk })),
    );
    i.interaction = { mode, question_budget, question_policy };
    i.risk = { ...i.risk, overall: risk, requires_review };
    if (mode === "full_auto") fullAuto(i);
    i.constraints.lock_scope = lock;
    i.budgets = { max_files: 500, max_commits: 50, max_tokens: 2_000_000, max_cost_usd: cost };
    const carried = ["edit_code", ...commands];
    i.tasks = tasks.map(({ command: c, files, after, agent: by }, n) =>
      task(`task_${n}`, {
        command_id: carried[c % carried.length] as string,
        files,
        // Mostly on earlier tasks; now and then a cycle.
        dependencies: [
          ...new Set(
            after
              .filter((d) => d < n || (d === 9 && n === 1 && tasks.length > 6))
              .map((d) => Math.min(d, tasks.length - 1)),
          ),
        ].map((d) => `task_${d}`),
        ...(by === undefined ? {} : { agent: by }),
      }),
    );
  },
  policy: (p) => {
    const { reviewers, undecided, question_budget, max_nodes, installed } = drawn.policy;
    p.reviewers = Object.fromEntries(reviewers.map((category) => [category, ["ada"]]));
    p.undecided = undecided;
    p.question_budget = question_budget;
    p.limits.max_nodes = max_nodes;
    p.models.installed = installed ? ["local-small"] : [];
  },
  facts: factPack(drawn.facts),
}));
