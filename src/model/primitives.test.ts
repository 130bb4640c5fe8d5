import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDateTime } from "./date-time.js";
import { AgentId, codePoints, higherRisk, RISK_LEVELS, SemVer, text } from "./primitives.js";

describe("isDateTime", () => {
  it.each([
    "2026-01-25T11:00:00Z",
    "2024-02-29t23:59:59.999z",
    "2000-02-29T00:00:00+23:59",
    "2026-01-25 11:00:00-0530",
    "2016-12-31T23:59:60Z",
    "2017-01-01T05:29:60+05:30",
    "2016-12-31T18:29:60-05:30",
  ])("takes %s", (value) => {
    expect(isDateTime(value)).toBe(true);
  });

  it.each([
    "2026-01-25",
    "2026-01-25T11:00:00",
    "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-13-10T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-25T24:00:00Z",
    "2026-01-25T24:59:30+01:00",
    "2026-01-25T11:60:00Z",
    "2026-01-25T11:00:61Z",
    "2026-01-25T11:00:99Z",
    "2026-01-25T22:59:60Z",
    "2026-01-25T11:00:00+24:00",
    "2026-01-25T11:00:00+05:60",
    "2026-01-25T11:00:00Z\n",
    "2026-1-25T11:00:00Z",
    "now",
  ])("does not take %j", (value) => {
    expect(isDateTime(value)).toBe(false);
  });

  it("takes every instant as ISO writes it", () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z") }),
        (date) => {
          expect(isDateTime(date.toISOString())).toBe(true);
        },
      ),
    );
  });
});

describe("text", () => {
  it("counts what a person sees as a character, like the published schemas", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(codePoints(value)).toBe(Array.from(value).length);
      }),
    );
    expect(codePoints("a\ud800b")).toBe(3);
  });

  it.each([
    ["😀", false],
    ["😀😀", true],
    ["😀😀😀😀", true],
    ["😀😀😀😀😀", false],
    ["ab", true],
    ["abcde", false],
  ])("of 2 to 4 takes %s: %s", (value, fits) => {
    expect(text(2, 4).safeParse(value).success).toBe(fits);
  });
});

it.each([
  ["1.0.0", true],
  ["0.9.1", true],
  ["01.0.0", false],
  ["1.0", false],
  ["1.0.0-beta", false],
  ["1.0.0\n", false],
])("SemVer takes %j: %s", (value, fits) => {
  expect(SemVer.safeParse(value).success).toBe(fits);
});

it("ids have no signs, no capitals and no end of line", () => {
  for (const id of ["a", "ab", "Abc", "1abc", "ab-c", "abc\n", `a${"b".repeat(81)}`])
    expect(AgentId.safeParse(id).success, id).toBe(false);
  for (const id of ["abc", "a_1", `a${"b".repeat(80)}`]) expect(AgentId.safeParse(id).success, id).toBe(true);
});

it("higherRisk is the later of two", () => {
  for (const [i, a] of RISK_LEVELS.entries())
    for (const [j, b] of RISK_LEVELS.entries()) expect(higherRisk(a, b)).toBe(RISK_LEVELS[Math.max(i, j)]);
});
