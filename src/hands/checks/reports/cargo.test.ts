import { array, assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { readReport } from "./read-report.js";

const told = (text: string) => readReport(text, "auto").findings.map(({ status, name }) => `${status} ${name}`);

/** Output of cargo for a workspace of two packages, on each of its streams. */
const STDERR = `   Compiling a v0.1.0 (/ws/a)
     Running unittests src/lib.rs (target/debug/deps/a-3110576fc3c3c96d)
     Running tests/t.rs (target/debug/deps/t-8ec9a6392d3cf4e9)
     Running unittests src/lib.rs (target/debug/deps/b-d297d743c1d6421f)
error: test failed, to rerun pass \`-p b --lib\`
   Doc-tests a
error: 1 target failed:
    \`-p b --lib\``;

const STDOUT = `
running 1 test
test tests::it_works ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 2 tests
test it_prints ... said by a test
ok
test it_works - should panic ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test tests::it_works ... FAILED

failures:

---- tests::it_works stdout ----

thread 'tests::it_works' (31729) panicked at b/src/lib.rs:6:53:
assertion \`left == right\` failed


failures:
    tests::it_works

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.23s


running 1 test
test a/src/lib.rs - f (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.33s
`;

const TESTS = [
  "passed a src/lib.rs > tests::it_works",
  "passed tests/t.rs > it_prints",
  "passed tests/t.rs > it_works",
  "failed b src/lib.rs > tests::it_works",
  "passed doc a > a/src/lib.rs - f",
];

describe("cargo test", () => {
  it("names each test by its suite, however the lines of its two streams fell together", () => {
    const out = STDOUT.split("\n");
    const err = STDERR.split("\n");
    assert(
      property(array(nat(out.length), { minLength: err.length, maxLength: err.length }), (places) => {
        const at = [...places].sort((a, b) => a - b);
        const lines = out.flatMap((line, i) => [...err.filter((_, n) => at[n] === i), line]);
        const text = [...lines, ...err.filter((_, n) => at[n] === out.length)].join("\n");
        expect(told(text)).toEqual(TESTS);
      }),
    );
    expect(readReport(`${STDERR}\n${STDOUT}`, "auto").findings[3]?.message).toContain("left == right");
  });

  it("names them alike on both sides where suites are not told, and sees a suite without an end", () => {
    expect(told(STDOUT)).toEqual(TESTS.map((each) => each.replace(/(?<= ).* > /, "")));
    const crashed = STDOUT.slice(0, STDOUT.indexOf("test it_works - "));
    expect(told(crashed)).toEqual(["passed tests::it_works", "passed it_prints", "failed cargo test to its end"]);
  });

  it("reads errors of the compiler and of Clippy, for people and in JSON", () => {
    const text = `error: unneeded \`return\` statement
 --> b/src/lib.rs:4:21
  |
warning: unused variable
 --> b/src/lib.rs:9:1

error[E0308]: mismatched types
 --> src/lib.rs:4:5

error: could not compile \`b\` (lib) due to 1 previous error`;
    expect(told(text)).toEqual(["failed b/src/lib.rs error", "failed src/lib.rs E0308"]);
    const message = (level: string, spans: object[]) =>
      JSON.stringify({
        reason: "compiler-message",
        message: { level, message: "unneeded", code: { code: "clippy::needless_return" }, spans },
      });
    const span = { file_name: "a/src/lib.rs", line_start: 4, is_primary: true };
    const json = [message("error", [span]), message("warning", [span]), message("error", [])].join("\n");
    expect(told(json)).toEqual(["failed a/src/lib.rs clippy::needless_return"]);
    expect(readReport("error: pathspec 'x' did not match\n", "auto").format).toBe("exit_code");
  });
});
