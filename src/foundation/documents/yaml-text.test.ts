import { describe, expect, test } from "vitest";
import { parseYaml, type YamlDocument } from "./yaml-text.js";

function problems(text: string): string[] {
  const result = parseYaml(text, "a.yaml");
  if (result.ok) return [];
  for (const { file } of result.diagnostics) expect(file).toBe("a.yaml");
  return result.diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
}

function documents(text: string): readonly YamlDocument[] {
  const result = parseYaml(text, "a.yaml");
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.documents;
}

describe("parseYaml [S4-094]", () => {
  test("reads every document of a stream and leaves empty ones out", () => {
    const text = "# head\n---\na: 1\n---\n---\n# nothing\n---\n- x\n...\n";
    expect(documents(text).map(({ value }) => value)).toEqual([{ a: 1 }, ["x"]]);
    expect(documents("")).toEqual([]);
    expect(documents("# only a comment\n")).toEqual([]);
    expect(documents("\ufeffa: 1\r\nb: yes\r\n")[0]?.value).toEqual({ a: 1, b: "yes" });
  });

  test("keeps to the core schema: no dates, no merge keys, no yes and no", () => {
    const text = '%YAML 1.1\n---\nday: 2026-01-25\nanswer: yes\n"<<": {x: 1}\nversion: 1.0.0\nn: 0o17\n';
    expect(documents(text)[0]?.value).toEqual({
      day: "2026-01-25",
      answer: "yes",
      "<<": { x: 1 },
      version: "1.0.0",
      n: 15,
    });
  });

  test.each<[text: string, expected: string[]]>([
    ["a: 1\n b: 2\n", ["DOCUMENT_SYNTAX 1:4"]],
    ["a: [1, 2\n", ["DOCUMENT_SYNTAX 2:1"]],
    ['a: "open\n', ["DOCUMENT_SYNTAX 2:1"]],
    ["a: !custom 1\n", ["DOCUMENT_SYNTAX 1:4"]],
    ["a: !!binary aGk=\n", ["DOCUMENT_SYNTAX 1:4"]],
    ["? [1]\n: 2\n", ["DOCUMENT_SYNTAX 1:3"]],
    ["a: 1\nb: 2\na: 3\n", ["DOCUMENT_DUPLICATE_KEY 3:1"]],
    ["- x: 1\n  x: 2\n", ["DOCUMENT_DUPLICATE_KEY 2:3"]],
    ["__proto__: 1\n", ["DOCUMENT_FORBIDDEN_KEY 1:1"]],
    ['a: "x\\0"\n', ["DOCUMENT_NUL 1:4"]],
    ["a: x\0\n", ["DOCUMENT_NUL 1:5"]],
    ['a: "\\ud800"\n', ["DOCUMENT_SURROGATE 1:4"]],
    ["a: *nowhere\n", ["DOCUMENT_ALIASES 1:4"]],
    ["a: &x [1, *x]\n", ["DOCUMENT_ALIASES 1:11"]],
    ["a: &x 1\nb: *x\n", []],
  ])("%j", (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test("refuses an alias bomb", () => {
    const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]`);
    const bomb = ["a0: &a0 lol", ...levels].join("\n");
    expect(problems(bomb)).toEqual(["DOCUMENT_ALIASES 1:1"]);
    expect(problems(`a: &a [x]\nb: [${"*a,".repeat(101)}]`)).toEqual(["DOCUMENT_ALIASES 2:305"]);
  });

  test("refuses deep nesting of every kind without running out of stack", () => {
    expect(problems("[".repeat(200_000))).toEqual(["DOCUMENT_TOO_DEEP 1:65"]);
    expect(problems("- ".repeat(5_000))).toEqual(["DOCUMENT_TOO_DEEP 1:129"]);
    expect(problems("[".repeat(64) + "]".repeat(64))).toEqual([]);
  });

  test("finds a duplicate among very many keys in good time", () => {
    const keys = Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`);
    expect(problems([...keys, "k7: 2"].join("\n"))).toEqual(["DOCUMENT_DUPLICATE_KEY 50001:1"]);
  });

  test("refuses a text over four mebibytes", () => {
    expect(problems(`a: ${"x".repeat(4 * 1024 * 1024)}`)).toEqual(["DOCUMENT_TOO_LARGE undefined:undefined"]);
  });
});

describe("where things stand", () => {
  const text = [
    "# comment",
    "id: deny_secrets",
    "then:",
    "  reason: |-",
    "    first",
    "    second",
    "list:",
    "  - a: 1",
    '  - "quoted"',
    "empty:",
    "folded: >-",
    "",
    "      text",
  ].join("\n");

  test.each<[path: (string | number)[], value: string, key: string, textAt: string]>([
    [[], "2:1", "2:1", "2:1"],
    [["id"], "2:5", "2:1", "2:5"],
    [["then"], "4:3", "3:1", "4:3"],
    [["then", "reason"], "4:11", "4:3", "5:5"],
    [["then", "missing"], "4:3", "3:1", "4:3"],
    [["list", 0, "a"], "8:8", "8:5", "8:8"],
    [["list", 1], "9:5", "9:5", "9:6"],
    [["list", 7, "x"], "8:3", "7:1", "8:3"],
    [["folded"], "11:9", "11:1", "13:7"],
  ])("%j", (path, value, key, textAt) => {
    const [document] = documents(text);
    const places = [document?.locate(path), document?.locateKey(path), document?.locateText(path)];
    expect(places.map((place) => `${place?.line}:${place?.column}`)).toEqual([value, key, textAt]);
  });
});
