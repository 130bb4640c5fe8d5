import { describe, expect, it } from "vitest";
import type { CheckResult, Finding } from "../../model/settings/check.js";
import { Requirement, type Verification } from "../../model/intent-spec.js";
import { commandCheck, judgeRequirement, type SeenTree } from "./judge-requirements.js";

const TREE = "0123456789abcdef0123";
const test = (name: string, status: Finding["status"]): Finding => ({
  id: `test:${name}`,
  name,
  status,
  message: "",
  file: null,
  line: null,
});

function result(check: string, difference: Partial<CheckResult> = {}): CheckResult {
  return {
    check,
    kind: "test",
    command: `run ${check}`,
    tree: TREE,
    exit_code: 0,
    ended: "exited",
    format: "tap",
    findings: [],
    output: "",
    output_sha256: "",
    ...difference,
  };
}

const FILES: Readonly<Record<string, string | null>> = {
  "src/export.ts": "export const rows = [];\n",
  "docs/guide.md": "How to export\n",
  "docs/picture.png": null,
};

function judge(verification: unknown, results: readonly CheckResult[] = [], again: readonly CheckResult[] = []) {
  const requirement = Requirement.parse({
    id: "REQ-1",
    description: "It is so.",
    source: "request: so",
    verification: verification as Verification,
  });
  const seen: SeenTree = {
    tree: TREE,
    paths: Object.keys(FILES),
    text: (path) => FILES[path] ?? null,
    results: new Map(results.map((each) => [each.check, each])),
    again: new Map(again.map((each) => [each.check, each])),
    tests: ["unit"],
  };
  return judgeRequirement(requirement, seen);
}

const command = commandCheck("REQ-1");

describe("a requirement", () => {
  it.each<[string, unknown, readonly CheckResult[], boolean | null, RegExp]>([
    ["a file that is there", { kind: "file_exists", path: "src/*.ts" }, [], true, /there is src\/export.ts/],
    ["a file that is not there", { kind: "file_exists", path: "src/import.ts" }, [], false, /there is no/],
    ["the absence of a file", { kind: "file_exists", path: "src/import.ts", exists: false }, [], true, /there is no/],
    ["a file that may not be", { kind: "file_exists", path: "src/**", exists: false }, [], false, /there is src/],
    ["a path that leaves", { kind: "file_exists", path: "../x" }, [], null, /not a path inside/],
    ["a text that is there", { kind: "file_contains", path: "docs/*.md", text: "export" }, [], true, /contains/],
    ["a text that is not", { kind: "file_contains", path: "docs/*.md", text: "import" }, [], false, /none of 1/],
    ["no file to hold it", { kind: "file_contains", path: "x/*", text: "import" }, [], false, /there is no x/],
    ["no text, as asked", { kind: "file_contains", path: "src/*", text: "eval", contains: false }, [], true, /none/],
    ["a text that may not be", { kind: "file_contains", path: "**", text: "rows", contains: false }, [], false, /src/],
    ["what cannot be read", { kind: "file_contains", path: "docs/*", text: "zzz", contains: false }, [], null, /png/],
    ["a command that does", { kind: "command", run: "go" }, [result(command)], true, /`go` ended with exit code 0/],
    [
      "a command that does not",
      { kind: "command", run: "go" },
      [result(command, { exit_code: 3, output: "a\nno rows\n" })],
      false,
      /exit code 3 and not with 0, its last line: no rows/,
    ],
    [
      "a command that must fail",
      { kind: "command", run: "go", exit_code: 2 },
      [result(command, { exit_code: 2 })],
      true,
      /exit code 2/,
    ],
    [
      "a command that hangs",
      { kind: "command", run: "go" },
      [result(command, { ended: "timed_out", exit_code: null })],
      null,
      /timed out/,
    ],
    ["a command nobody ran", { kind: "command", run: "go" }, [], null, /was not run/],
    ["a check that passes", { kind: "check", name: "unit" }, [result("unit")], true, /run unit/],
    [
      "a check that fails",
      { kind: "check", name: "unit" },
      [result("unit", { exit_code: 1, findings: [test("a", "failed")] })],
      false,
      /1 failed, the first is a/,
    ],
    ["no such check", { kind: "check", name: "speed" }, [result("unit")], null, /no check speed/],
    [
      "a test that passes, in a check that does not",
      { kind: "test", name: "exports" },
      [result("unit", { exit_code: 1, findings: [test("it exports rows", "passed"), test("other", "failed")] })],
      true,
      /passed: "it exports rows"/,
    ],
    [
      "a test of which another one fails",
      { kind: "test", name: "exports" },
      [result("unit", { findings: [test("exports a", "passed"), test("exports b", "failed")] })],
      false,
      /"exports b" fails/,
    ],
    [
      "a test that is skipped",
      { kind: "test", name: "exports" },
      [result("unit", { findings: [test("exports", "skipped")] })],
      false,
      /was skipped/,
    ],
    [
      "a test that is not there",
      { kind: "test", name: "exports" },
      [result("unit", { findings: [test("other", "passed")] })],
      false,
      /no test named "exports" ran/,
    ],
    [
      "tests nobody can tell apart",
      { kind: "test", name: "exports" },
      [result("unit", { format: "exit_code" })],
      null,
      /does not say/,
    ],
    ["a test of no check", { kind: "test", name: "exports", check: "speed" }, [], null, /no check speed/],
  ])("is judged by %s [S0-055]", (_, verification, results, holds, evidence) => {
    const judged = judge(verification, results);
    expect(judged).toMatchObject({ id: "REQ-1", holds });
    expect(judged.evidence).toMatch(evidence);
    expect(judged.evidence).toContain("(tree 0123456789ab)");
  });

  it("that holds on the second run only says so", () => {
    const bad = result("unit", { exit_code: 1, findings: [test("exports", "failed")] });
    const good = result("unit", { findings: [test("exports", "passed")] });
    for (const verification of [
      { kind: "check", name: "unit" },
      { kind: "test", name: "exports" },
    ])
      expect(judge(verification, [bad], [good])).toMatchObject({
        holds: true,
        evidence: expect.stringContaining("on the second run only") as unknown,
      });
    expect(judge({ kind: "command", run: "go" }, [result(command, { exit_code: 1 })], [result(command)])).toMatchObject(
      { holds: true, evidence: expect.stringContaining("on the second run only") as unknown },
    );
    expect(judge({ kind: "check", name: "unit" }, [bad], [bad])).toMatchObject({ holds: false });
  });
});
