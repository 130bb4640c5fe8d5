import { describe, expect, it } from "vitest";
import { codeNamesIn, nameTokens, titlePrefixOf } from "./said-names.js";

const names = (text: string) => codeNamesIn(text).map(({ of, name }) => [...of, name].join("."));

describe("names written as code", () => {
  it.each([
    ["Fix `extend()` dropping numeric `retry` limit", ["extend", "retry"]],
    ["orderService and order_service and HTTPError", ["orderService", "order_service", "HTTPError"]],
    ["Add support of `pathlib.Path`", ["pathlib", "pathlib.Path"]],
    ["Fix QuerySet.in_bulk() when the list is empty", ["QuerySet", "QuerySet.in_bulk"]],
    ["allow `-h`, `--help` and --json", []],
    ["Update GitHub and TypeScript for PowerShell", []],
    ["Improve `Retry-After` and the Content-Type header", []],
    ['Say "cannot readFile here" when it fails', []],
    ["See https://example.com/someThing", []],
    ["```\nsomeCode()\n```\n<!-- otherCode -->", []],
    ["Fix the rounding in src/total.ts and Node.js", []],
  ])("of %j", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("are found in time that grows with the text", () => {
    const before = performance.now();
    for (const part of ["a.", "`a", "a(", "a-", '"a ', "](", "<!--", "```", "a::", "x://"])
      codeNamesIn(part.repeat(20_000));
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe("what stands in front of a title's colon", () => {
  it.each([
    ["fix(parser): a", { type: "fix", parts: ["parser"] }],
    ["feat(a, b)!: c", { type: "feat", parts: ["a", "b"] }],
    ["middleware: harden it", { type: null, parts: ["middleware"] }],
    ["docs: a", { type: "docs", parts: [] }],
    ["Fix the parser", null],
    ["Note: this is one", { type: null, parts: ["Note"] }],
  ])("of %j", (text, expected) => {
    expect(titlePrefixOf(text)).toEqual(expected);
  });
});

it("tokens are what could be called so in a repository, without punctuation and lines", () => {
  expect([...nameTokens("Fix `src/Total.ts:12`, (see README.md).")]).toEqual([
    "fix",
    "src/total.ts",
    "see",
    "readme.md",
  ]);
});
