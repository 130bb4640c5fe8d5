import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../model/settings/check.js";
import { causeText, proofOf } from "./proof.js";
import { readPrinted } from "./reports/read-report.js";

/** A check that printed this and ended so, read as it is read in a run. */
function ran(output: string, exit_code = 1, kind: CheckResult["kind"] = "test"): CheckResult {
  const read = readPrinted({ stdout: output, all: output }, "auto", kind);
  const about = { check: "test", kind, command: "npm test", tree: "t", exit_code, ended: "exited" as const };
  return { ...about, ...read, output, output_sha256: "" };
}

/* Output of the programs, as they were run: dash, bash, npm 11, make 4.3, go 1.19, cargo 1.95, pytest 9, Node 20. */

const NPM_MISSING = "\n> test\n> xo && ava\n\nsh: 1: xo: not found\n";
const NPM_NO_SCRIPT = `npm error Missing script: "nope"
npm error
npm error To see a list of scripts, run:
npm error   npm run
`;
const NODE_NO_MODULE = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/ws/nothere.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
  code: 'MODULE_NOT_FOUND',
`;
const GO_MISSING = "a/a.go:2:8: package slices is not in GOROOT (/usr/lib/go-1.19/src/slices)\n";
const GO_UNBUILT = `# ex/a [ex/a.test]
a/a.go:2:23: undefined: undefinedThing
FAIL	ex/a [build failed]
FAIL
`;
const GO_PARTLY = `# ex/a [ex/a.test]
a/a.go:2:23: undefined: undefinedThing
FAIL	ex/a [build failed]
{"Time":"2026-11-16T07:43:22Z","Action":"run","Package":"ex/b","Test":"TestG"}
{"Time":"2026-11-16T07:43:22Z","Action":"pass","Package":"ex/b","Test":"TestG","Elapsed":0}
{"Time":"2026-11-16T07:43:22Z","Action":"pass","Package":"ex/b","Elapsed":0.011}
`;
const GO_NO_TESTS = "?   \tex/a\t[no test files]\n?   \tex/b\t[no test files]\n";
const PYTEST_COLLECTION = `============================= test session starts ==============================
collecting ... collected 2 items / 1 error

==================================== ERRORS ====================================
______________________ ERROR collecting tests/test_bad.py ______________________
ImportError while importing test module '/ws/tests/test_bad.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
tests/test_bad.py:1: in <module>
    import nothere_x
E   ModuleNotFoundError: No module named 'nothere_x'
=========================== short test summary info ============================
ERROR tests/test_bad.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 3.24s ===============================
`;
const PYTEST_PARTLY = `============================= test session starts ==============================
collecting ... collected 2 items / 1 error

tests/test_good.py::test_b PASSED                                        [ 50%]
tests/test_good.py::test_c PASSED                                        [100%]

==================================== ERRORS ====================================
______________________ ERROR collecting tests/test_bad.py ______________________
E   ModuleNotFoundError: No module named 'nothere_x'
=========================== short test summary info ============================
ERROR tests/test_bad.py
========================== 2 passed, 1 error in 2.71s ==========================
`;
const PYTEST_NONE = `============================= test session starts ==============================
collecting ... collected 0 items

============================ no tests ran in 1.64s =============================
`;
const CONFTEST = `ImportError while loading conftest '/ws/conftest.py'.
conftest.py:1: in <module>
    raise RuntimeError("x")
E   RuntimeError: x
`;
const CARGO = `   Compiling c1 v0.1.0 (/ws)
error[E0308]: mismatched types
 --> src/lib.rs:1:21
  |
1 | pub fn f() -> i32 { "x" }
  |               ---   ^^^ expected \`i32\`, found \`&str\`

error: could not compile \`c1\` (lib) due to 1 previous error
`;
const CARGO_OFFLINE = `error: no matching package named \`serde\` found
location searched: crates.io index
required by package \`c1 v0.1.0 (/ws)\`
`;
const MAKE = `gcc -c x.c
x.c:1:11: error: expected declaration specifiers or ‘...’ before ‘{’ token
    1 | int main( {
make: *** [Makefile:2: all] Error 1
`;
const NODE_NONE = "TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n";
const UNITTEST_NONE =
  "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n";

describe("a check that did not run", () => {
  it.each([
    ["npm script, missing program", NPM_MISSING, 127, "program_missing", "xo: not found"],
    ["bash", "bash: line 1: xo: command not found\n", 127, "program_missing", "xo: not found"],
    [
      "make, missing program",
      "make: prog: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n",
      2,
      "program_missing",
      "prog: not found",
    ],
    [
      "make without a rule",
      "make: *** No rule to make target 'nosuch'.  Stop.\n",
      2,
      "program_missing",
      "No rule to make target 'nosuch'.",
    ],
    [
      "python without the module",
      "/usr/bin/python3: No module named pytest\n",
      1,
      "program_missing",
      "pytest: not found",
    ],
    ["npm without the script", NPM_NO_SCRIPT, 1, "program_missing", 'package.json has no script "nope"'],
    [
      "npm init's own script",
      '\n> test\n> echo "Error: no test specified" && exit 1\n\nError: no test specified\n',
      1,
      "no_tests",
      "Error: no test specified",
    ],
    ["node without the file", NODE_NO_MODULE, 1, "environment", "Cannot find module /ws/nothere.js"],
    ["go, missing package", GO_MISSING, 1, "environment", "package slices is not in GOROOT"],
    ["go, does not compile", GO_UNBUILT, 2, "does_not_compile", "a/a.go:2:23: undefined: undefinedThing"],
    ["go without tests", GO_NO_TESTS, 0, "no_tests", "no test ran: ? ex/a [no test files]"],
    [
      "pytest, collection",
      PYTEST_COLLECTION,
      2,
      "collection_error",
      "tests/test_bad.py cannot be collected: ModuleNotFoundError: No module named 'nothere_x'",
    ],
    ["pytest, conftest", CONFTEST, 4, "collection_error", "conftest.py cannot be loaded: RuntimeError: x"],
    ["pytest without tests", PYTEST_NONE, 5, "no_tests", "no test ran: no tests ran in 1.64s"],
    ["unittest without tests", UNITTEST_NONE, 0, "no_tests", "no test ran"],
    ["cargo, does not compile", CARGO, 101, "does_not_compile", "mismatched types"],
    ["cargo, missing package", CARGO_OFFLINE, 101, "environment", "error: no matching package named `serde` found"],
    [
      "make, does not compile",
      MAKE,
      2,
      "does_not_compile",
      "x.c:1:11: error: expected declaration specifiers or ‘...’ before ‘{’ token",
    ],
    ["node --test without tests", NODE_NONE, 0, "no_tests", "no test ran"],
    [
      "make with nothing to do",
      "make: 'test' is up to date.\n",
      0,
      "no_tests",
      "no test ran: make: 'test' is up to date.",
    ],
    ["a program that only says that it failed", "working\nbroken\n", 3, "failed_whole", "exit code 3: broken"],
    [
      "every test fails",
      "TAP version 13\nnot ok 1 - a\nnot ok 2 - b\n1..2\n",
      1,
      "failed_whole",
      "none of its 2 tests passes",
    ],
    ["every test is skipped", "TAP version 13\nok 1 - a # SKIP\n1..1\n", 0, "no_tests", "no test ran"],
  ] as const)("proves nothing: %s", (_, output, code, kind, message) => {
    expect(proofOf(ran(output, code))).toMatchObject({ proves: false, passed: 0, cause: { kind, message } });
  });

  it.each([
    ["timed_out", "timed_out"],
    ["not_started", "not_started"],
    ["killed", "environment"],
  ] as const)("proves nothing: %s, whatever it had printed", (ended, kind) => {
    const result = { ...ran("TAP version 13\nok 1 - a\n1..2\n", 0), ended, exit_code: null };
    expect(proofOf(result)).toMatchObject({ proves: false, passed: 1, cause: { kind } });
  });

  it("proves nothing where its environment could not be made ready", () => {
    expect(proofOf({ ...ran("", 0), unready: "npm ci failed: ENOTCACHED" }).cause).toEqual({
      kind: "environment",
      message: "npm ci failed: ENOTCACHED",
    });
  });
});

describe("a check that ran", () => {
  it("proves what passed, beside what failed and what could not be collected", () => {
    expect(proofOf(ran(PYTEST_PARTLY, 1))).toEqual({ proves: true, passed: 2, failed: 1, skipped: 0, cause: null });
    expect(proofOf(ran(GO_PARTLY, 2))).toMatchObject({ proves: true, passed: 1, failed: 1 });
  });

  it.each([
    ["a build without a word", "", "build"],
    ["a script of tests without a word", "", "test"],
    ["go test with packages that have none", `ok  \tex/b\t0.011s\n${GO_NO_TESTS}`, "test"],
    ["a linter that is content", "All checks passed!\n", "lint"],
    ["a program of another kind", "sh: 1: xo: not found\n", "other"],
  ] as const)("proves by its exit code alone: %s", (_, output, kind) => {
    expect(proofOf(ran(output, 0, kind)).proves).toBe(true);
  });

  it("proves where it is a linter with messages, unless they only say what is missing", () => {
    const lint = (output: string) => proofOf(ran(output, 1, "lint"));
    expect(lint("a.py:1:8: F401 `os` imported but unused\n")).toMatchObject({ proves: true, failed: 1, cause: null });
    expect(lint(NPM_MISSING).cause).toMatchObject({ kind: "program_missing" });
    expect(lint(GO_MISSING).cause).toMatchObject({ kind: "environment" });
    const types = (...lines: string[]) => proofOf(ran(lines.join("\n"), 2, "types"));
    const missing = "src/a.ts(1,20): error TS2307: Cannot find module 'zod' or its corresponding type declarations.";
    expect(types(missing).cause).toMatchObject({ kind: "environment" });
    expect(types(missing, "src/a.ts(3,1): error TS2322: Type 'a' is not assignable to type 'b'.").proves).toBe(true);
  });

  it("does not prove where it is a build that fails, however readable its messages", () => {
    const types = "src/a.ts(3,1): error TS2322: Type 'a' is not assignable to type 'b'.\n";
    expect(proofOf(ran(types, 2, "build")).cause).toMatchObject({ kind: "does_not_compile" });
    expect(proofOf(ran(types, 2, "test")).cause).toMatchObject({ kind: "does_not_compile" });
  });
});

describe("the text of a cause", () => {
  it("is the same for what differs only in numbers, places and times", () => {
    const of = (output: string) => causeText(proofOf(ran(output, 1)).cause as never);
    expect(of("x.c:1:11: error: no\n")).toBe(of("x.c:7:2: error: no\n"));
    expect(of("Error: Cannot find module '/ws/one/lib.js'\n")).toBe(
      of("Error: Cannot find module '/tmp/two/lib.js'\n"),
    );
    expect(of("TAP version 13\nnot ok 1 - a\n1..1\n")).toBe(of("TAP version 13\nnot ok 1 - a\nnot ok 2 - b\n1..2\n"));
    expect(of("sh: 1: xo: not found\n")).not.toBe(of("sh: 1: ava: not found\n"));
  });
});
