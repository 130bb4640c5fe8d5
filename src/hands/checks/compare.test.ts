import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckResult, Finding } from "../../model/settings/check.js";
import type { Objection } from "../../model/run.js";
import { compare, type Evidence, listFailing } from "./compare.js";
import { unnamedTests } from "./reports/report.js";

const finding = (name: string, status: Finding["status"], message = ""): Finding => ({
  id: `test:${name}`,
  name,
  status,
  message,
  file: null,
  line: null,
});

const result = (findings: readonly Finding[], difference: Partial<CheckResult> = {}): CheckResult => ({
  check: "test",
  kind: "test",
  command: "npm test",
  tree: "t",
  exit_code: findings.some(({ status }) => status === "failed") ? 1 : 0,
  ended: "exited",
  format: "tap",
  findings: [...findings],
  output: "",
  output_sha256: "",
  ...difference,
});

const judge = (difference: Partial<Evidence>) =>
  compare({
    baseline: [result([finding("a", "passed")])],
    results: [result([finding("a", "passed")])],
    again: [],
    changed_files: 1,
    changes_due: true,
    blocked: [],
    may_go: [],
    lifted: [],
    security: [],
    objections: [],
    accepted: [],
    ...difference,
  });

const lifted = (name: string, check = "test") => ({ check, id: `test:${name}`, name, by: "ada" });

const names = (list: readonly { finding: Finding }[]) => list.map(({ finding: { name } }) => name);

describe("a result against its base", () => {
  it("passes when nothing is worse", () => {
    expect(judge({})).toMatchObject({ verdict: "PASS", reasons: [] });
  });

  it("tolerates what failed before and lists it", () => {
    const old = [finding("a", "passed"), finding("old", "failed", "as ever")];
    const report = judge({ baseline: [result(old)], results: [result(old)] });
    expect(report.verdict).toBe("PASS");
    expect(names(report.pre_existing)).toEqual(["old"]);
  });

  it("fails on a regression and says which test with which message", () => {
    const report = judge({ results: [result([finding("a", "failed", "\nexpected 1\nat x")])] });
    expect(report.verdict).toBe("FAIL");
    expect(report.reasons).toEqual(["test: a fails: expected 1"]);
  });

  it("fails on a new test that fails, and on a second message like one that was there once", () => {
    const added = judge({ results: [result([finding("a", "passed"), finding("new", "failed")])] });
    expect(names(added.regressions)).toEqual(["new"]);
    const once = finding("x", "failed");
    const twice = judge({ baseline: [result([once])], results: [result([once, once])] });
    expect([twice.pre_existing.length, twice.regressions.length]).toEqual([1, 1]);
  });

  it("records what fails once and passes when run again as flaky, never as green", () => {
    const report = judge({
      results: [result([finding("a", "failed")])],
      again: [result([finding("a", "passed")])],
    });
    expect(report.verdict).toBe("PASS");
    expect(names(report.flaky)).toEqual(["a"]);
  });

  it("takes for flaky only what was seen to pass: a second run that broke off shows nothing", () => {
    const failed = [result([finding("a", "failed")])];
    const verdictOf = (second: CheckResult) => judge({ results: failed, again: [second] }).verdict;
    expect(verdictOf(result([], { ended: "timed_out", exit_code: null }))).toBe("FAIL");
    expect(verdictOf(result([], { exit_code: 0 }))).toBe("FAIL");
    expect(verdictOf(result([finding("a", "skipped")], { exit_code: 0 }))).toBe("FAIL");
    expect(verdictOf(result([finding("a", "passed")]))).toBe("PASS");
  });

  it("records what failed in the second run alone as flaky as well", () => {
    const both = (a: Finding["status"], b: Finding["status"]) => result([finding("a", a), finding("b", b)]);
    const report = judge({
      baseline: [both("passed", "passed")],
      results: [both("failed", "passed")],
      again: [both("passed", "failed")],
    });
    expect([report.verdict, ...names(report.flaky)]).toEqual(["PASS", "a", "b"]);
  });

  it("fails on a program that was stopped on its way, whatever had failed before", () => {
    const lint = (difference: Partial<CheckResult>) =>
      result([finding("old", "failed")], { check: "lint", kind: "lint", ...difference });
    const against = (now: CheckResult) => judge({ baseline: [lint({})], results: [now], again: [now] }).verdict;
    expect(against(lint({}))).toBe("PASS");
    expect(against(lint({ ended: "timed_out", exit_code: null }))).toBe("FAIL");
    expect(against(lint({ exit_code: 139 }))).toBe("FAIL");
  });

  it("misses tests also where the program failed as a whole before", () => {
    const mute = (...tests: string[]) =>
      result(
        tests.map((name) => finding(name, "passed")),
        { exit_code: 1 },
      );
    const report = judge({ baseline: [mute("a", "b")], results: [mute("a")] });
    expect([report.verdict, ...names(report.missing)]).toEqual(["BLOCKED", "b"]);
  });

  it("counts tests that have no names: fewer are missed, more are not, and one that failed may be among them", () => {
    const some = (count: number, ...failed: string[]) =>
      result([...failed.map((name) => finding(name, "failed")), ...unnamedTests(count)]);
    const verdictOf = (baseline: CheckResult, now: CheckResult) =>
      judge({ baseline: [baseline], results: [now] }).verdict;
    expect(verdictOf(some(3), some(4))).toBe("PASS");
    expect(verdictOf(some(3), some(2))).toBe("BLOCKED");
    expect(verdictOf(some(3, "x"), some(4))).toBe("PASS");
    expect(verdictOf(some(3, "x"), some(3))).toBe("BLOCKED");
    expect(judge({ baseline: [some(3)], results: [some(2, "x")], again: [some(3)] })).toMatchObject({
      verdict: "PASS",
      flaky: [{ finding: { name: "x" } }],
    });
  });

  it("holds back a result whose tests went or are skipped, until a person lets them go", () => {
    const both = [result([finding("a", "passed"), finding("b", "passed")])];
    const gone = judge({ baseline: both });
    expect([gone.verdict, ...names(gone.missing)]).toEqual(["BLOCKED", "b"]);
    const skipped = judge({ baseline: both, results: [result([finding("a", "passed"), finding("b", "skipped")])] });
    expect([skipped.verdict, ...names(skipped.missing)]).toEqual(["BLOCKED", "b"]);
    expect(judge({ baseline: both, may_go: [lifted("b")] })).toMatchObject({
      verdict: "PASS",
      missing: [],
      let_go: [{ check: "test", finding: { name: "b" }, by: "ada" }],
    });
  });

  it("lets go what was named and as often as it was named, by its check and id, and nothing after that", () => {
    const twice = [result([finding("a", "passed"), finding("b", "passed"), finding("b", "passed")])];
    expect(judge({ baseline: twice, may_go: [lifted("b"), lifted("b")] }).verdict).toBe("PASS");
    const once = judge({ baseline: twice, may_go: [lifted("b")] });
    expect([once.verdict, names(once.missing), names(once.let_go)]).toEqual(["BLOCKED", ["b"], ["b"]]);
    expect(judge({ baseline: twice, may_go: [lifted("b", "other"), lifted("c")] }).missing).toHaveLength(2);
  });

  it("does not pass an empty run of tests, nor a completed task that changed nothing", () => {
    expect(judge({ results: [result([])] }).reasons).toContain("test: no test ran");
    expect(judge({ results: [result([])] }).verdict).toBe("FAIL");
    expect(judge({ changed_files: 0 }).reasons).toEqual(["nothing was changed where a change was due"]);
    expect(judge({ changed_files: 0, changes_due: false }).verdict).toBe("PASS");
  });

  it("fails on a program that fails without saying at what, unless it did so before", () => {
    const mute = (exit_code: number) => result([], { format: "exit_code", exit_code, output: "Segmentation fault" });
    expect(judge({ baseline: [mute(0)], results: [mute(139)] }).verdict).toBe("FAIL");
    expect(judge({ baseline: [mute(1)], results: [mute(1)] })).toMatchObject({
      verdict: "BLOCKED",
      pre_existing: [{ finding: { id: "exit" } }],
    });
    const timedOut = result([], { format: "exit_code", exit_code: null, ended: "timed_out" });
    expect(judge({ baseline: [mute(1)], results: [timedOut] }).verdict).toBe("FAIL");
  });

  it("fails on a program that exits with an error although all its tests passed", () => {
    expect(judge({ results: [result([finding("a", "passed")], { exit_code: 1 })] }).verdict).toBe("FAIL");
  });

  it("tells what was mended", () => {
    const report = judge({ baseline: [result([finding("a", "failed")])] });
    expect(names(report.fixed)).toEqual(["a"]);
  });

  it("blocks on what a person may waive, and a failure weighs more", () => {
    expect(judge({ blocked: ["guardrail"] })).toMatchObject({ verdict: "BLOCKED", reasons: ["guardrail"] });
    expect(judge({ blocked: ["guardrail"], changed_files: 0 }).verdict).toBe("FAIL");
  });
});

describe("a result without proof", () => {
  const mute = (output: string, difference: Partial<CheckResult> = {}) =>
    result([], { format: "exit_code", exit_code: 1, output, ...difference });
  const MISSING = mute("sh: 1: xo: not found\n", { exit_code: 127 });
  const lint = result([], { check: "lint", kind: "lint", format: "exit_code" });
  const OBJECTION = {
    kind: "unproven",
    id: "test",
    message: "test did not run on the base: xo: not found",
    cause: "program_missing: xo: not found",
  } as const;
  const NOTHING = { kind: "unproven", id: "*", message: "no check proves this change", cause: "nothing" } as const;
  const by = (one: Objection, not_applicable = false) => ({ ...one, by: "ada", not_applicable });

  it("is held with the cause, also where another check proves it", () => {
    const both = judge({ baseline: [MISSING, lint], results: [MISSING, lint] });
    expect(both).toMatchObject({ verdict: "BLOCKED", objections: [OBJECTION], proven_by: [{ check: "lint" }] });
    expect(both.reasons).toEqual(["test did not run on the base: xo: not found (a person may waive it)"]);
    expect(judge({ baseline: [MISSING], results: [MISSING] }).objections).toEqual([OBJECTION, NOTHING]);
  });

  it("is held where there is no check at all, unless nothing was changed", () => {
    const none = { baseline: [], results: [] };
    expect(judge(none)).toMatchObject({ verdict: "BLOCKED", objections: [NOTHING], proven_by: [] });
    expect(judge({ ...none, changed_files: 0, changes_due: false })).toMatchObject({ verdict: "PASS", objections: [] });
  });

  it("is unproven where nothing but a formatter ran: it looks at how code is written", () => {
    const format = result([], { check: "format", kind: "lint", command: "cargo fmt --check", format: "exit_code" });
    const only = { baseline: [MISSING, format], results: [MISSING, format] };
    expect(judge(only)).toMatchObject({
      verdict: "BLOCKED",
      proven_by: [],
      objections: [
        OBJECTION,
        { kind: "unproven", id: "*", cause: "style", message: expect.stringContaining("only format ran") as unknown },
      ],
    });
    const prettier = result([], {
      check: "tidy",
      kind: "other",
      command: "npx prettier --check .",
      format: "exit_code",
    });
    expect(judge({ baseline: [prettier], results: [prettier] })).toMatchObject({ verdict: "BLOCKED", proven_by: [] });
    const build = result([], { check: "build", kind: "build", command: "make", format: "exit_code" });
    expect(judge({ baseline: [build, format], results: [build, format] })).toMatchObject({
      verdict: "PASS",
      proven_by: [{ check: "build" }, { check: "format" }],
    });
    const broken = result([finding("a", "failed")]);
    expect(
      judge({ baseline: [result([finding("a", "passed")]), format], results: [broken, format], again: [broken] }),
    ).toMatchObject({
      verdict: "FAIL",
    });
  });

  it("fails where something fails that did not fail before: that weighs more", () => {
    const broken = result([finding("a", "failed")]);
    expect(judge({ baseline: [MISSING], results: [broken], again: [broken] }).verdict).toBe("FAIL");
  });

  it("is proven by a check that the result itself makes pass", () => {
    const report = judge({ baseline: [MISSING] });
    expect(report).toMatchObject({ verdict: "PASS", objections: [], proven_by: [{ check: "test", passed: 1 }] });
    expect(names(report.fixed)).toHaveLength(1);
  });

  it("passes once a person let it, with who did in the report, and only for the same cause", () => {
    const accepted = [by(OBJECTION), by(NOTHING)];
    const report = judge({ baseline: [MISSING], results: [MISSING], accepted });
    expect(report).toMatchObject({ verdict: "PASS", objections: [], accepted, proven_by: [] });
    const other = mute("sh: 1: ava: not found\n", { exit_code: 127 });
    expect(judge({ baseline: [other], results: [other], accepted }).objections).toMatchObject([{ id: "test" }]);
  });

  it("tells which checks a person said do not count, though they were not run", () => {
    const accepted = [by(OBJECTION, true), by(NOTHING, true)];
    expect(judge({ baseline: [lint], results: [lint], accepted })).toMatchObject({
      verdict: "PASS",
      accepted: [by(OBJECTION, true)],
      proven_by: [{ check: "lint", kind: "lint", passed: 0 }],
    });
    expect(judge({ baseline: [], results: [], accepted })).toMatchObject({ verdict: "PASS", accepted });
  });

  it("is proven by what ran of a check that ran in part, with what could not be collected by name", () => {
    const partly = result([finding("tests/test_a.py::b", "passed"), finding("tests/test_bad.py", "failed", "error")]);
    expect(judge({ baseline: [partly], results: [partly] })).toMatchObject({
      verdict: "PASS",
      proven_by: [{ check: "test", passed: 1, failed_before: 1, uncollected: ["tests/test_bad.py"] }],
    });
  });

  it("is held, and says nothing else, where the environment of a side could not be made ready", () => {
    const unready = mute("", { unready: "npm ci: ENOTCACHED", ended: "not_started", exit_code: null });
    for (const sides of [{ baseline: [unready], results: [unready] }, { results: [unready] }, { baseline: [unready] }])
      expect(judge(sides)).toMatchObject({
        verdict: "BLOCKED",
        regressions: [],
        pre_existing: [],
        objections: [{ kind: "unproven", id: "setup", cause: "environment: npm ci: ENOTCACHED" }],
      });
  });

  it("takes objections of others by the same rule", () => {
    const weakened: Objection = { kind: "weakened", id: "a", message: "a asserts nothing any more" };
    expect(judge({ objections: [weakened] })).toMatchObject({ verdict: "BLOCKED", objections: [weakened] });
    expect(judge({ objections: [weakened], accepted: [by(weakened)] })).toMatchObject({ verdict: "PASS" });
  });
});

describe("for any two results", () => {
  const findings = fc.array(
    fc.record({ name: fc.constantFrom("a", "b", "c", "d"), status: fc.constantFrom("passed", "failed", "skipped") }),
    { minLength: 1, maxLength: 8 },
  );
  const made = (list: readonly { name: string; status: string }[]) =>
    result(list.map(({ name, status }) => finding(name, status as Finding["status"])));

  it("passes only what fails nowhere it did not fail before, and counts each failure once", () => {
    fc.assert(
      fc.property(findings, findings, (before, after) => {
        const [baseline, now] = [made(before), made(after)];
        const report = judge({ baseline: [baseline], results: [now] });
        const failed = listFailing(now).length;
        expect(report.pre_existing.length + report.regressions.length).toBe(failed);
        const count = (r: CheckResult, id: string) => listFailing(r).filter((f) => f.id === id).length;
        const worse = listFailing(now).some(({ id }) => count(now, id) > count(baseline, id));
        if (worse) expect(report.verdict).toBe("FAIL");
        if (report.verdict === "PASS") expect(worse).toBe(false);
      }),
    );
  });

  it("finds a result no worse than itself", () => {
    fc.assert(
      fc.property(findings, (list) => {
        const same = made(list);
        const { verdict, regressions, missing } = judge({ baseline: [same], results: [same] });
        expect([regressions, missing]).toEqual([[], []]);
        expect(verdict).toBe(same.findings.some(({ status }) => status === "passed") ? "PASS" : "BLOCKED");
      }),
    );
  });
});

describe("what an audit of the project found", () => {
  const audit = (...ids: string[]) =>
    result(
      ids.map((id) => ({
        ...finding(id, "failed"),
        message: "remote code execution\nmore",
        file: "package.json",
        line: 3,
      })),
      { check: "audit", kind: "audit", exit_code: ids.length === 0 ? 0 : 1 },
    );

  it("is a part of the verdict of its own when the base did not have it [S1-090]", () => {
    const report = judge({ baseline: [audit("old")], results: [audit("old", "new")], again: [audit("old", "new")] });
    expect(report.verdict).toBe("FAIL");
    expect(report.security).toEqual([
      {
        kind: "audit",
        severity: "block",
        rule_id: "audit",
        path: "package.json",
        line: 3,
        reason: "new: remote code execution",
      },
    ]);
    expect(judge({ baseline: [audit("old")], results: [audit("old")] })).toMatchObject({
      verdict: "PASS",
      security: [],
    });
  });

  it("stands beside what rules found in the change", () => {
    const found = {
      kind: "dangerous_call",
      severity: "warn",
      rule_id: "warn_evaluated_text",
      path: "src/a.ts",
      line: 1,
      reason: "Text becomes code here.",
    } as const;
    const report = judge({ baseline: [audit()], results: [audit("new")], again: [audit("new")], security: [found] });
    expect(report.security.map(({ kind }) => kind)).toEqual(["dangerous_call", "audit"]);
    expect(judge({ security: [found] })).toMatchObject({ verdict: "PASS", security: [found] });
  });
});
