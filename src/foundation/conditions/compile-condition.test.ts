import { describe, expect, test } from "vitest";
import { type Condition, type Outcome, Held, createConditionCompiler } from "./compile-condition.js";
import type { FactSchema } from "./fact-schema.js";

const schema: FactSchema = {
  command: {
    object: {
      name: "string",
      risk_level: "string",
      effects: { list: "string", max: 20 },
      writes: { list: "string", max: 200 },
      retries: "number",
      steps: { list: { object: { kind: "string", minutes: "number", done: "bool" } }, max: 10 },
      matrix: { list: { list: "number", max: 3 }, max: 3 },
    },
  },
  facts: { object: { has_tests: "bool", has_rollback_plan: "bool", coverage: "number", pattern: "string" } },
  intent: { object: { interaction: { object: { mode: "string" } } } },
  labels: { map: "string", max: 10 },
  urgent: "bool",
};

const scope = {
  command: {
    name: "Déploy💥",
    risk_level: "high",
    effects: ["deploy", "network"],
    writes: ["migrations/001.sql", "src/app.ts"],
    retries: 3,
    steps: [
      { kind: "build", minutes: 5, done: true },
      { kind: "test", minutes: 10, done: false },
    ],
    matrix: [[1, 2], [3]],
  },
  facts: { has_tests: true, has_rollback_plan: false, coverage: 0.5, pattern: "src/*.ts" },
  intent: { interaction: { mode: "full_auto" } },
  labels: { team: "core", empty: null },
  urgent: false,
};

const compile = createConditionCompiler(schema);

function load(source: string): Condition {
  const result = compile(source);
  if (!result.ok) throw new Error(`${source}: ${JSON.stringify(result.problems)}`);
  return result.condition;
}

function decide(source: string, facts: Readonly<Record<string, unknown>> = scope): Outcome {
  return load(source).evaluate(facts);
}

describe("a condition is decided by the machine [S4-032]", () => {
  test.each([
    [`command.risk_level in ["high", "critical"] && "deploy" in command.effects`, true],
    [`command.writes.exists(p, p.startsWith("migrations/")) && !facts.has_rollback_plan`, true],
    [`intent.interaction.mode == "full_auto" && size(command.writes) > 0`, true],
    [`urgent || facts.has_tests`, true],
    [`urgent ? false : true`, true],
    [`command.retries == 3`, true],
    [`command.retries == 3.0`, true],
    [`3 == command.retries`, true],
    [`command.retries != 3`, false],
    [`command.retries + 1 * 2 - 1 == 4`, true],
    [`command.retries / 2 == 1.5`, true],
    [`command.retries % 2 == 1`, true],
    [`-command.retries < -2`, true],
    [`facts.coverage <= 0.5 && facts.coverage >= 0.5`, true],
    [`facts.coverage < command.retries`, true],
    [`command.risk_level + "!" == "high!"`, true],
    [`"a" < "b"`, true],
    [`size(command.name) == 7`, true],
    [`command.name.size() == 7`, true],
    [`command.effects.size() == 2 && size(labels) == 2`, true],
    [`size(command.effects) in [1, 2]`, true],
    [`command.effects == ["deploy", "network"]`, true],
    [`command.effects != ["network", "deploy"]`, true],
    [`command.effects == []`, false],
    [`command.matrix == [[1, 2], [3]]`, true],
    [`command.matrix == [[1, 2], []]`, false],
    [`command.matrix[1][0] == 3`, true],
    [`command.effects[1] == "network"`, true],
    [`command.steps[0].kind == "build"`, true],
    [`command.retries in [1, 2, command.retries]`, true],
    [`labels.team == "core" && labels["team"] == "core"`, true],
    [`"team" in labels`, true],
    [`"empty" in labels`, false],
    [`"constructor" in labels`, false],
    [`labels[command.risk_level == "high" ? "team" : "x"] == "core"`, true],
    [`labels.exists(key, key == "team")`, true],
    [`facts["has_tests"]`, true],
    [`has(facts.has_tests) && has(labels.team) && !has(labels.empty) && !has(labels.nothing)`, true],
    [`command.steps.all(s, s.minutes > 1)`, true],
    [`command.steps.exists_one(s, s.done)`, true],
    [`command.steps.filter(s, s.minutes > 5).size() == 1`, true],
    [`command.steps.filter(s, !s.done)[0].kind == "test"`, true],
    [`command.steps.map(s, s.minutes) == [5, 10]`, true],
    [`command.steps.exists(s, command.writes.exists(w, w.contains(s.kind)))`, false],
    [`command.effects.exists(e, e.endsWith("work") || e.contains("zzz"))`, true],
    [`command.effects.exists(command, command == "deploy")`, true],
    [`command.name.lowerAscii() == "déploy💥" && command.name.upperAscii() == "DéPLOY💥"`, true],
    [`command.writes.all(p, p.glob("{src,migrations}/**"))`, true],
    [`command.writes.exists(p, p.glob(facts.pattern))`, true],
    [`"src/**".overlaps(facts.pattern) && !"docs/**".overlaps(facts.pattern)`, true],
    [`false && command.retries / 0 == 1`, false],
    [`command.retries / 0 == 1 && false`, false],
    [`command.retries / 0 == 1 || true`, true],
    [`command.steps.exists(s, 10 / (s.minutes - 5) == 2)`, true],
    [`command.steps.all(s, 10 / (s.minutes - 5) == 3)`, false],
  ])("%s is %s", (source, expected) => {
    expect(decide(source)).toBe(expected);
  });

  test("reads are the sorted paths of the facts, not of loop variables", () => {
    expect(load(`facts.has_tests && "deploy" in command.effects && facts.has_tests`).reads).toEqual([
      "command.effects",
      "facts.has_tests",
    ]);
    expect(load(`command.steps.exists(s, s.done) || has(labels.team)`).reads).toEqual(["command.steps", "labels.team"]);
    expect(load(`intent.interaction.mode == "ask" || urgent`).reads).toEqual(["intent.interaction.mode", "urgent"]);
  });
});

describe("what is not known is neither true nor false", () => {
  const without = { ...scope, facts: {}, labels: undefined, urgent: null };

  test.each([
    [`facts.has_tests`, "facts.has_tests"],
    [`!facts.has_tests`, "facts.has_tests"],
    [`facts.has_tests == facts.has_tests`, "facts.has_tests"],
    [`facts.coverage != 1`, "facts.coverage"],
    [`facts.coverage < 1`, "facts.coverage"],
    [`1 < facts.coverage`, "facts.coverage"],
    [`facts.coverage + 1 > 0`, "facts.coverage"],
    [`facts.coverage in [1]`, "facts.coverage"],
    [`facts.has_tests && true`, "facts.has_tests"],
    [`true && facts.has_tests`, "facts.has_tests"],
    [`facts.has_tests || false`, "facts.has_tests"],
    [`facts.has_tests ? true : true`, "facts.has_tests"],
    [`facts.pattern.startsWith("a")`, "facts.pattern"],
    [`"a".contains(facts.pattern)`, "facts.pattern"],
    [`size(facts.pattern) == 0`, "facts.pattern"],
    [`"src/a".glob(facts.pattern)`, "facts.pattern"],
    [`command.effects.exists(e, e == facts.pattern)`, "facts.pattern"],
    [`[facts.pattern] == ["x"]`, "facts.pattern"],
    [`labels.team == "core"`, "labels.team"],
    [`has(labels.team)`, "labels"],
    [`"team" in labels`, "labels"],
    [`urgent`, "urgent"],
  ])("%s is held for %s", (source, path) => {
    expect(decide(source, without)).toMatchObject({ reason: "unknown_fact", path });
  });

  test("an empty scope and empty objects hold, has() answers for the last name only", () => {
    expect(decide(`facts.has_tests`, {})).toMatchObject({ reason: "unknown_fact", path: "facts.has_tests" });
    expect(decide(`intent.interaction.mode == "ask"`, { intent: {} })).toMatchObject({
      path: "intent.interaction.mode",
    });
    expect(decide(`has(facts.has_tests)`, { facts: {} })).toBe(false);
    expect(decide(`has(facts.has_tests) && facts.has_tests`, { facts: {} })).toBe(false);
    expect(decide(`has(intent.interaction.mode)`, { intent: {} })).toMatchObject({ path: "intent.interaction" });
  });

  test("the decisive side absorbs what is not known", () => {
    expect(decide(`facts.has_tests && false`, without)).toBe(false);
    expect(decide(`facts.has_tests || true`, without)).toBe(true);
    expect(decide(`command.effects.exists(e, facts.has_tests || e == "network")`, without)).toBe(true);
    expect(decide(`command.effects.all(e, facts.has_tests && e == "deploy")`, without)).toBe(false);
  });

  test("an element or a field of an element is named with []", () => {
    const facts = { command: { steps: [{ kind: "a" }], effects: [null], writes: ["a", 1] } };
    expect(decide(`command.steps.exists(s, s.done)`, facts)).toMatchObject({ path: "command.steps[].done" });
    expect(decide(`command.effects.exists(e, e == "a")`, facts)).toMatchObject({ path: "command.effects[]" });
    expect(decide(`"a" in command.effects`, facts)).toMatchObject({
      reason: "unknown_fact",
      path: "command.effects[]",
    });
    expect(decide(`"b" in command.writes`, facts)).toMatchObject({ reason: "error", path: "command.writes[]" });
    expect(decide(`"a" in command.writes`, facts)).toBe(true);
    expect(decide(`command.writes == ["a", "b"]`, facts)).toMatchObject({ reason: "error", path: "command.writes[]" });
  });
});

describe("an error is neither true nor false", () => {
  test.each([
    [`command.retries / 0 > 1`, scope],
    [`command.retries % 0 > 1`, scope],
    [`1e308 * 10 > 1`, scope],
    [`command.effects[2] == "x"`, scope],
    [`facts.coverage > 0`, { facts: { coverage: "1" } }],
    [`facts.coverage > 0`, { facts: { coverage: Number.NaN } }],
    [`facts.coverage != 0`, { facts: { coverage: Number.POSITIVE_INFINITY } }],
    [`facts.has_tests`, { facts: { has_tests: 1 } }],
    [`facts.has_tests`, { facts: [true] }],
    [`facts.has_tests`, { facts: "text" }],
    [`size(command.effects) == 0`, { command: { effects: { length: 0 } } }],
    [`size(command.effects) == 25`, { command: { effects: Array.from({ length: 25 }, () => "x") } }],
    [`command.writes.exists(p, p.glob("src/**"))`, { command: { writes: ["src/../etc/passwd"] } }],
    [`command.writes.exists(p, p.glob("**"))`, { command: { writes: ["a".repeat(5_000)] } }],
    [`"src/a".glob(facts.pattern)`, { facts: { pattern: "*".repeat(600) } }],
    [`facts.pattern.overlaps("a")`, { facts: { pattern: "*".repeat(600) } }],
    [`labels.exists(k, k == "zz")`, { labels: Object.fromEntries("abcdefghijklm".split("").map((key) => [key, key])) }],
  ])("%s is held", (source, facts) => {
    expect(decide(source, facts)).toMatchObject({ reason: "error" });
  });

  test("a fact that throws when read holds the condition", () => {
    const hostile = {
      get facts(): never {
        throw new Error("boom");
      },
    };
    expect(decide(`facts.has_tests`, hostile)).toBeInstanceOf(Held);
  });
});
