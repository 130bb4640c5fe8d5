import type { Check, CheckResult, VerdictReport } from "../model/check.js";
import { compare, type Evidence, failing } from "./compare.js";

/** The checks, on the tree that stands somewhere; each in turn, because they may share files. */
export type RunChecks = (tree: string, checks: readonly Check[], signal: AbortSignal) => Promise<CheckResult[]>;

/** Results of checks on trees, kept by what they depend on. Contract: `get` gives exactly what was put. */
export interface KnownResults {
  readonly get: (tree: string, check: Check) => Promise<CheckResult | null>;
  readonly put: (tree: string, check: Check, result: CheckResult) => Promise<void>;
}

export interface VerifyRequest extends Pick<
  Evidence,
  "changed_files" | "changes_due" | "blocked" | "may_go" | "security"
> {
  readonly base_tree: string;
  readonly tree: string;
  readonly checks: readonly Check[];
  readonly signal: AbortSignal;
}

/**
 * Run the checks on a result, compare with the same checks on its base, and give the verdict with its proof.
 *
 * The base is run once per tree and check, whoever asks. What fails now and did not fail then is run once more: what
 * passes then is flaky, and is told as such.
 */
export async function verify(request: VerifyRequest, run: RunChecks, known: KnownResults): Promise<VerdictReport> {
  const { base_tree, tree, checks, signal } = request;
  const baseline = await resultsOf(base_tree, checks, run, known, signal);
  const results = tree === base_tree ? baseline : await run(tree, checks, signal);
  const worse = checks.filter((check) => isWorse(of(results, check), of(baseline, check)));
  const again = worse.length === 0 ? [] : await run(tree, worse, signal);
  const report = compare({ ...request, baseline, results, again });
  // What has been proven of this tree is the baseline of whatever builds on it.
  if (report.flaky.length === 0 && tree !== base_tree)
    for (const check of checks) await keep(known, tree, check, of(results, check));
  return report;
}

/** What the checks say of a tree, as it is known, and run where it is not. */
export async function resultsOf(
  tree: string,
  checks: readonly Check[],
  run: RunChecks,
  known: KnownResults,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const found = new Map<string, CheckResult>();
  for (const check of checks) {
    const result = await known.get(tree, check);
    if (result !== null) found.set(check.name, result);
  }
  const missing = checks.filter(({ name }) => !found.has(name));
  for (const result of missing.length === 0 ? [] : await run(tree, missing, signal)) found.set(result.check, result);
  for (const check of missing) await keep(known, tree, check, found.get(check.name) ?? null);
  return [...found.values()];
}

/** A check that was stopped says nothing of its tree. */
async function keep(known: KnownResults, tree: string, check: Check, result: CheckResult | null): Promise<void> {
  if (result !== null && result.ended === "exited") await known.put(tree, check, result);
}

function of(results: readonly CheckResult[], { name }: Check): CheckResult | null {
  return results.find(({ check }) => check === name) ?? null;
}

function isWorse(now: CheckResult | null, before: CheckResult | null): boolean {
  if (now === null) return false;
  const known = new Set(before === null ? [] : failing(before).map(({ id }) => id));
  return failing(now).some(({ id }) => !known.has(id));
}
