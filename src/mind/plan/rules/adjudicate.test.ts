import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RuleDecision } from "../../../model/plan/decision.js";
import type { DecisionKind } from "../../../model/plan/registry.js";
import {
  command,
  type Difference,
  fact,
  plannedCommand,
  rule,
  task,
  workbench,
} from "../../../testing/plan-fixtures.js";
import { adjudicate, adjudicateAll, findRuleConflicts } from "./adjudicate.js";

const only = (...rules: ReturnType<typeof rule>[]): Difference => ({ registry: (r) => (r.rules = rules) });

/** The decision on edit_code. */
function judged(difference: Difference) {
  const { actions, judge } = workbench(difference);
  const edit = actions.find(({ key }) => key === "edit_code");
  if (edit === undefined) throw new Error("no such action");
  return adjudicate(edit, judge);
}

describe("adjudicate", () => {
  it.each(["allow", "warn", "require_review", "deny"] as const)("can say %s [S4-028]", (decision) => {
    expect(judged(only(rule("the_rule", "true", { decision })))).toMatchObject({ decision, rule_id: "the_rule" });
  });

  const strictness: DecisionKind[] = ["allow", "warn", "require_review", "deny"];

  it("takes the strictest of all that fire, in whatever order: deny > require_review > warn > allow [S4-028]", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...strictness), { minLength: 1, maxLength: 6 }), (kinds) => {
        const rules = kinds.map((decision, i) => rule(`rule_${i}`, "true", { decision }));
        const strictest = strictness.findLast((kind) => kinds.includes(kind));
        expect(judged(only(...rules))).toMatchObject({
          decision: strictest,
          rule_id: `rule_${kinds.indexOf(strictest as DecisionKind)}`,
          rules_considered: kinds.length,
        });
      }),
      { numRuns: 60 },
    );
  });

  it("does not count rules that do not fire", () => {
    const decision = judged(only(rule("never", "false", { decision: "deny" }), rule("always", "true")));
    expect(decision).toMatchObject({ decision: "allow", rules_considered: 2 });
    expect(decision.evaluations.map((e) => e.rule_id)).toEqual(["always"]);
  });

  it("holds the action when a rule meets a fact that is not known, even beside an allow [S4-033]", () => {
    const held = judged({
      registry: (r) => {
        r.facts = [fact("tests_pass")];
        r.rules = [rule("allow_all", "true"), rule("needs_tests", "facts.tests_pass", { decision: "deny" })];
      },
    });
    expect(held).toMatchObject({ decision: "require_review", rule_id: "needs_tests", reviews: ["architecture"] });
    expect(held.evaluations[1]).toMatchObject({ held: { cause: "unknown_fact", path: "facts.tests_pass" } });
  });

  it("holds the action when a rule errs: here a fact of the wrong type", () => {
    const held = judged({
      registry: (r) => {
        r.facts = [fact("tests_pass")];
        r.rules = [rule("allow_tested", "facts.tests_pass")];
      },
      facts: { tests_pass: { value: "yes", evidence_ref: "ci://1" } },
    });
    expect(held).toMatchObject({ decision: "require_review", rule_id: "allow_tested" });
    expect(held.evaluations[0]?.held?.cause).toBe("error");
  });

  it("holds the action when two sources disagree about a fact, and not when they agree", () => {
    const with2 = (first: boolean, second: boolean) =>
      judged({
        registry: (r) => {
          r.facts = [fact("tests_pass")];
          r.rules = [rule("allow_tested", "facts.tests_pass")];
        },
        facts: {
          tests_pass: [
            { value: first, evidence_ref: "ci://1" },
            { value: second, evidence_ref: "ci://2" },
          ],
        },
      });
    expect(with2(true, false).decision).toBe("require_review");
    expect(with2(true, true)).toMatchObject({
      decision: "allow",
      evidence_refs: expect.arrayContaining(["fact://tests_pass", "ci://1", "ci://2"]) as string[],
    });
  });

  it.each(["require_review", "deny"] as const)(
    "a command no rule speaks of gets %s, as the policy says",
    (undecided) => {
      const decision = judged({ ...only(rule("never", "false")), policy: (p) => (p.undecided = undecided) });
      expect(decision).toMatchObject({ decision: undecided, rule_id: "policy_undecided" });
      expect(decision.reviews).toEqual(undecided === "deny" ? [] : ["architecture"]);
    },
  );

  it("enforces what the policy forbids, over every allow [S4-033]", () => {
    const decision = judged({ policy: (p) => (p.forbidden_effects = ["write"]) });
    expect(decision).toMatchObject({ decision: "deny", rule_id: "policy_forbidden_effects" });
    expect(decision.alternatives).toContainEqual({
      alternative: "allow, by allow_writing",
      reason_rejected: "deny, by policy_forbidden_effects, is stricter",
    });
  });

  it("wants a review from the policy's floor on", () => {
    const at = (risk_level: "medium" | "high") =>
      judged({ intent: (i) => (i.planned_commands[1] = plannedCommand("edit_code", { risk_level })) });
    expect(at("medium").decision).toBe("allow");
    expect(at("high")).toMatchObject({ decision: "require_review", rule_id: "policy_review_floor" });
  });

  it("enforces a red line that is written as a rule [S4-033]", () => {
    const line = rule("no_critical_writes", `command.risk_level == "critical"`, {
      decision: "deny",
      reason: "Red line: nothing critical is written.",
    });
    const decision = judged({
      registry: (r) => r.rules.push(line),
      intent: (i) => (i.planned_commands[1] = plannedCommand("edit_code", { risk_level: "critical" })),
    });
    expect(decision).toMatchObject({ decision: "deny", rule_id: "no_critical_writes", reason: line.then.reason });
  });

  it.each([
    [["write", "security", "data"], "security"],
    [["write", "data", "deploy"], "data"],
    [["write", "deploy"], "release"],
    [["write"], "architecture"],
  ] as const)("asks who looks at %j by the most delicate effect: %s", (effects, category) => {
    const decision = judged({
      ...only(rule("look_first", "true", { decision: "require_review" })),
      intent: (i) => (i.planned_commands[1] = plannedCommand("edit_code", { effects: [...effects] })),
    });
    expect(decision.reviews).toEqual([category]);
  });

  it("names every review that rules want, sorted", () => {
    const decision = judged(
      only(
        rule("first", "true", { decision: "require_review", review: "security" }),
        rule("second", "true", { decision: "require_review", review: "cost" }),
      ),
    );
    expect(decision.reviews).toEqual(["cost", "security"]);
  });

  it("builds the evidence chain: intent, registry, rules, facts [S4-031]", () => {
    const { evidence_refs } = judged({
      registry: (r) => {
        r.facts = [fact("tests_pass")];
        r.rules = [rule("allow_tested", "facts.tests_pass")];
      },
      facts: { tests_pass: { value: true, evidence_ref: "ci://run/7" } },
    });
    expect(evidence_refs).toEqual([
      "scan://repository",
      "registry://commands/edit_code@1.0.0",
      "rule://allow_tested@1.0.0",
      "fact://tests_pass",
      "ci://run/7",
    ]);
  });

  it("looks for a fact among the facts and nowhere else: even one called constructor", () => {
    const held = judged({
      registry: (r) => {
        r.facts = [fact("constructor")];
        r.rules = [rule("allow_built", "facts.constructor")];
      },
    });
    expect(held.evidence_refs).toEqual([
      "scan://repository",
      "registry://commands/edit_code@1.0.0",
      "rule://allow_built@1.0.0",
      "fact://constructor",
    ]);
  });

  it("offers the rule's alternatives and the equivalent commands", () => {
    const { alternatives } = judged({
      registry: (r) => {
        r.rules = [rule("deny_it", "true", { decision: "deny", alternatives: ["Write less"] })];
        for (const c of r.commands) if (c.id === "edit_code") c.equivalents = ["scan_code"];
      },
    });
    expect(alternatives.map((a) => a.alternative)).toEqual(["Write less", "use scan_code instead"]);
  });
});

describe("adjudicateAll", () => {
  it("judges every action, in order; each decision names a rule and its evidence [S4-029, S4-031, S4-020]", () => {
    const { actions, judge } = workbench({
      registry: (r) => r.commands.push(command("odd_thing", { effects: ["network"] })),
      intent: (i) => i.planned_commands.push(plannedCommand("odd_thing", { effects: ["network"] })),
    });
    const decisions = adjudicateAll(actions, judge);
    expect(decisions.map((d) => [d.target, d.decision, d.rule_id])).toEqual([
      ["scan_code", "allow", "allow_reading"],
      ["edit_code", "allow", "allow_writing"],
      ["check_code", "allow", "allow_reading"],
      ["odd_thing", "require_review", "policy_undecided"],
    ]);
    for (const decision of decisions) expect(RuleDecision.parse(decision)).toEqual(decision);
    expect(new Set(decisions.map((d) => d.target)).size).toBe(decisions.length);
  });

  it("says of each of many tasks of a command what it says of that task alone", () => {
    const conditions = [
      `"write" in command.effects`,
      `command.writes.exists(p, p.startsWith("src/a"))`,
      "size(command.tests) > 0",
      "command.in_lock_scope",
      "facts.tests_pass && size(command.writes) > 1",
      "facts.tests_pass",
      `command.params["colour"] == "red"`,
      `command.id == "edit_code" && !command.in_lock_scope`,
    ];
    const paths = fc.subarray(["src/a.ts", "src/b.ts", "docs/c.md"]);
    const kinds = fc.constantFrom("allow" as const, "warn" as const, "require_review" as const);
    const rules = fc.array(fc.tuple(fc.constantFrom(...conditions), kinds), { minLength: 1, maxLength: 8 });
    const tasks = fc.array(fc.tuple(fc.constantFrom("edit_code", "scan_code"), paths, paths), { maxLength: 8 });
    fc.assert(
      fc.property(rules, tasks, fc.option(fc.boolean()), (ruled, planning, tested) => {
        const { actions, judge } = workbench({
          registry: (r) => {
            r.facts = [fact("tests_pass")];
            r.rules = ruled.map(([when, decision], i) => rule(`rule_${i}`, when, { decision }));
          },
          intent: (i) => {
            i.constraints.lock_scope = { mode: "files", paths: ["src"] };
            const tasks = planning.map(([command_id, files, tests], n) =>
              task(`TASK-${n}`, { command_id, files, tests }),
            );
            Object.assign(i, { schema_version: "1.0.0", tasks });
          },
          ...(tested === null ? {} : { facts: { tests_pass: { value: tested, evidence_ref: "ci://1" } } }),
        });
        expect(adjudicateAll(actions, judge)).toEqual(actions.map((action) => adjudicate(action, judge)));
      }),
      { numRuns: 150 },
    );
  });
});

describe("findRuleConflicts", () => {
  it("finds a rule that demands an action beside one that denies it", () => {
    const { source, judge } = workbench(
      only(
        rule("must_happen", "true", { mandatory: true }),
        rule("must_not", `command.id == "edit_code"`, { decision: "deny" }),
      ),
    );
    expect(findRuleConflicts(source.decisions, judge.rules)).toEqual([
      { target: "edit_code", demanding: "must_happen", denying: "must_not" },
    ]);
  });

  it.each([
    ["an ordinary allow beside a deny", false, "true"],
    ["a mandatory rule that is itself held", true, "facts.unknown_one"],
  ])("does not take %s for one", (_, mandatory, when) => {
    const { source, judge } = workbench({
      registry: (r) => {
        r.facts = [fact("unknown_one")];
        r.rules = [rule("allowing", when, { mandatory }), rule("denying", "true", { decision: "deny" })];
      },
    });
    expect(findRuleConflicts(source.decisions, judge.rules)).toEqual([]);
  });
});
