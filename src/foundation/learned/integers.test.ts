import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shippedModel } from "../../testing/learned-models.js";
import { textsInScripts } from "../../testing/texts-in-scripts.js";
import { featuresOf } from "./features.js";
import { judge, reasonsFor } from "./judge-text.js";

/* Whole numbers only: what is learnt decides the same on every machine and every version of Node.js. */

describe("the learned layer", () => {
  it.each(["routing", "safety", "adr"])("%s: weights, scores, chances and reasons are whole numbers", (name) => {
    const model = shippedModel(name);
    expect(model.weights).toBeInstanceOf(Int16Array);
    expect([...model.bias, ...model.chances.flat()].every(Number.isSafeInteger)).toBe(true);
    for (const steps of model.chances) expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    for (const [, texts] of textsInScripts())
      for (const text of texts.slice(0, 20)) {
        const features = featuresOf(model.form, text, [{ tag: "t", start: 0, end: text.length }]);
        const { scores, chances } = judge(model, features);
        const reasons = model.classes.flatMap((_, of) => reasonsFor(model, features, of, 3));
        const numbers = [...scores, ...chances, ...reasons.flatMap((reason) => Object.values(reason))];
        expect(numbers.every(Number.isSafeInteger), JSON.stringify(text)).toBe(true);
      }
  });

  it("computes with whole numbers: every quotient is cut, and there is no fraction and no function of real numbers", () => {
    const folder = new URL(".", import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    expect(files).toContain("judge-text.ts");
    for (const file of files)
      expect([file, fractionsIn(readFileSync(new URL(file, folder), "utf8"))]).toEqual([file, []]);
  });

  it("would be found to compute with fractions", () => {
    const lines = [
      "a = b / c;",
      "a = Math.sqrt(b);",
      "a = 0.5;",
      "a = parseFloat(b);",
      "a = Math.trunc(b / c); // x / y",
    ];
    expect(fractionsIn(lines.join("\n"))).toEqual(lines.slice(0, 4));
  });
});

const WHOLE = ["imul", "trunc", "floor", "min", "max", "clz32", "abs"];

/** The lines of a source that may give a number that is not whole. */
function fractionsIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\/\/.*$/gm, "");
  return code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => {
      const called = [...line.matchAll(/\bMath\.(\w+)/g)].map(([, name = ""]) => name);
      return (
        called.some((name) => !WHOLE.includes(name)) ||
        /\b\d+\.\d|\d+e-\d|parseFloat|\*\*\s*-/.test(line) ||
        (/\s\/=?\s/.test(line) && !/Math\.(?:trunc|floor)\(/.test(line))
      );
    });
}
