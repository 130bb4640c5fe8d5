import type { Check, CheckResult } from "../../../model/settings/check.js";
import type { Objection } from "../../../model/run.js";
import { listFailing } from "../compare.js";
import type { Seen } from "./examined.js";
import { listVarying } from "./judge-runs.js";

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

/** Wrong in one of four runs: seen in 99 of 100 cases. */
const FOR_CHANCE: Rounds = { most: 15, least: 3, minutes: 10 };
const FOR_FIX: Rounds = { most: 3, least: 1, minutes: 2 };

type Run = (tree: string, checks: readonly Check[]) => Promise<CheckResult[]>;

interface Repeated {
  /** Why it fails after all. */
  readonly failures: readonly string[];
  /** Objections that hold it until a person decides: a machine under load fails tests that have a limit of time. */
  readonly objections: readonly Objection[];
}

const STEADY: Repeated = { failures: [], objections: [] };

/**
 * Finds tests that pass only sometimes, and did not do so on the base. It is the result's fault where the change brings in chance;
 * otherwise it may be the change or the machine, and a person decides.
 */
export async function repeatChecks(
  { base_tree, tree, baseline, results }: Seen,
  checks: readonly Check[],
  run: Run,
  { chance, fixed }: Suspicion,
): Promise<Repeated> {
  const rounds = chance || isUnsteady(baseline, results) ? FOR_CHANCE : fixed ? FOR_FIX : null;
  if (rounds === null || checks.length === 0) return STEADY;
  const of = (all: readonly CheckResult[], some: readonly Check[]) =>
    all.filter(({ check }) => some.some(({ name }) => name === check));
  const first = of(results, checks);
  const runs = [first, ...(await again(tree, checks, run, rounds, (made) => listVarying([first, ...made]).length > 0))];
  const unsteady = listVarying(runs);
  if (unsteady.length === 0) return STEADY;
  const affected = checks.filter(({ name }) => unsteady.some(({ check }) => check === name));
  // Tests that are unsteady on the base, too, are not this result's fault.
  const asOften = { ...FOR_CHANCE, most: Math.max(FOR_CHANCE.least, runs.length) };
  const onBase = [of(baseline, affected), ...(await again(base_tree, affected, run, asOften, () => false))];
  const old = listVarying(onBase);
  const found = unsteady.filter(
    ({ check, finding }) => !old.some((one) => one.check === check && one.finding.id === finding.id),
  );
  const tell = ({ check, finding, failed }: (typeof found)[number]) =>
    `${check}: ${finding.name} passes only sometimes: it failed in ${failed} of ${runs.length} runs, and was steady in ${onBase.length} on the base`;
  if (chance) return { failures: found.map(tell), objections: [] };
  const objections = found.map((one): Objection => ({
    kind: "untested",
    id: `${one.check} ${one.finding.id}`.slice(0, 900),
    message:
      `${tell(one)}. Nothing in the change differs from run to run: the load of the machine may be the cause`.slice(
        0,
        1900,
      ),
  }));
  return { failures: [], objections };
}

/** It failed and passed when it was run once more, or the verdict would be FAIL already. */
function isUnsteady(baseline: readonly CheckResult[], results: readonly CheckResult[]): boolean {
  return results.some((result) => {
    const before = baseline.find(({ check }) => check === result.check);
    const known = new Set(before === undefined ? [] : listFailing(before).map(({ id }) => id));
    return listFailing(result).some(({ id }) => !known.has(id));
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
