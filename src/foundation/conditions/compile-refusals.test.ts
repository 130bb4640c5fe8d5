import { describe, expect, test } from "vitest";
import { type ConditionProblem, createConditionCompiler } from "./compile-condition.js";
import type { FactSchema } from "./fact-schema.js";

const schema = {
  facts: {
    object: { ok: "bool", count: "number", text: "string", constructor: "bool", tags: { list: "string", max: 60 } },
  },
  others: { list: { object: { ok: "bool" } }, max: 10 },
  labels: { map: "string", max: 10 },
} as const satisfies FactSchema;
const compile = createConditionCompiler(schema);

function problemsOf(source: string): readonly ConditionProblem[] {
  const result = compile(source);
  return result.ok ? [] : result.problems;
}

describe("a condition that cannot be decided does not load [S4-032]", () => {
  test.each([
    ["syntax", `facts.ok &&`, 1, 12],
    ["syntax", `facts.ok @`, 1, 10],
    ["syntax", `"open`, 1, 1],
    ["syntax", ``, 1, 1],
    ["syntax", `facts.tags.exists("x", true)`, 1, 19],
    ["type", `facts.missing`, 1, 7],
    ["type", `facts.ok &&\n  facts.missing`, 2, 9],
    ["type", `unknown`, 1, 1],
    ["type", `facts.ok && facts.count == "1"`, 1, 13],
    ["type", `facts.count`, 1, 1],
    ["type", `facts.text.startsWith(1)`, 1, 1],
    ["type", `facts.ok &&\n\n  facts.text`, 1, 1],
    ["type", `facts.tags.exists(t, t)`, 1, 22],
    ["type", `facts.tags.exists(t, t.x == 1)`, 1, 24],
    ["type", `has(facts.missing)`, 1, 11],
    ["type", `has(facts.ok.deeper.still)`, 1, 14],
    ["type", `facts.ok && has(facts.ok)\n && has(labels.a.b)`, 2, 18],
    ["type", `labels[1] == "a"`, 1, 8],
    ["type", `int == int`, 1, 1],
    ["type", `size(facts.count) == 1`, 1, 1],
    ["type", `[1, "a"] == [1]`, 1, 5],
    ["type", `facts == facts`, 1, 1],
  ])("%s: %s", (kind, source, line, column) => {
    expect(problemsOf(source)).toMatchObject([{ kind, line, column }]);
  });

  test("messages speak of numbers and of the names the author wrote", () => {
    expect(problemsOf(`size(facts.count) == 1`)[0]?.message).toBe("found no matching overload for 'size(number)'");
    expect(problemsOf(`facts.missing`)[0]?.message).toBe("No such key: missing");
  });

  test("a schema that CEL cannot declare is a mistake of the caller", () => {
    expect(() => createConditionCompiler({ type: "bool" })).toThrow(/already registered/);
  });
});

describe("a condition runs no code of its author [S4-095]", () => {
  test.each([
    [`facts.text.matches("^(a+)+$")`, 12],
    [`dyn(facts.text) == "a"`, 1],
    [`type(facts.text) == string`, 1],
    [`timestamp("2020-01-01T00:00:00Z") == timestamp("2020-01-01T00:00:00Z")`, 1],
    [`cel.bind(x, true, x)`, 5],
    [`facts.text.split(",") == []`, 12],
    [`facts.text == null`, 15],
    [`facts.text == b"a"`, 15],
    [`1u == 1u`, 1],
    [`{"a": 1} == {"a": 1}`, 1],
    [`99999999999999999999 > facts.count`, 1],
    [`facts[facts.text] == "a"`, 7],
    [`facts.tags + ["a"] == ["a"]`, 1],
    [`labels == labels`, 1],
    [`others == others`, 1],
    [`["a"] in [["a"]]`, 1],
    [`facts.tags.map(t, t == "a", t) == []`, 12],
    [`"a".glob(facts.text + "*")`, 10],
    [`"a".glob("src/")`, 10],
    [`"a".glob("./src/**")`, 10],
    [`number_size(facts.text) == 1`, 1],
  ])("%s is not allowed", (source, column) => {
    expect(problemsOf(source)[0]).toMatchObject({ kind: "forbidden", line: 1, column });
  });

  test("matches is refused with the way out, and all refusals come at once", () => {
    const problems = problemsOf(`facts.text.matches("a") ||\nfacts.text.matches("b")`);
    expect(problems.map(({ line }) => line)).toEqual([1, 2]);
    expect(problems[0]?.message).toContain("use glob");
  });

  test("names of the prototype are names like any other", () => {
    for (const source of [`facts.toString == "x"`, `facts.__proto__ == "x"`, `has(facts.valueOf)`, `constructor`]) {
      expect(problemsOf(source)).toHaveLength(1);
    }
    const named = compile(`facts.constructor`);
    const keyed = compile(`labels["constructor"] == "x" || labels["__proto__"] == "x"`);
    const asked = compile(`has(labels.constructor) || has(labels.toString) || "__proto__" in labels`);
    if (!named.ok || !keyed.ok || !asked.ok) throw new Error("does not load");
    expect(named.condition.evaluate({ facts: {} })).toMatchObject({
      reason: "unknown_fact",
      path: "facts.constructor",
    });
    expect(named.condition.evaluate({ facts: { constructor: true } })).toBe(true);
    expect(keyed.condition.evaluate({ labels: {} })).toMatchObject({ path: "labels.constructor" });
    expect(asked.condition.evaluate({ labels: {} })).toBe(false);
    expect(asked.condition.evaluate({ labels: JSON.parse(`{"__proto__": "x"}`) as object })).toBe(true);
    const inherited = Object.create({ facts: { constructor: true } }) as Record<string, unknown>;
    expect(named.condition.evaluate(inherited)).toMatchObject({ reason: "unknown_fact", path: "facts.constructor" });
  });
});

describe("a condition that could take too long does not load [S4-095]", () => {
  test("nested loops multiply, and the message names the bound and the limit", () => {
    const [problem] = problemsOf(`facts.tags.all(a, facts.tags.all(b, facts.tags.all(c, a + b == c)))`);
    expect(problem).toMatchObject({ kind: "cost", line: 1, column: 1 });
    expect(problem?.message).toMatch(/may take 1\d{6} steps, the limit is 100000/);
    expect(problemsOf(`facts.tags.all(a, facts.tags.all(b, a == b))`)).toEqual([]);
  });

  test("the limit is the caller's", () => {
    const strict = createConditionCompiler(schema, { maxCost: 100 });
    expect(strict(`facts.tags.all(a, a == "x")`)).toMatchObject({ ok: false, problems: [{ kind: "cost" }] });
    expect(strict(`facts.ok`)).toMatchObject({ ok: true });
  });

  test("the bound grows through map and filter, and counts what in, == and globs walk", () => {
    const costOf = (source: string): number => {
      const result = compile(source);
      return result.ok ? result.condition.cost : Number.NaN;
    };
    expect(costOf(`facts.tags.filter(t, t == "a").exists(t, t == "b")`)).toBeGreaterThan(2 * 60);
    expect(costOf(`facts.tags.map(t, t + "x").exists(t, t == "b")`)).toBeGreaterThan(2 * 60);
    expect(costOf(`"a" in facts.tags`)).toBeGreaterThan(60);
    expect(costOf(`facts.tags == facts.tags`)).toBeGreaterThan(60);
    expect(costOf(`facts.text in ["a", "b"]`)).toBeLessThan(10);
    expect(costOf(`facts.tags.exists(t, t.glob("a/**"))`)).toBeGreaterThan(costOf(`facts.tags.exists(t, t == "a")`));
  });

  test.each([
    ["a long source", `facts.ok || `.repeat(400) + "true"],
    ["a long chain", `${"true||".repeat(500)}true`],
    ["many negations", `${"!".repeat(4_000)}true`],
    ["many minus signs", `${"-".repeat(4_000)}1 == 1`],
    ["many parentheses", `${"(".repeat(2_000)}true${")".repeat(2_000)}`],
    ["many brackets", `${"[".repeat(2_000)}${"]".repeat(2_000)} == []`],
    ["many choices", `${"true?".repeat(500)}true${":true".repeat(500)}`],
    ["a wide list", `1 in [${"1,".repeat(1_500)}1]`],
    ["a long pattern", `facts.text.glob("${"*".repeat(1_000)}")`],
  ])("%s is refused, not run into the ground", (_name, source) => {
    expect(problemsOf(source)).toMatchObject([{ kind: "cost" }]);
  });
});
