import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { canonicalJson } from "./canonical.js";

describe("canonicalJson", () => {
  it.each([
    ["integer-like keys by their text, not their value", { 10: "b", 9: "c", 1: "a" }, '{"1":"a","10":"b","9":"c"}'],
    [
      "numbers of RFC 8785",
      [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 1e-27],
      "[333333333.3333333,1e+30,4.5,0.002,1e-27]",
    ],
    ["the largest and the smallest number", [1.7976931348623157e308, 5e-324], "[1.7976931348623157e+308,5e-324]"],
    ["negative zero as zero", [-0, 0], "[0,0]"],
    ["literals", [null, true, false], "[null,true,false]"],
    ["the escapes of RFC 8785", '€$\n\u000fA\'B"\\\\"/', '"€$\\n\\u000fA\'B\\"\\\\\\\\\\"/"'],
    ["an undefined property as absent", { a: undefined, b: 1 }, '{"b":1}'],
    ["nothing", {}, "{}"],
    ["nested order", { b: [{ d: 1, c: 2 }], a: {} }, '{"a":{},"b":[{"c":2,"d":1}]}'],
  ])("writes %s", (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it("orders keys by UTF-16 units, so an astral character comes before a private-use one", () => {
    const keys = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
    const written = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    const order = ["1", "\r", "\u0080", "\u00f6", "\u20ac", "\u{1f600}", "\ufb33"];
    expect(Object.keys(JSON.parse(written) as object)).toEqual(order);
  });

  it.each([
    ["NaN", Number.NaN],
    ["Infinity", [Number.POSITIVE_INFINITY]],
    ["a lone high surrogate", "\ud800"],
    ["a lone low surrogate in a key", { "\udc00": 1 }],
    ["undefined in a list", [undefined]],
    ["a function", { f: () => 1 }],
    ["a bigint", 1n],
  ])("refuses %s", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it("does not take an escaped backslash-u for a lone surrogate", () => {
    expect(canonicalJson("\\ud800")).toBe('"\\\\ud800"');
  });

  it("agrees with the reference implementation of RFC 8785 on any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 500 },
    );
  });

  it("writes lists of many elements, and objects whose keys are in order or not [S4-060]", () => {
    const row = fc.record({
      z: fc.integer(),
      a: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      9: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 400, size: "max" }), (rows) => {
        const value = { rows, b: { rows }, a: rows.length, undefined };
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 30 },
    );
  });

  it("depends neither on the order of keys nor on a walk through JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.infiniteStream(fc.nat()), (object, order) => {
        const shuffled = Object.entries(object)
          .map((entry) => ({ entry, at: order.next().value }))
          .sort((a, b) => a.at - b.at);
        const again = Object.fromEntries(shuffled.map(({ entry }) => entry));
        expect(canonicalJson(again)).toBe(canonicalJson(object));
        expect(canonicalJson(JSON.parse(JSON.stringify(object)))).toBe(canonicalJson(object));
      }),
    );
  });
});

it("byCodeUnit is a total order that no locale changes", () => {
  expect(["b", "a", "B", "ä", "a"].sort(byCodeUnit)).toEqual(["B", "a", "a", "b", "ä"]);
});
