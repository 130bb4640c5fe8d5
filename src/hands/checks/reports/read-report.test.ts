import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readReport } from "./read-report.js";

const told = (text: string, format: Parameters<typeof readReport>[1] = "auto") => {
  const { format: found, findings } = readReport(text, format);
  return [found, ...findings.map(({ status, name }) => `${status} ${name}`)];
};

const two = ["passed a test without a name", "passed a test without a name"];

describe("what programs report, down to single tests and messages", () => {
  it("reads TAP with subtests, directives and a plan that was not kept", () => {
    const tap = `TAP version 14
# Subtest: adds
    # Subtest: small numbers
    ok 1 - small numbers
    # Subtest: large numbers
    not ok 2 - large numbers
      ---
      error: 'expected 4'
      ...
    1..2
not ok 1 - adds
ok 2 - subtracts # SKIP not today
ok 3 - divides
1..4`;
    expect(told(tap)).toEqual([
      "tap",
      "passed adds > small numbers",
      "failed adds > large numbers",
      "skipped subtracts",
      "passed divides",
      "failed TAP plan",
    ]);
    expect(readReport(tap, "tap").findings[1]?.message).toContain("expected 4");
  });

  it("reads JUnit, and does not take a torn report for a whole one", () => {
    const xml = `<?xml version="1.0"?><testsuites><testsuite name="s">
      <testcase classname="math" name="adds" file="./a.py" line="3"/>
      <testcase classname="math" name="divides"><failure message="by &lt;zero&gt;">trace</failure></testcase>
      <testcase classname="math" name="later"><skipped/></testcase></testsuite></testsuites>`;
    expect(told(xml)).toEqual(["junit", "passed math > adds", "failed math > divides", "skipped math > later"]);
    expect(readReport(xml, "junit").findings[1]?.message).toBe("by <zero>\ntrace");
    expect(told(xml.slice(0, -40))).toContain("failed JUnit report");
  });

  it("reads the JSON of Jest and Vitest, also a file that does not load", () => {
    const report = {
      testResults: [
        {
          name: "/ws/src/a.test.ts",
          status: "failed",
          assertionResults: [
            { ancestorTitles: ["a"], title: "works", status: "passed", failureMessages: [] },
            { ancestorTitles: ["a"], title: "later", status: "pending", failureMessages: [] },
            { ancestorTitles: [], title: "breaks", status: "failed", failureMessages: ["no"], location: { line: 7 } },
          ],
        },
        { name: "/ws/b.test.ts", status: "failed", message: "Cannot find module", assertionResults: [] },
      ],
    };
    expect(told(`RUN v4\n${JSON.stringify(report)}\nDone`)).toEqual([
      "jest",
      "passed a > works",
      "skipped a > later",
      "failed breaks",
      "failed b.test.ts loads",
    ]);
    expect(readReport(JSON.stringify(report), "auto").findings[2]).toMatchObject({ file: "src/a.test.ts", line: 7 });
  });

  it("reads pytest with names and without", () => {
    const verbose = `============ test session starts ============
tests/test_a.py::test_one PASSED   [ 33%]
tests/test_a.py::test_two[a b] FAILED   [ 66%]
tests/test_a.py::test_three SKIPPED (no)   [100%]
FAILED tests/test_a.py::test_two[a b] - assert 1 == 2
========= 1 failed, 1 passed, 1 skipped in 0.12s =========`;
    expect(told(verbose)).toEqual([
      "pytest",
      "passed tests/test_a.py::test_one",
      "failed tests/test_a.py::test_two[a b]",
      "skipped tests/test_a.py::test_three",
    ]);
    const brief = "..F\nFAILED t.py::test_x - boom\n==== 1 failed, 2 passed in 0.01s ====";
    expect(told(brief)).toEqual(["pytest", "failed t.py::test_x", ...two]);
  });

  it("reads Python's own tests with names and without", () => {
    const verbose = `test_bad (test_a.A.test_bad) ... FAIL
test_doc (test_a.A.test_doc)
A line about it. ... noise
ok
test_later (test_a.A.test_later) ... skipped 'later'
test_sub (test_a.A.test_sub) ... \n  test_sub (test_a.A.test_sub) (i=1) ... FAIL
test_b (unittest.loader._FailedTest.test_b) ... ERROR

======================================================================
FAIL: test_bad (test_a.A.test_bad)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 5 tests in 0.001s

FAILED (failures=2, errors=1, skipped=1)`;
    expect(told(verbose)).toEqual([
      "unittest",
      "failed test_bad (test_a.A.test_bad)",
      "passed test_doc (test_a.A.test_doc)",
      "skipped test_later (test_a.A.test_later)",
      "failed test_sub (test_a.A.test_sub)",
      "failed test_b (unittest.loader._FailedTest.test_b)",
    ]);
    expect(readReport(verbose, "auto").findings[0]?.message).toBe("AssertionError: 1 != 2");
    expect(told("..\n-----\nRan 2 tests in 0.000s\n\nOK")).toEqual(["unittest", ...two]);
    expect(told("-----\nRan 0 tests in 0.000s\n\nNO TESTS RAN")).toEqual(["unittest"]);
  });

  it("reads go test -json, where a package fails with its tests or alone", () => {
    const lines = [
      { Action: "output", Package: "p", Test: "TestA", Output: "want 1\n" },
      { Action: "fail", Package: "p", Test: "TestA" },
      { Action: "pass", Package: "p", Test: "TestB" },
      { Action: "fail", Package: "p" },
      { Action: "output", Package: "q", Output: "does not build\n" },
      { Action: "fail", Package: "q" },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    expect(told(text)).toEqual(["go", "failed p TestA", "passed p TestB", "failed q (package)"]);
    expect(told(`${text}\nFAIL\tm/r [build failed]\n`)).toContain("failed m/r (package)");
    expect(readReport(text, "go").findings[0]?.message).toBe("want 1");
  });

  it("reads ESLint's errors and leaves its warnings", () => {
    const message = (ruleId: string, severity: number) => ({ ruleId, severity, message: "no", line: 2 });
    const report = [{ filePath: "/ws/src/a.js", messages: [message("no-undef", 2), message("semi", 1)] }];
    expect(told(JSON.stringify(report))).toEqual(["eslint", "failed src/a.js no-undef"]);
  });

  it("gives a compiler's message the same id when only its line moved", () => {
    const at = (line: number) => readReport(`src/a.ts(${line},5): error TS2304: Cannot find name 'x'.`, "auto");
    expect(at(3).format).toBe("tsc");
    expect(at(3).findings[0]?.id).toBe(at(90).findings[0]?.id);
    expect(at(3).findings[0]?.line).not.toBe(at(90).findings[0]?.line);
  });

  it("knows nothing but the exit code of a text it cannot read", () => {
    expect(told("All good!\nok then")).toEqual(["exit_code"]);
    expect(told("TAP version 13\nok 1 - a", "exit_code")).toEqual(["exit_code"]);
  });
});

describe("what Node's own test runner really prints", () => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-reports-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, "a.test.mjs"),
    `import { test, describe } from "node:test"; import assert from "node:assert";
     describe("numbers", () => { test("add", () => {}); test("break", () => assert.equal(1, 2)); test.skip("wait", () => {}); });`,
  );
  const run = (reporter: string) => {
    try {
      // The runner changes its ways inside of another one.
      const env = { PATH: process.env["PATH"] };
      return execFileSync(process.execPath, ["--test", `--test-reporter=${reporter}`, "a.test.mjs"], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  it.each(["tap", "junit"])("%s", (reporter) => {
    const [format, ...rest] = told(run(reporter));
    expect(format).toBe(reporter);
    expect(rest.map((line) => line.replace(/ \S* ?> /g, " ").replace(/numbers > /, "")).sort()).toEqual([
      "failed break",
      "passed add",
      "skipped wait",
    ]);
  });
});

describe("go test -v", () => {
  const PRINTED = `# ex/a [ex/a.test]
a/a.go:2:23: undefined: undefinedThing
FAIL	ex/a [build failed]
=== RUN   TestG
--- PASS: TestG (0.00s)
=== RUN   TestH
=== RUN   TestH/sub_one
    b_test.go:4: got 1, want 2
--- FAIL: TestH (0.00s)
    --- FAIL: TestH/sub_one (0.00s)
FAIL
FAIL	ex/b	0.010s
FAIL
`;

  it("names every test, and a package that does not build beside those that ran", () => {
    const { format, findings } = readReport(PRINTED, "auto", "test");
    expect(format).toBe("go");
    expect(findings.map(({ name, status }) => `${status} ${name}`)).toEqual([
      "failed ex/a (package)",
      "passed ex/b TestG",
      "failed ex/b TestH",
      "failed ex/b TestH/sub_one",
    ]);
  });

  it("is not guessed at without -v: of those that pass nothing would be known", () => {
    expect(readReport("ok  \tex/b\t0.011s\nFAIL\tex/a [build failed]\nFAIL\n", "auto", "test").format).toBe(
      "exit_code",
    );
  });

  it("tells what a test said, and not where it began", () => {
    const line = (Output: string) =>
      JSON.stringify({ Time: "2026-11-16T07:43:22Z", Action: "output", Package: "p", Test: "TestX", Output });
    const end = (Test?: string) => JSON.stringify({ Time: "2026", Action: "fail", Package: "p", Test });
    const said = [
      line("=== RUN   TestX\n"),
      line("    x_test.go:4: got 1, want 2\n"),
      line("--- FAIL: TestX (0.00s)\n"),
      end("TestX"),
      end(),
    ];
    expect(readReport(said.join("\n"), "auto", "test").findings[0]?.message).toBe("x_test.go:4: got 1, want 2");
  });
});
