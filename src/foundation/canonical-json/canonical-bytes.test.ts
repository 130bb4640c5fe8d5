import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalBytes } from "./canonical-bytes.js";
import { canonicalJson } from "./canonical.js";

/** The pieces as one text. Each is copied at once, because its memory is used again. */
function written(value: unknown): string {
  const pieces: Buffer[] = [];
  canonicalBytes(value, (piece) => pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces).toString("utf8");
}

describe("canonicalBytes", () => {
  it("writes what canonicalJson and the reference implementation of RFC 8785 write, for any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
        expect(written(value)).toBe(canonicalJson(value));
        expect(written(value)).toBe(canonicalize(value));
      }),
      { numRuns: 500 },
    );
  });

  it("writes every kind of number as canonicalJson does", () => {
    const edges = [0, -0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 2 ** 53, -1, 0.5, 1e21, 1e-7, 5e-324, 1.7e308];
    expect(written(edges)).toBe(canonicalJson(edges));
    const number = fc.oneof(fc.nat(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        expect(written(numbers)).toBe(canonicalJson(numbers));
      }),
    );
  });

  it("writes lists of many elements, and objects whose keys are in order or not, in pieces that join [S4-060]", () => {
    const row = fc.record({
      z: fc.integer(),
      a: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      9: fc.string({ unit: "binary", maxLength: 200 }),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 400, size: "max" }), (rows) => {
        const value = { rows, b: { rows }, a: rows.length, undefined };
        expect(written(value)).toBe(canonicalize(value));
      }),
      { numRuns: 30 },
    );
  });

  it("writes texts longer than its memory, and objects of more keys than it keeps in mind", () => {
    const long = "ä😀\n".repeat(40_000);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${"key ".repeat(i % 90)}${i * 7919}`, i]));
    const value = { long, plain: "x".repeat(300_000), many, [long]: long };
    expect(written(value)).toBe(canonicalJson(value));
  });

  it("goes on when more shapes of objects came than it keeps in mind", () => {
    for (let i = 0; i < 5_000; i++) {
      const value = { [`b${i}`]: i, [`a${i}`]: [i] };
      expect(written(value)).toBe(canonicalJson(value));
    }
  });

  it.each([
    ["NaN", [Number.NaN]],
    ["Infinity", { a: Number.POSITIVE_INFINITY }],
    ["a lone high surrogate", "\ud800"],
    ["a lone low surrogate in a key", { "\udc00": 1 }],
    ["a lone surrogate in a long text", `${"x".repeat(100_000)}\udfff`],
    ["undefined in a list", [undefined]],
    ["a function", { f: () => 1 }],
    ["a bigint", 1n],
  ])("refuses %s, and writes the next value as if nothing had been", (_, value) => {
    expect(() => written(value)).toThrow(TypeError);
    expect(written({ b: 1, a: "ä" })).toBe('{"a":"ä","b":1}');
  });

  it("may be called while it hands on a piece", () => {
    let inner = "";
    const outer: Buffer[] = [];
    canonicalBytes({ outer: "o".repeat(10) }, (piece) => {
      inner = written({ inner: "i".repeat(10) });
      outer.push(Buffer.from(piece));
    });
    expect([Buffer.concat(outer).toString(), inner]).toEqual(['{"outer":"oooooooooo"}', '{"inner":"iiiiiiiiii"}']);
  });
});
