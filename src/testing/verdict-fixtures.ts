import type { VerdictReport } from "../model/settings/check.js";

/** A verdict with nothing found but what is said of it here. */
export function verdictReport(more: Partial<VerdictReport> = {}): VerdictReport {
  return {
    verdict: "PASS",
    reasons: [],
    regressions: [],
    pre_existing: [],
    fixed: [],
    flaky: [],
    missing: [],
    let_go: [],
    lifted: [],
    security: [],
    proven_by: [],
    objections: [],
    accepted: [],
    unreached: [],
    notes: [],
    results: [],
    ...more,
  };
}
