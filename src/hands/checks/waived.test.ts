import { describe, expect, it } from "vitest";
import type { VerdictReport } from "../../model/settings/check.js";
import { DiffFinding } from "../../model/diff-gate.js";
import { verdictReport } from "../../testing/verdict-fixtures.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import { listBlockingFindings } from "./verdict-inputs.js";
import { listWaivable, describeSince, withSince } from "./waived.js";

const finding = { id: "test:a", name: "a", status: "passed", message: "", file: null, line: null } as const;
const report = (more: Partial<VerdictReport>) => verdictReport({ verdict: "BLOCKED", ...more });
const MISSING = [{ check: "test", finding }];
const block = (override: string, line = 1) =>
  DiffFinding.parse({ rule_id: "keep", severity: "block", path: "a.ts", line, reason: "No.", override });

describe("what a person may waive of a verdict", () => {
  it("is named one by one: tests by check and id, guardrails once for each path", () => {
    expect(listWaivable(report({ missing: MISSING }), [block("data"), block("data", 2)])).toEqual({
      liftable: {
        tests: [{ check: "test", id: "test:a", name: "a" }],
        guardrails: [{ rule_id: "keep", path: "a.ts", override: "data" }],
      },
    });
  });

  it("is nothing of a failure, of what nobody may waive, or of more than anybody looks at", () => {
    expect(listWaivable(report({ verdict: "FAIL", missing: MISSING }))).toEqual({});
    expect(listWaivable(report({ missing: MISSING }), [block("nobody")])).toEqual({});
    expect(
      listWaivable(report({ missing: Array.from({ length: 1001 }, () => MISSING[0] as (typeof MISSING)[0]) })),
    ).toEqual({});
    expect(listWaivable(report({}))).toEqual({});
  });

  it("holds no longer once it is waived at that path", () => {
    const gate: AttemptResult["gate"] = { verdict: "blocked", findings: [block("person"), block("person", 2)] };
    const lift = (path: string) => ({
      attempt: 1,
      tests: [],
      guardrails: [{ rule_id: "keep", path, override: "person" }],
      objections: [],
      not_applicable: false,
      by: "ada",
    });
    expect(listBlockingFindings(gate, [])).toHaveLength(2);
    expect(listBlockingFindings(gate, [lift("b.ts")])).toHaveLength(2);
    expect(listBlockingFindings(gate, [lift("a.ts")])).toEqual([]);
  });
});

describe("a regression", () => {
  it("says since which commit it is there, and nothing else does", () => {
    const failed = report({
      verdict: "FAIL",
      regressions: [{ check: "test", finding: { ...finding, status: "failed" } }],
    });
    expect(withSince(failed, "base", "work").since).toEqual({ passes: "base", fails: "work" });
    expect(describeSince(withSince(failed, "base", "work"))).toBe("new in work, passes on base");
    expect(withSince(report({}), "base", "work").since).toBeUndefined();
  });
});
