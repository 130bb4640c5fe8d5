import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readPrinted, readReport } from "./read-report.js";

const told = (text: string) => {
  const { format, findings } = readReport(text, "auto");
  return [format, ...findings.map(({ status, name }) => `${status} ${name}`)];
};
const passed = (count: number) => Array.from({ length: count }, () => "passed a test without a name");

const VITEST = `
 RUN  v4.1.12 /ws

 ❯ a.test.ts (4 tests | 1 failed | 1 skipped | 1 todo) 28ms
     ✓ adds 1ms
     × breaks 25ms
stdout | b.test.ts > fine too
{ noise: 1 }

 ✓ b.test.ts (2 tests) 4ms
 ❯ c.test.ts (0 test)

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  c.test.ts [ c.test.ts ]
Error: Cannot find module './nothing-here' imported from /ws/c.test.ts

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.ts > sum > breaks
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  2 failed | 1 passed (3)
      Tests  1 failed | 3 passed | 1 skipped | 1 todo (6)
`;

const JEST = `PASS src/b.test.js
FAIL src/a.test.js (5.2 s)
  ● Console

    console.log
      said

  ● sum › breaks

    expect(received).toBe(expected)

Summary of all failing tests
FAIL src/a.test.js
  ● sum › breaks

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 3 passed, 5 total
`;

const MOCHA = `

  sum
    ✔ adds
    1) breaks


  1 passing (4ms)
  1 failing

  1) sum
       breaks:

      AssertionError [ERR_ASSERTION]: 1 == 2
      at Context.<anonymous> (a.test.js:4:12)

`;

describe("what runners print for people", () => {
  it("reads Vitest, also of several packages and of none", () => {
    expect(told(VITEST)).toEqual(["jest", "failed c.test.ts loads", "failed a.test.ts > sum > breaks", ...passed(3)]);
    expect(readReport(VITEST, "auto").findings[1]?.message).toContain("expected 1 to be 2");
    expect(told(VITEST + VITEST)).toHaveLength(1 + 2 * 5);
    expect(told("No test files found, exiting with code 0\n")).toEqual(["jest"]);
  });

  it("reads Jest, each failure once", () => {
    expect(told(JEST)).toEqual(["jest", "failed sum > breaks", ...passed(3)]);
  });

  it("reads Mocha", () => {
    expect(told(MOCHA)).toEqual(["spec", "failed sum > breaks", ...passed(1)]);
    expect(told("\n\n  0 passing (1ms)\n\n")).toEqual(["spec"]);
  });

  it("reads ESLint's list, errors and not warnings", () => {
    const text = `
/ws/src/a.js
   1:10  error    'x' is defined but never used  no-unused-vars
  20:1   warning  Unexpected console statement   no-console

/ws/src/b.js
  3:1  error  Parsing error: Unexpected token

✖ 3 problems (2 errors, 1 warning)
`;
    expect(told(text)).toEqual(["eslint", "failed src/a.js no-unused-vars", "failed src/b.js syntax"]);
  });

  it("reads quiet pytest, and pytest of several processes", () => {
    const quiet =
      ".F.s\nERROR something in a log\nFAILED t.py::test_x - boom\n1 failed, 2 passed, 1 skipped in 3.60s\n";
    expect(told(quiet)).toEqual(["pytest", "failed t.py::test_x", ...passed(2)]);
    const many = `===== test session starts =====
[gw0] [ 50%] PASSED t.py::test_a
[gw1] [100%] FAILED t.py::test_b
===== 1 failed, 1 passed in 0.5s =====`;
    expect(told(many)).toEqual(["pytest", "passed t.py::test_a", "failed t.py::test_b"]);
  });
});

describe("a report among other things", () => {
  const jest = (title: string, status = "passed") =>
    JSON.stringify({
      numTotalTests: 1,
      snapshot: { added: 0 },
      testResults: [{ name: "/ws/a.test.ts", assertionResults: [{ title, status, ancestorTitles: [] }] }],
    });

  it("is found behind what looks like one, and there may be several", () => {
    const text = `{ noise: 1 }\n{"level":"info"}\n${jest("one")}\nnpm notice { new version }\n${jest("two", "failed")}\n}`;
    expect(told(text)).toEqual(["jest", "passed one", "failed two"]);
    expect(told(jest("alone"))).toEqual(["jest", "passed alone"]);
    const lint = `[warning] deprecated\n[{"filePath":"/ws/a.js","messages":[{"ruleId":"x","severity":2,"message":"no"}]}]\n[done]`;
    expect(told(lint)).toEqual(["eslint", "failed a.js x"]);
  });

  it("is read from standard output when warnings fell into the middle of it", () => {
    const stdout = JSON.stringify(JSON.parse(jest("one")), null, 1);
    const all = stdout.replace("\n", "\n(node:1) Warning: old\n");
    expect(readReport(all, "auto").findings).toEqual([]);
    expect(readPrinted({ stdout, all }, "auto").findings.map(({ name }) => name)).toEqual(["one"]);
  });

  it("may be JUnit with lines behind it, several of them, and suites that fail as a whole", () => {
    const xml = (inner: string) => `<?xml version="1.0"?>\n<testsuite name="s">${inner}</testsuite>\nDone in 3s.\n`;
    expect(told(xml('<testcase name="a"/>') + xml('<error message="no database"/>'))).toEqual([
      "junit",
      "passed a",
      "failed s as a whole",
    ]);
  });

  it("may be TAP of several packages; a plan that one of them did not keep is seen", () => {
    expect(told("TAP version 13\nok 1 - a\n1..1\nTAP version 13\nok 1 - b\n1..1\n")).toEqual([
      "tap",
      "passed a",
      "passed b",
    ]);
    expect(told("1..1\nok 1 - a\n1..3\nok 1 - b\n")).toContain("failed TAP plan");
  });
});

describe("for any part of a report", () => {
  it("neither throws nor takes long, however large it is", () => {
    for (const text of [VITEST, JEST, MOCHA]) for (let end = 0; end < text.length; end += 7) told(text.slice(0, end));
    const points = Array.from({ length: 50_000 }, (_, i) => `ok ${i + 1} - test ${i}`).join("\n");
    expect(told(`TAP version 13\n${points}\n1..50000`)).toHaveLength(50_001);
    const braces = `${"{\n".repeat(50_000)}"testResults"`;
    expect(told(braces)).toEqual(["exit_code"]);
  });
});

describe("Node's own runner, as it prints for people", () => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-reports-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is read with all names", () => {
    writeFileSync(
      join(folder, "a.test.mjs"),
      `import { test, describe } from "node:test"; import assert from "node:assert";
       describe("numbers", () => { test("add", () => {}); test("break", () => assert.equal(1, 2)); test.skip("wait", () => {}); });
       test("alone", () => {});`,
    );
    let text = "";
    try {
      const env = { PATH: process.env["PATH"] };
      execFileSync(process.execPath, ["--test", "--test-reporter=spec", "a.test.mjs"], { cwd: folder, env });
    } catch (error) {
      text = (error as { stdout: Buffer }).stdout.toString();
    }
    expect(told(text)).toEqual([
      "spec",
      "passed numbers > add",
      "failed numbers > break",
      "skipped numbers > wait",
      "passed alone",
    ]);
  });
});
