import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, type JsonLimits } from "./json-text.js";
import { findJsonProblems, locateInJson } from "./scan-json.js";

/** The codes and places of what is refused, e.g. `DOCUMENT_SYNTAX 1:2`. */
function problems(text: string, limits?: JsonLimits): string[] {
  const result = parseJson(text, limits);
  return result.ok ? [] : result.diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
}

const hasKey = (value: unknown, key: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.hasOwn(value, key) || Object.values(value).some((child) => hasKey(child, key)));

describe("parseJson [S4-094]", () => {
  test("gives back every value that JSON can write", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const result = parseJson(text);
        if (hasKey(JSON.parse(text), "__proto__")) expect(result.ok).toBe(false);
        else expect(result).toEqual({ ok: true, value: JSON.parse(text) });
      }),
      { numRuns: 300 },
    );
  });

  test("refuses exactly what JSON.parse refuses, and says where", () => {
    const broken = fc
      .tuple(
        fc.jsonValue({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "\n", "0", "x", ":"),
      )
      .map(([value, at, inserted]) => {
        const text = JSON.stringify(value);
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + inserted + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(
        fc.oneof(broken, fc.string({ unit: fc.constantFrom(...'{}[],:"\\u0123.eE+-truefalsnl \n'.split("")) })),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          const syntax = findJsonProblems(text).filter(({ code }) => code === "DOCUMENT_SYNTAX");
          expect(syntax.length).toBe(valid ? 0 : 1);
          for (const { line, column } of syntax)
            expect([line, column].every((n) => n !== undefined && n >= 1)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each<[text: string, expected: string[]]>([
    ["", ["DOCUMENT_SYNTAX 1:1"]],
    ["   ", ["DOCUMENT_SYNTAX 1:4"]],
    ["{", ["DOCUMENT_SYNTAX 1:2"]],
    ['{"a": 1,}', ["DOCUMENT_SYNTAX 1:9"]],
    ["[1,\n 2\n 3]", ["DOCUMENT_SYNTAX 3:2"]],
    ['{\r\n  "a": tru\r\n}', ["DOCUMENT_SYNTAX 2:8"]],
    ["{a: 1}", ["DOCUMENT_SYNTAX 1:2"]],
    ["{'a': 1}", ["DOCUMENT_SYNTAX 1:2"]],
    ['{"a" 1}', ["DOCUMENT_SYNTAX 1:6"]],
    ['["a\nb"]', ["DOCUMENT_SYNTAX 1:4"]],
    ['["\\x"]', ["DOCUMENT_SYNTAX 1:3"]],
    ['["\\u12g4"]', ["DOCUMENT_SYNTAX 1:3"]],
    ['["open', ["DOCUMENT_SYNTAX 1:2"]],
    ["[01]", ["DOCUMENT_SYNTAX 1:3"]],
    ["[NaN]", ["DOCUMENT_SYNTAX 1:2"]],
    ["1 2", ["DOCUMENT_SYNTAX 1:3"]],
    ["// comment\n1", ["DOCUMENT_SYNTAX 1:1"]],
    ['{"a": 1, "b": 2, "a": 3}', ["DOCUMENT_DUPLICATE_KEY 1:18"]],
    ['{\n "a": {"b": 1,\n "\\u0062": 2}}', ["DOCUMENT_DUPLICATE_KEY 3:2"]],
    ['[{"a": 1}, {"a": 1}]', []],
    ['{"a:b": "{[:"}', []],
    ['{"__proto__": 1}', ["DOCUMENT_FORBIDDEN_KEY 1:2"]],
    ['{"a": {"\\u005f_proto__": 1}}', ["DOCUMENT_FORBIDDEN_KEY 1:8"]],
    ['"__proto__"', []],
    ['["a\0b"]', ["DOCUMENT_NUL 1:4"]],
    ['["ok",\n "a\\u0000b"]', ["DOCUMENT_NUL 2:2"]],
    ['{"\\u0000": 1}', ["DOCUMENT_NUL 1:2"]],
    ['"\\\\u0000"', []],
    ['["\\ud83d"]', ["DOCUMENT_SURROGATE 1:2"]],
    ['["\ud83d"]', ["DOCUMENT_SURROGATE 1:2"]],
    ['["\\ude00\\ud83d"]', ["DOCUMENT_SURROGATE 1:2"]],
    ['["\\ud83d\\ude00", "😀", "\\ud83d\ude00"]', []],
    ['\ufeff{"a": 1}', []],
    ['\ufeff\n {"a" 1}', ["DOCUMENT_SYNTAX 2:7"]],
  ])("%j", (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test("names the key and both places of a duplicate", () => {
    expect(parseJson('{"list": [{"key": 1,\n"key": 2}]}')).toEqual({
      ok: false,
      diagnostics: [
        {
          code: "DOCUMENT_DUPLICATE_KEY",
          path: "list[0].key",
          message: 'the key "key" appears twice in one object, first at line 1, column 12',
          line: 2,
          column: 1,
          fix: "Keep one of the two.",
        },
      ],
    });
  });

  test("refuses five million open brackets without running out of stack", () => {
    expect(problems("[".repeat(5_000_000))).toEqual(["DOCUMENT_TOO_DEEP 1:65"]);
    expect(problems('{"a":'.repeat(1_000_000))).toEqual(["DOCUMENT_TOO_DEEP 1:321"]);
    expect(problems("[".repeat(100_000), { maxDepth: 1_000_000 })).toEqual(["DOCUMENT_SYNTAX 1:100001"]);
  });

  test("takes nesting up to the limit and no deeper", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(problems(nested(64))).toEqual([]);
    expect(problems(nested(65))).toEqual(["DOCUMENT_TOO_DEEP 1:65"]);
    expect(problems(nested(3), { maxDepth: 2 })).toEqual(["DOCUMENT_TOO_DEEP 1:3"]);
  });

  test("measures the size in bytes of UTF-8", () => {
    const sizes: [text: string, bytes: number][] = [
      ['"aa"', 4],
      ['"é"', 4],
      ['"€"', 5],
      ['"😀"', 6],
    ];
    for (const [text, bytes] of sizes) {
      expect(parseJson(text, { maxBytes: bytes }).ok, text).toBe(true);
      expect(parseJson(text, { maxBytes: bytes - 1 }), text).toMatchObject({
        diagnostics: [{ code: "DOCUMENT_TOO_LARGE" }],
      });
    }
  });

  test("gives up listing after fifty problems", () => {
    expect(problems(`{${'"a":1,'.repeat(200)}"b":2}`)).toHaveLength(50);
  });
});

describe("locateInJson", () => {
  const text = '{\n  "a": [1, {"b": "x"}],\n  "c": null\n}';

  test.each<[path: (string | number)[], value: string, key: string]>([
    [[], "1:1", "1:1"],
    [["a"], "2:8", "2:3"],
    [["a", 0], "2:9", "2:9"],
    [["a", 1, "b"], "2:18", "2:13"],
    [["a", 1, "missing", 3], "2:12", "2:12"],
    [["c"], "3:8", "3:3"],
    [["missing"], "1:1", "1:1"],
  ])("%j", (path, value, key) => {
    const found = locateInJson(text, path);
    expect([found.value, found.key].map(({ line, column }) => `${line}:${column}`)).toEqual([value, key]);
  });
});
