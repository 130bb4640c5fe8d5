import type { Check, CheckResult, VerdictReport } from "../../model/settings/check.js";
import { compare, listFailing } from "./compare.js";
import { baselineOf, isWorse, keep, type KnownResults, of, passingResults, type RunChecks } from "./verify.js";

/* Regressions of an unfinished change: the checks on its tree, and on its base only those that fail. */

interface RegressionsRequest {
  readonly base_tree: string;
  readonly tree: string;
  readonly checks: readonly Check[];
  readonly signal: AbortSignal;
}

export type Regressions = Pick<VerdictReport, "results" | "regressions" | "pre_existing" | "flaky">;

/**
 * Contract: gives no verdict. What failed on the base is not a regression, and what passes when it is run once more is
 * none either. What was seen is kept for the verdict on the same tree.
 */
export async function regressionsOf(
  { base_tree, tree, checks, signal }: RegressionsRequest,
  run: RunChecks,
  known: KnownResults,
): Promise<Regressions> {
  const results = await passingResults(tree, checks, run, known, signal);
  const failed = checks.filter((check) => hasFailed(of(results, check)));
  const baseline = failed.length === 0 ? [] : await baselineOf(base_tree, failed, run, known, signal);
  const worse = failed.filter((check) => isWorse(of(results, check), of(baseline, check)));
  const again = worse.length === 0 ? [] : await run(tree, worse, signal);
  const report = compare({ ...NOTHING_BESIDE, baseline, results, again });
  if (report.flaky.length === 0) for (const check of checks) await keep(known, tree, check, of(results, check));
  return report;
}

function hasFailed(result: CheckResult | null): boolean {
  return result !== null && result.unready === undefined && listFailing(result).length > 0;
}

const NOTHING_BESIDE = {
  changed_files: 1,
  changes_due: false,
  blocked: [],
  may_go: [],
  lifted: [],
  security: [],
  objections: [],
  accepted: [],
};
