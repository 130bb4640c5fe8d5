import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Held, createConditionCompiler } from "./compile-condition.js";

const compile = createConditionCompiler({
  a: {
    object: {
      p: "bool",
      n: "number",
      xs: { list: "string", max: 4 },
      items: { list: { object: { k: "string" } }, max: 4 },
      labels: { map: "string", max: 4 },
    },
  },
  flag: "bool",
});

test("whatever the source, the compiler throws nothing [S4-095]", () => {
  const words = `a . p xs n labels flag has ( ) [ ] 0 1.5 "a" && || == in ! - ? : , exists x size null { } // b"`.split(
    " ",
  );
  const source = fc.oneof(
    fc.string({ maxLength: 60, unit: "binary" }),
    fc.array(fc.constantFrom(...words, "\n"), { maxLength: 20 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(source, (text) => {
      const result = compile(text);
      if (result.ok) return;
      expect(result.problems.length).toBeGreaterThan(0);
      for (const { line, column } of result.problems) expect(Math.min(line, column)).toBeGreaterThan(0);
    }),
    { numRuns: 5_000 },
  );
});

test("whatever the facts, a condition answers true, false or Held [S4-032]", () => {
  const conditions = [
    `a.p || flag`,
    `a.n * 2 > 1 && a.n % 2 != 1`,
    `a.xs.exists(x, x.startsWith("a") || x.glob("a/**")) || "b" in a.xs || a.xs == ["a", "b"]`,
    `a.items.all(i, has(i.k) && i.k == "a") && a.items[0].k != "b"`,
    `has(a.labels.x) ? a.labels.x < "b" : a.labels.exists(key, a.labels[key] == "a")`,
    `a.xs.filter(x, x != "").map(x, size(x) + a.n) == [1, 2]`,
  ].map((source) => {
    const result = compile(source);
    if (!result.ok) throw new Error(`${source}: ${JSON.stringify(result.problems)}`);
    return result.condition;
  });
  const value = fc.oneof(fc.anything(), fc.boolean(), fc.double(), fc.array(fc.anything()), fc.array(fc.string()));
  const facts = fc.dictionary(fc.constantFrom("p", "n", "xs", "items", "labels"), value);
  const scope = fc.oneof(
    fc.dictionary(fc.constantFrom("a", "flag"), fc.anything()),
    fc.record({ a: facts, flag: fc.anything() }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...conditions), scope, (condition, anything) => {
      const outcome = condition.evaluate(anything);
      expect(typeof outcome === "boolean" || outcome instanceof Held).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});
