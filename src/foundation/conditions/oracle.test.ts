import { Environment } from "@marcbachmann/cel-js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Held, createConditionCompiler } from "./compile-condition.js";
import type { FactSchema } from "./fact-schema.js";

// One expression twice: as an author writes it here, and as CEL wants it. They differ where this
// language does: every number is a double, so `1` is `1.0` and size() is a double. Left out is what the
// interpreter cannot do (the index of a list of objects) and what is an error here on purpose (x / 0).
type Twin = { readonly ours: string; readonly cel: string };

const twin = (parts: TemplateStringsArray, ...twins: Twin[]): Twin => {
  const join = (side: keyof Twin): string =>
    parts.reduce((text, part, index) => text + part + (twins[index]?.[side] ?? ""), "");
  return { ours: join("ours"), cel: join("cel") };
};
const both = (text: string): Twin => ({ ours: text, cel: text });

const schema: FactSchema = {
  a: {
    object: {
      p: "bool",
      q: "bool",
      n: "number",
      m: "number",
      s: "string",
      t: "string",
      xs: { list: "string", max: 4 },
      ns: { list: "number", max: 4 },
      items: { list: { object: { k: "string", v: "number", ok: "bool" } }, max: 4 },
      labels: { map: "string", max: 4 },
      deep: { object: { p: "bool", s: "string" } },
    },
  },
  flag: "bool",
};

const oracle = new Environment()
  .registerType("Item", { fields: { k: "string", v: "double", ok: "bool" } })
  .registerType("Deep", { fields: { p: "bool", s: "string" } })
  .registerType("Facts", {
    fields: {
      p: "bool",
      q: "bool",
      n: "double",
      m: "double",
      s: "string",
      t: "string",
      xs: "list<string>",
      ns: "list<double>",
      items: "list<Item>",
      labels: "map<string, string>",
      deep: "Deep",
    },
  })
  .registerVariable("a", "Facts")
  .registerVariable("flag", "bool");

type Vars = {
  readonly strings: readonly string[];
  readonly numbers: readonly string[];
  readonly items: readonly string[];
};

const among = (...texts: readonly string[]): fc.Arbitrary<Twin> => fc.constantFrom(...texts).map(both);
const pair = (x: fc.Arbitrary<Twin>, y: fc.Arbitrary<Twin>, op: string): fc.Arbitrary<Twin> =>
  fc.tuple(x, y).map(([left, right]) => twin`(${left} ${both(op)} ${right})`);
const sizeOf = (of: fc.Arbitrary<Twin>): fc.Arbitrary<Twin> =>
  fc.tuple(of, fc.boolean()).map(([value, method]) => ({
    ours: method ? `${value.ours}.size()` : `size(${value.ours})`,
    cel: `double(size(${value.cel}))`,
  }));

function numbers(vars: Vars, depth: number): fc.Arbitrary<Twin> {
  const literal = fc
    .constantFrom(0, 1, 2, 3)
    .chain((n) => fc.constantFrom<Twin>({ ours: `${n}`, cel: `${n}.0` }, { ours: `${n}.0`, cel: `${n}.0` }));
  const facts = among("a.n", "a.m", "a.ns[0]", "a.ns[2]", ...vars.numbers, ...vars.items.map((item) => `${item}.v`));
  if (depth <= 0) return fc.oneof(literal, facts);
  const inner = numbers(vars, depth - 1);
  return fc.oneof(
    literal,
    facts,
    sizeOf(stringLists(vars, depth - 1)),
    sizeOf(strings(vars, depth - 1)),
    sizeOf(among("a.labels", "a.ns")),
    fc.constantFrom("+", "-", "*").chain((op) => pair(inner, inner, op)),
    inner.map((value) => twin`(${value} / ${{ ours: "2", cel: "2.0" }})`),
    inner.map((value) => twin`(-(${value}))`),
  );
}

function strings(vars: Vars, depth: number): fc.Arbitrary<Twin> {
  const leaves = [
    among(`"a"`, `"b"`, `"ab"`, `"💥"`, `""`),
    among("a.s", "a.t", "a.deep.s", `a.labels["a"]`, "a.labels.b", "a.xs[0]"),
    among(...vars.strings, ...vars.items.map((item) => `${item}.k`), "a.s"),
  ];
  if (depth <= 0) return fc.oneof(...leaves);
  const inner = strings(vars, depth - 1);
  return fc.oneof(
    ...leaves,
    pair(inner, inner, "+"),
    inner.map((value) => twin`${value}.upperAscii()`),
    inner.map((key) => twin`a.labels[${key}]`),
    fc.tuple(bools(vars, depth - 1), inner, inner).map(([when, x, y]) => twin`(${when} ? ${x} : ${y})`),
  );
}

function stringLists(vars: Vars, depth: number): fc.Arbitrary<Twin> {
  const leaves = among("a.xs", `["a", "b"]`, `["ab"]`);
  if (depth <= 0) return leaves;
  const x = `x${depth}`;
  const inside = { ...vars, strings: [...vars.strings, x] };
  return fc.oneof(
    leaves,
    fc.tuple(strings(vars, 0), strings(vars, 0)).map(([y, z]) => twin`[${y}, ${z}]`),
    bools(inside, depth - 1).map((test) => twin`a.xs.filter(${both(x)}, ${test})`),
    strings(inside, depth - 1).map((each) => twin`a.xs.map(${both(x)}, ${each})`),
  );
}

function bools(vars: Vars, depth: number): fc.Arbitrary<Twin> {
  const leaves = among(
    "true",
    "false",
    "flag",
    "a.p",
    "a.q",
    "a.deep.p",
    "has(a.p)",
    "has(a.deep.p)",
    "has(a.labels.a)",
    `("a" in a.labels)`,
    ...vars.items.flatMap((item) => [`${item}.ok`, `has(${item}.ok)`]),
  );
  if (depth <= 0) return leaves;
  const inner = bools(vars, depth - 1);
  const number = numbers(vars, depth - 1);
  const string = strings(vars, depth - 1);
  const list = stringLists(vars, depth - 1);
  const [x, n, i] = [`x${depth}`, `n${depth}`, `i${depth}`];
  const loop = fc.constantFrom("exists", "all", "exists_one").map(both);
  return fc.oneof(
    leaves,
    pair(inner, inner, "&&"),
    pair(inner, inner, "||"),
    inner.map((value) => twin`!(${value})`),
    pair(inner, inner, "=="),
    fc
      .constantFrom("==", "!=", "<", "<=", ">", ">=")
      .chain((op) => fc.oneof(pair(number, number, op), pair(string, string, op))),
    fc.constantFrom("==", "!=").chain((op) => pair(list, fc.oneof(list, fc.constant(both("[]"))), op)),
    pair(string, fc.oneof(list, fc.constant(both("a.labels"))), "in"),
    pair(number, fc.constantFrom<Twin>(both("a.ns"), { ours: "[1, 2]", cel: "[1.0, 2.0]" }), "in"),
    fc.tuple(string, among("startsWith", "endsWith", "contains"), string).map(([s, f, t]) => twin`${s}.${f}(${t})`),
    fc.tuple(inner, inner, inner).map(([when, y, z]) => twin`(${when} ? ${y} : ${z})`),
    fc
      .tuple(
        fc.oneof(list, fc.constant(both("a.labels"))),
        loop,
        bools({ ...vars, strings: [...vars.strings, x] }, depth - 1),
      )
      .map(([over, kind, test]) => twin`${over}.${kind}(${both(x)}, ${test})`),
    fc
      .tuple(loop, bools({ ...vars, numbers: [...vars.numbers, n] }, depth - 1))
      .map(([kind, test]) => twin`a.ns.${kind}(${both(n)}, ${test})`),
    fc
      .tuple(loop, bools({ ...vars, items: [...vars.items, i] }, depth - 1))
      .map(([kind, test]) => twin`a.items.${kind}(${both(i)}, ${test})`),
  );
}

const text = fc.constantFrom("a", "b", "ab", "💥", "");
const amount = fc.constantFrom(0, 1, 2, 0.5, -1);
const item = fc.record({ k: text, v: amount, ok: fc.boolean() }, { requiredKeys: [] });
const facts = {
  p: fc.boolean(),
  q: fc.boolean(),
  n: amount,
  m: amount,
  s: text,
  t: text,
  xs: fc.array(text, { maxLength: 3 }),
  ns: fc.array(amount, { maxLength: 3 }),
  items: fc.array(item, { maxLength: 3 }),
  labels: fc.dictionary(fc.constantFrom("a", "b", "ab"), text, { maxKeys: 3, noNullPrototype: true }),
  deep: fc.record({ p: fc.boolean(), s: text }, { requiredKeys: [], noNullPrototype: true }),
};
const scope = fc.record(
  { a: fc.record(facts, { requiredKeys: [], noNullPrototype: true }), flag: fc.boolean() },
  { requiredKeys: [], noNullPrototype: true },
);

test("decides as the CEL interpreter does, and holds exactly where it fails [S4-032]", () => {
  const compile = createConditionCompiler(schema, { maxCost: Number.POSITIVE_INFINITY });
  const seen = { true: 0, false: 0, held: 0 };
  fc.assert(
    fc.property(
      bools({ strings: [], numbers: [], items: [] }, 3),
      fc.array(scope, { minLength: 4, maxLength: 8 }),
      (source, scopes) => {
        const result = compile(source.ours);
        if (!result.ok) throw new Error(`${source.ours}: ${JSON.stringify(result.problems)}`);
        const expected = oracle.parse(source.cel);
        for (const each of scopes) {
          const ours = result.condition.evaluate(each);
          const theirs = interpret(expected, each);
          expect(ours instanceof Held ? "held" : ours, source.ours).toBe(theirs);
          seen[`${theirs}`] += 1;
        }
      },
    ),
    { numRuns: 3_000 },
  );
  // A property that only ever met one outcome would prove nothing.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1_000);
});

test("knowing more never changes an answer", () => {
  const compile = createConditionCompiler(schema, { maxCost: Number.POSITIVE_INFINITY });
  const source = bools({ strings: [], numbers: [], items: [] }, 3).filter(({ ours }) => !ours.includes("has("));
  const full = fc.record({ a: fc.record(facts, { noNullPrototype: true }), flag: fc.boolean() });
  const unknown = fc.subarray(Object.keys(facts));
  let decided = 0;
  fc.assert(
    fc.property(source, full, unknown, ({ ours }, known, removed) => {
      const result = compile(ours);
      if (!result.ok) throw new Error(`${ours}: ${JSON.stringify(result.problems)}`);
      const left = Object.entries(known.a).filter(([name]) => !removed.includes(name));
      const answer = result.condition.evaluate({ ...known, a: Object.fromEntries(left) });
      if (answer instanceof Held) return;
      decided += 1;
      expect(result.condition.evaluate(known), ours).toBe(answer);
    }),
    { numRuns: 3_000 },
  );
  expect(decided).toBeGreaterThan(500);
});

function interpret(expression: (context: object) => unknown, context: object): boolean | "held" {
  try {
    const answer = expression(context);
    if (typeof answer === "boolean") return answer;
  } catch {
    return "held";
  }
  throw new Error("the interpreter gave no bool");
}
