import type { Check, CheckResult } from "../../../model/settings/check.js";
import { failing } from "../compare.js";
import type { Seen } from "./examined.js";
import { varying } from "./judge-runs.js";

/* Tests that are run more often than once, because passing once may be chance. */

interface Suspicion {
  /** The change brings in something that differs from run to run. */
  readonly chance: boolean;
  /** Something passes now that failed on the base. */
  readonly fixed: boolean;
}

interface Rounds {
  readonly most: number;
  readonly least: number;
  /** No further round is begun after this. */
  readonly minutes: number;
}

const FOR_CHANCE: Rounds = { most: 7, least: 3, minutes: 10 };
const FOR_FIX: Rounds = { most: 3, least: 1, minutes: 2 };

type Run = (tree: string, checks: readonly Check[]) => Promise<CheckResult[]>;

/** Why it fails after all: what passes only sometimes, and did not do so on the base. */
export async function repeated(
  { base_tree, tree, baseline, results }: Seen,
  checks: readonly Check[],
  run: Run,
  { chance, fixed }: Suspicion,
): Promise<string[]> {
  const rounds = chance || isUnsteady(baseline, results) ? FOR_CHANCE : fixed ? FOR_FIX : null;
  if (rounds === null || checks.length === 0) return [];
  const of = (all: readonly CheckResult[], some: readonly Check[]) =>
    all.filter(({ check }) => some.some(({ name }) => name === check));
  const first = of(results, checks);
  const runs = [first, ...(await again(tree, checks, run, rounds, (made) => varying([first, ...made]).length > 0))];
  const unsteady = varying(runs);
  if (unsteady.length === 0) return [];
  const affected = checks.filter(({ name }) => unsteady.some(({ check }) => check === name));
  // What is unsteady on the base too is not of this result's making.
  const asOften = { ...FOR_CHANCE, most: Math.max(FOR_CHANCE.least, runs.length) };
  const onBase = [of(baseline, affected), ...(await again(base_tree, affected, run, asOften, () => false))];
  const old = varying(onBase);
  return unsteady
    .filter(({ check, finding }) => !old.some((one) => one.check === check && one.finding.id === finding.id))
    .map(
      ({ check, finding, failed }) =>
        `${check}: ${finding.name} passes only sometimes: it failed in ${failed} of ${runs.length} runs, and was steady in ${onBase.length} on the base`,
    );
}

/** It failed and passed when it was run once more, or the verdict would be FAIL already. */
function isUnsteady(baseline: readonly CheckResult[], results: readonly CheckResult[]): boolean {
  return results.some((result) => {
    const before = baseline.find(({ check }) => check === result.check);
    const known = new Set(before === undefined ? [] : failing(before).map(({ id }) => id));
    return failing(result).some(({ id }) => !known.has(id));
  });
}

async function again(
  tree: string,
  checks: readonly Check[],
  run: Run,
  { most, least, minutes }: Rounds,
  isEnough: (made: readonly CheckResult[][]) => boolean,
): Promise<CheckResult[][]> {
  const began = performance.now();
  const made: CheckResult[][] = [];
  while (made.length < most && !isEnough(made)) {
    if (made.length >= least && performance.now() - began > minutes * 60_000) break;
    made.push(await run(tree, checks));
  }
  return made;
}
