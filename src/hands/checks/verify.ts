import type { Check, CheckResult, VerdictReport } from "../../model/settings/check.js";
import { compare, type Evidence, listFailing, hasSucceeded } from "./compare.js";
import { dropNotApplicable } from "./objections.js";
import { proofOf } from "./proof.js";
import type { Examine, Seen } from "./suspect/examined.js";

/** The checks, on the tree that stands somewhere; each in turn, because they may share files. */
export type RunChecks = (tree: string, checks: readonly Check[], signal: AbortSignal) => Promise<CheckResult[]>;

/** Results of checks on trees, kept by what they depend on. Contract: `get` gives exactly what was put. */
export interface KnownResults {
  readonly get: (tree: string, check: Check) => Promise<CheckResult | null>;
  readonly put: (tree: string, check: Check, result: CheckResult) => Promise<void>;
}

export interface VerifyRequest
  extends
    Pick<Evidence, "changed_files" | "changes_due" | "blocked" | "may_go" | "lifted" | "security">,
    Partial<Pick<Evidence, "objections" | "accepted">> {
  readonly base_tree: string;
  readonly tree: string;
  readonly checks: readonly Check[];
  /** The checks on the base, where somebody has them already. */
  readonly baseline?: readonly CheckResult[];
  /** An examination once the results are known; left out where they fail already. */
  readonly examine?: Examine;
  /** Changed files that none of these checks is known to touch. */
  readonly reach?: (seen: Seen) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

/**
 * Run the checks on a result, compare with the same checks on its base, and give the verdict with its proof.
 *
 * The base is run once per tree and check, no matter who asks. A check that fails now and did not fail then is run once more: what
 * passes then is flaky, and is reported as such.
 */
export async function verify(request: VerifyRequest, run: RunChecks, known: KnownResults): Promise<VerdictReport> {
  const { base_tree, tree, signal } = request;
  const { objections = [], accepted = [] } = request;
  const checks = dropNotApplicable(request.checks, accepted);
  const baseline = request.baseline ?? (await baselineOf(base_tree, checks, run, known, signal));
  const results = tree === base_tree ? baseline : await passingResults(tree, checks, run, known, signal);
  const worse = checks.filter((check) => isWorse(of(results, check), of(baseline, check)));
  const again = worse.length === 0 ? [] : await run(tree, worse, signal);
  const evidence = { ...request, objections, accepted, baseline, results, again };
  const report = await examineVerdict(request, evidence, { base_tree, tree, baseline, results, checks }, run);
  // The proven results of this tree are the baseline of everything that builds on it.
  if (report.flaky.length === 0 && tree !== base_tree)
    for (const check of checks) await keep(known, tree, check, of(results, check));
  return report;
}

/** Checks a result: what passed on this tree already is not run again, everything else is. */
export async function passingResults(
  tree: string,
  checks: readonly Check[],
  run: RunChecks,
  known: KnownResults,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const kept = await Promise.all(checks.map((check) => known.get(tree, check)));
  const passed = kept.filter((result) => result !== null && listFailing(result).length === 0 && proofOf(result).proves);
  const missing = checks.filter(({ name }) => !passed.some((result) => result?.check === name));
  const now = missing.length === 0 ? [] : await run(tree, missing, signal);
  return checks.flatMap((check) => of([...now, ...passed.filter((each) => each !== null)], check) ?? []);
}

/** The verdict with what was looked at beside the checks: nothing more is looked for where they fail, or nothing changed. */
async function examineVerdict(
  { examine, reach, signal }: VerifyRequest,
  evidence: Evidence,
  seen: Seen,
  run: RunChecks,
): Promise<VerdictReport> {
  const first = compare(evidence);
  if (first.verdict === "FAIL" || seen.tree === seen.base_tree) return first;
  const found = (await examine?.(seen, run, signal)) ?? { objections: [], failures: [], notes: [] };
  const objections = [...evidence.objections, ...found.objections];
  const unreached = (await reach?.(seen)) ?? [];
  return compare({ ...evidence, ...found, objections, unreached });
}

/** Returns the results of checks on a tree: kept results, and a run where there are none. */
export async function resultsOf(
  tree: string,
  checks: readonly Check[],
  run: RunChecks,
  known: KnownResults,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  return findResults(tree, checks, known, (missing) => run(tree, missing, signal));
}

/**
 * Returns the results of checks on a base. A failure is run once more, and counts only when it is there both times: a flaky one on
 * a base would later excuse a real one.
 */
export async function baselineOf(
  tree: string,
  checks: readonly Check[],
  run: RunChecks,
  known: KnownResults,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  return findResults(tree, checks, known, async (missing) => {
    const first = await run(tree, missing, signal);
    const failed = missing.filter((check) => failsByItself(of(first, check)));
    const again = failed.length === 0 ? [] : await run(tree, failed, signal);
    return first.map((result) => steady(result, again.find(({ check }) => check === result.check) ?? result));
  });
}

async function findResults(
  tree: string,
  checks: readonly Check[],
  known: KnownResults,
  run: (missing: readonly Check[]) => Promise<CheckResult[]>,
): Promise<CheckResult[]> {
  const all = new Map<string, CheckResult>();
  for (const check of checks) {
    const result = await known.get(tree, check);
    if (result !== null && proofOf(result).proves) all.set(check.name, result);
  }
  const missing = checks.filter(({ name }) => !all.has(name));
  for (const result of missing.length === 0 ? [] : await run(missing)) all.set(result.check, result);
  for (const check of missing) await keep(known, tree, check, all.get(check.name) ?? null);
  return [...all.values()];
}

function failsByItself(result: CheckResult | null): boolean {
  return result !== null && result.ended === "exited" && listFailing(result).length > 0;
}

/** Contract: of two runs on one tree, what failed in both. */
function steady(first: CheckResult, second: CheckResult): CheckResult {
  if (first === second || listFailing(second).length === 0) return second;
  const findings = first.findings.map((finding) =>
    finding.status === "failed" && hasSucceeded(second, finding) ? { ...finding, status: "passed" as const } : finding,
  );
  const isMended = first.findings.some(isFailed) && !findings.some(isFailed);
  return { ...first, findings, exit_code: isMended ? 0 : first.exit_code };
}

const isFailed = ({ status }: CheckResult["findings"][number]) => status === "failed";

/** Keeps a result that proves something. The others say nothing of their tree: once the cause is mended, the check must run again. */
export async function keep(known: KnownResults, tree: string, check: Check, result: CheckResult | null): Promise<void> {
  if (result !== null && proofOf(result).proves) await known.put(tree, check, result);
}

export function of(results: readonly CheckResult[], { name }: Check): CheckResult | null {
  return results.find(({ check }) => check === name) ?? null;
}

export function isWorse(now: CheckResult | null, before: CheckResult | null): boolean {
  if (now === null) return false;
  const known = new Set(before === null ? [] : listFailing(before).map(({ id }) => id));
  return listFailing(now).some(({ id }) => !known.has(id));
}
