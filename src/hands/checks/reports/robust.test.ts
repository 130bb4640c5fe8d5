import { array, assert, constantFrom, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { ReportFormat } from "../../../model/settings/check.js";
import { readReport } from "./read-report.js";

/* One whole report of each form, with a test that passes behind one that fails, and names nobody would choose. */

const jest = (title: string) =>
  JSON.stringify({
    testResults: [
      {
        name: "/ws/a.test.ts",
        assertionResults: [
          { title: `${title} / "quoted"\nnext`, status: "passed", ancestorTitles: ["a > b"] },
          { title, status: "failed", ancestorTitles: [] },
        ],
      },
    ],
  });
const go = (pack: string) =>
  [
    { Action: "start", Package: pack },
    { Action: "run", Package: pack, Test: "TestA/with_/slash" },
    { Action: "pass", Package: pack, Test: "TestA/with_/slash" },
    { Action: "fail", Package: pack, Test: "TestB" },
    { Action: "fail", Package: pack },
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");

const TESTS: Readonly<Record<string, string>> = {
  tap: `TAP version 13\nok 1 - a/b "c"\nok 2 - a[1-2]\nok 3 - a[1-2]\nnot ok 4 - d\nok 5 - e\n1..5\n`,
  junit: `<?xml version="1.0"?>\n<testsuites><testsuite name="s"><testcase classname="a/b" name="p[&quot;x&#10;y&quot;]"/>\n<testcase classname="a/b" name="q"><failure message="no"/></testcase></testsuite>\n</testsuites>\n`,
  jest: `${jest("one")}\n`,
  go: `${go("m/p")}\n`,
  pytest: `===== test session starts =====\nt.py::test_a[x/y "z" - 1] PASSED [ 50%]\nt.py::test_b FAILED [100%]\nFAILED t.py::test_b - no\n===== 1 failed, 1 passed in 0.12s =====\n`,
  unittest: `test_a (t.A.test_a) ... ok\ntest_b (t.A.test_b) ... FAIL\n\n======\nFAIL: test_b (t.A.test_b)\n------\nAssertionError\n\n------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n`,
  cargo: `     Running tests/t.rs (target/debug/deps/t-8ec9a6392d3cf4e9)\n\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n`,
  spec: `▶ numbers\n  ✔ add (1ms)\n  ✖ break (1ms)\n▶ numbers (2ms)\nℹ tests 2\nℹ suites 1\nℹ pass 1\nℹ fail 1\nℹ duration_ms 50\n`,
  mocha: `\n  sum\n    ✔ adds\n    1) breaks\n\n\n  1 passing (4ms)\n  1 failing\n\n  1) sum\n       breaks:\n\n      AssertionError\n`,
  vitest: ` RUN  v4.1.12 /ws\n\n ✓ b.test.ts (2 tests) 4ms\n\n FAIL  a.test.ts > sum > breaks\nAssertionError\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed (3)\n`,
  "jest, for people": `PASS src/b.test.js\nFAIL src/a.test.js\n  ● sum › breaks\n\n    no\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 3 passed, 4 total\n`,
};

const statuses = (text: string) => readReport(text, "auto", "test").findings;
const count = (text: string, status: string) => statuses(text).filter((each) => each.status === status).length;
const cases = Object.entries(TESTS);

describe("a report that breaks off", () => {
  it.each(cases)("is never taken for a whole one that passed: %s", (_, text) => {
    const failed = count(text, "failed");
    expect(failed).toBeGreaterThan(0);
    for (let end = 0; end < text.length; end++) {
      const part = text.slice(0, end);
      // Passed tests without a failed one among them would stand for the whole.
      if (count(part, "passed") > 0) expect([end, count(part, "failed") > 0]).toEqual([end, true]);
    }
  });

  it.each(cases)("is seen behind a whole one: %s", (_, text) => {
    const once = count(text, "failed");
    expect(count(`${text}${text}`, "passed")).toBeGreaterThanOrEqual(count(text, "passed"));
    for (let end = Math.floor(text.length / 2); end < text.length - 30; end += 3) {
      const both = `${text}${text.slice(0, end)}`;
      if (count(both, "passed") > count(text, "passed"))
        expect([end, count(both, "failed") > once]).toEqual([end, true]);
    }
  });
});

describe("a report as it comes", () => {
  it.each(cases)("is read alike with colours, links, line ends of Windows and other lines around it: %s", (_, text) => {
    const told = (each: string) => statuses(each).map(({ id, status }) => `${status} ${id}`);
    const whole = told(text);
    expect(told(text.replaceAll("\n", "\r\n")).map((each) => each.replaceAll("\r\n", "\n"))).toEqual(whole);
    expect(told(`> x@1.0.0 test\n> run\n\n${text}\nnpm notice new version\nDone in 3s.\n`)).toEqual(whole);
    if (text.startsWith("{") || text.startsWith("<")) return;
    const link = "\u001B]8;;file:///ws/a\u001B\\";
    expect(told(text.replaceAll(/\b(?:ok|passed|failed|FAILED|FAIL)\b/g, `${link}\u001B[31m$&\u001B[39m`))).toEqual(
      whole,
    );
  });

  it("makes no reader throw, whatever was torn, mixed and repeated", () => {
    const pieces = [
      ...Object.values(TESTS),
      "a.py:1:1: F401 x\nFound 2 errors.\n",
      '{"runs":[',
      '[{"filename"',
      "✖ 3 problems (3 errors, 0 warnings)\n",
    ];
    const piece = property(
      array(constantFrom(...pieces), { maxLength: 4 }),
      array(integer({ min: 0, max: 2000 }), { maxLength: 4 }),
      string({ unit: "binary", maxLength: 40 }),
      constantFrom(...ReportFormat.options),
      (texts, cuts, noise, format) => {
        let text = texts.join("\n");
        for (const cut of cuts) text = text.slice(0, cut) + noise + text.slice(cut + noise.length);
        for (const { id, name } of readReport(text, format).findings) expect(`${id}${name}`).not.toContain("undefined");
      },
    );
    assert(piece, { numRuns: 100 });
  });

  /** Work grows with the text: forms that would take the square of it do not come to an end here. */
  it("comes to an end when it is large", () => {
    const large = (line: string) => line.repeat(Math.ceil(500_000 / line.length));
    const lines = [
      '{"testResults"\n',
      '{"comments": [\n"level"\n',
      '"filePath" "filename" "runs"\n',
      "---- a stdout ----\ntest a ... FAILED\nrunning 1 test\n",
      "# m/p\n./a.go:1:1: x\n",
      `a.c:1:1: error:${" ".repeat(3000)}x\n`,
      '<testsuite name="a">\n',
      `not ok 1 - a\n${"    ok 1 - b\n".repeat(3)}`,
      `${JSON.stringify({ Action: "fail", Package: "p", Test: "T" })}\n`,
      "\u001B]8;;x",
      "  1) a\n",
      "===== test session starts =====\nt.py::a PASSED\n",
    ];
    for (const line of lines) for (const kind of ["test", "lint"] as const) readReport(large(line), "auto", kind);
  }, 120_000);
});
