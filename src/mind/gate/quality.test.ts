import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quality, type QualityParts } from "./quality.js";

const NONE: QualityParts = { checks: null, coverage: null, verdicts: null, findings: null };
const clean = { critical: 0, high: 0, medium: 0, low: 0 };
const GOOD: QualityParts = {
  checks: { passed: 10, total: 10 },
  coverage: 100,
  verdicts: { pass: 4, fail: 0, blocked: 0 },
  findings: clean,
};

describe("quality", () => {
  it.each<[string, Partial<QualityParts>, number]>([
    ["all good", {}, 100],
    ["half of the checks", { checks: { passed: 5, total: 10 } }, 82.5],
    ["no coverage", { coverage: 0 }, 85],
    ["coverage not measured", { coverage: null }, 100],
    ["one verdict of four BLOCKED", { verdicts: { pass: 3, fail: 0, blocked: 1 } }, 91.25],
    ["a critical finding", { findings: { ...clean, critical: 1 } }, 85],
    ["more findings than a hundred takes", { findings: { ...clean, high: 9 } }, 85],
    ["findings of all kinds", { findings: { critical: 0, high: 1, medium: 1, low: 1 } }, 94.45],
  ])("%s gives its score", (_, over, score) => {
    expect(quality({ ...GOOD, ...over })).toMatchObject({ score, problems: [] });
  });

  it("lets what was not measured weigh nothing, and shows what the rest weighs", () => {
    const { score, parts } = quality({ ...NONE, checks: { passed: 3, total: 4 }, findings: clean });
    expect(score).toBe(82.5);
    expect(parts.map(({ part, weight }) => [part, weight])).toEqual([
      ["checks", 70],
      ["coverage", 0],
      ["verdicts", 0],
      ["findings", 30],
    ]);
    expect(parts.map(({ evidence }) => evidence)).toEqual([
      "3 of 4 checks passed",
      "coverage not measured",
      "verdicts not measured",
      "open findings: 0 low, 0 medium, 0 high, 0 critical",
    ]);
  });

  it("rounds down: no score reaches a threshold by rounding", () => {
    expect(quality({ ...NONE, checks: { passed: 79_999, total: 100_000 } }).score).toBe(79.99);
    expect(quality({ ...NONE, checks: { passed: 8, total: 10 }, coverage: 80 }).score).toBe(80);
  });

  it.each<[string, Partial<QualityParts>]>([
    ["checks are not numbers", { checks: { passed: Number.NaN, total: 1 } }],
    ["more passed than there are", { checks: { passed: 2, total: 1 } }],
    ["checks are negative", { checks: { passed: -1, total: 1 } }],
    ["coverage is not a number", { coverage: Number.NaN }],
    ["coverage is over a hundred", { coverage: 101 }],
    ["verdicts are halves", { verdicts: { pass: 0.5, fail: 0, blocked: 0 } }],
    ["verdicts cancel out", { verdicts: { pass: 1, fail: -1, blocked: 0 } }],
    ["findings are negative", { findings: { ...clean, high: -3 } }],
  ])("has no score when %s, however good the rest", (_, over) => {
    const { score, problems } = quality({ ...GOOD, ...over });
    expect(score).toBeNull();
    expect(problems).toHaveLength(1);
  });

  it.each<[string, Partial<QualityParts>]>([
    ["nothing", {}],
    ["no checks", { checks: { passed: 0, total: 0 } }],
    ["no verdicts", { verdicts: { pass: 0, fail: 0, blocked: 0 } }],
  ])("has no score when %s was measured", (_, over) => {
    expect(quality({ ...NONE, ...over })).toMatchObject({ score: null, problems: ["nothing was measured"] });
  });

  it("is between 0 and 100, the same each time, and never better for one more failure", () => {
    const count = fc.nat(50);
    const parts = fc.record({
      checks: fc.option(fc.tuple(count, count).map(([passed, more]) => ({ passed, total: passed + more }))),
      coverage: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      verdicts: fc.option(fc.record({ pass: count, fail: count, blocked: count })),
      findings: fc.option(fc.record({ critical: count, high: count, medium: count, low: count })),
    });
    fc.assert(
      fc.property(parts, (parts) => {
        const { score } = quality(parts);
        expect(quality(parts).score).toBe(score);
        if (score === null) return;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        if (parts.verdicts !== null && parts.verdicts.pass + parts.verdicts.fail + parts.verdicts.blocked > 0) {
          const worse = quality({ ...parts, verdicts: { ...parts.verdicts, fail: parts.verdicts.fail + 1 } });
          expect(worse.score).toBeLessThanOrEqual(score + 0.01);
        }
      }),
    );
  });
});
