import type { Check, CheckResult } from "../../../model/settings/check.js";
import type { Objection, RunTask } from "../../../model/run.js";
import { baseWithNewTests, composeWithJudgesOfBase } from "./compose.js";
import { emptiedTests } from "./emptied-tests.js";
import type { Examine, FileChange, Seen } from "./examined.js";
import { changedExpectations, failsOnBase, isFixed, listNewlySkipped } from "./judge-runs.js";
import { onlyComments, findSkippedByText } from "./judge-text.js";
import { repeatChecks } from "./repeat.js";
import { explainShadowing } from "./shadowing.js";
import { type Steering, steeringFiles } from "./steering-files.js";
import { steersTheSame } from "./steering-change.js";
import { dependsOnChance, tamperingIn } from "./tampering.js";
import { isDocument, isTestFile } from "./test-files.js";
import { changesBetween, type OpenTree, type Trees } from "./trees.js";

/*
 * Whether a result that passes its checks passes for the right reason. Files that steer a check are judged like the check; the
 * base's own tests are run against the result's code; a fix needs a test that fails without it; what may be chance is
 * repeated. The report says what none of this can see.
 */

export interface ExaminedTask {
  readonly type?: RunTask["type"];
  readonly builder?: RunTask["builder"];
  /** Whether the plan names a path as it is. */
  readonly names: (path: string) => boolean;
  /** Whether it asks for words and layout: then a change of comments alone is what was due. */
  readonly isAboutWords: boolean;
  /** Paths whose change somebody else asks about. */
  readonly asked: ReadonlySet<string>;
  /** Whether something else holds the result already, and whether a person let an objection pass. */
  readonly isHeld: boolean;
  readonly isAccepted: (objection: Objection) => boolean;
}

const UNSEEN = "no check sees an answer that is made up for the very tests there are";

/** The trees and files under examination, gathered once. */
interface Subject {
  readonly seen: Seen;
  readonly base: OpenTree;
  readonly result: OpenTree;
  readonly changes: readonly FileChange[];
  readonly steering: Steering;
  /** Changed files that steer checks otherwise than before, and new ones that stand for something tests rely on. */
  readonly steered: ReadonlyMap<string, string>;
  readonly isTest: (path: string) => boolean;
  readonly testChecks: readonly Check[];
}

type Run = (tree: string, checks: readonly Check[]) => Promise<CheckResult[]>;

export function createExamine(trees: Trees, task: ExaminedTask): Examine {
  return async (seen, run, signal) => {
    if (seen.tree === seen.base_tree) return { objections: [], failures: [], notes: [] };
    const subject = await subjectOf(trees, seen);
    const runOn: Run = (tree, checks) => run(tree, checks, signal);
    const crossed = await crossRun(trees, subject, runOn);
    const fix = await examineFix(trees, subject, task, runOn);
    const { emptied, thinner } = emptiedTests(subject.changes);
    const objections = withoutDoubles([
      ...steeringObjections(subject, task, crossed),
      ...(crossed ?? []),
      ...emptied.map(({ path, name, how }) => weakenedObjection(`${path}: ${name}`, `${path}: ${name}: ${how}`)),
      ...textObjections(subject),
      ...fix.objections,
      ...(!task.isAboutWords && onlyComments(subject.changes, task.type)
        ? [untestedObjection("*", "only comments and blanks were changed, where a change of the code was due")]
        : []),
    ]);
    // Only what would pass otherwise is worth more runs.
    const wouldPass = !task.isHeld && objections.every(task.isAccepted);
    const suspicion = {
      chance: dependsOnChance(subject.changes),
      fixed: fix.isFix || isFixed(seen.baseline, seen.results),
    };
    const repeats = wouldPass ? await repeatChecks(seen, subject.testChecks, runOn, suspicion) : null;
    const skipped = listNewlySkipped(seen.baseline, seen.results);
    return {
      objections: [...objections, ...(repeats?.objections ?? [])],
      failures: repeats?.failures ?? [],
      notes: [
        ...fix.notes,
        ...(thinner.length > 0 ? [`asserts less than before: ${some(thinner)}`] : []),
        ...(skipped.length > 0 ? [`new and skipped here: ${some(skipped)}`] : []),
        ...(subject.changes.every(({ path }) => isDocument(path)) ? [] : [UNSEEN]),
      ],
    };
  };
}

async function subjectOf(trees: Trees, seen: Seen): Promise<Subject> {
  const [base, result] = [await trees.open(seen.base_tree), await trees.open(seen.tree)];
  const changes = await changesBetween(base, result);
  const [ofResult, ofBase] = [await steeringFiles(seen.checks, result), await steeringFiles(seen.checks, base)];
  const steering = new Map([...ofResult.steering, ...ofBase.steering]);
  const steered = new Map<string, string>();
  for (const change of changes) {
    const steer = steering.get(change.path);
    const shadowed = explainShadowing(change);
    if (shadowed !== null) steered.set(change.path, shadowed);
    else if (steer !== undefined && !steersTheSame(change, steer)) steered.set(change.path, steer.why);
  }
  const named = namedTests([...seen.baseline, ...seen.results]);
  return {
    seen,
    base,
    result,
    changes,
    steering,
    steered,
    isTest: (path) => isTestFile(path) || named.has(path) || ofBase.tests.has(path) || ofResult.tests.has(path),
    testChecks: seen.checks.filter(({ kind }) => kind === "test" || kind === "other"),
  };
}

/** Files that a runner names as those of tests. */
function namedTests(results: readonly CheckResult[]): Set<string> {
  const findings = results.filter(({ format }) => format === "pytest").flatMap(({ findings }) => findings);
  return new Set(findings.flatMap(({ name, file }) => (file !== null && /::(?:test|Test)/.test(name) ? [file] : [])));
}

/** The base's own tests and settings against the result's code; null where they are the result's too. */
async function crossRun(trees: Trees, subject: Subject, run: Run): Promise<Objection[] | null> {
  const { seen, base, result, changes, steering, steered, isTest, testChecks } = subject;
  const isTouched = changes.some(({ path }) => isTest(path) || hasTestsInside(path));
  const steers = (check: Check) =>
    [...steered.keys()].some((path) => steering.get(path)?.checks.has(check.name) ?? testChecks.includes(check));
  const checks = seen.checks.filter((check) => (isTouched && testChecks.includes(check)) || steers(check));
  if (checks.length === 0) return null;
  const mixed = composeWithJudgesOfBase(
    base.entries,
    result.entries,
    changes,
    (path) => isTest(path) || steered.has(path),
    steering,
  );
  const tree = await trees.write(mixed.entries, mixed.texts);
  if (tree === seen.tree) return null;
  const first = await run(tree, checks);
  const found = changedExpectations(seen.results, [first]);
  if (found.length === 0) return [];
  return changedExpectations(seen.results, [first, await run(tree, checks)]);
}

const hasTestsInside = (path: string) => path.endsWith(".rs");

function steeringObjections(
  { steered, steering }: Subject,
  { names, asked }: ExaminedTask,
  crossed: readonly Objection[] | null,
): Objection[] {
  return [...steered]
    .filter(([path]) => !asked.has(path))
    .map(([path, why]) => {
      const checks = [...(steering.get(path)?.checks ?? [])].join(", ");
      const says = crossed?.length === 0 ? " With the base's version of it the checks say the same." : "";
      const named = names(path) ? " The plan names this file, and it still decides how the result is judged." : "";
      return weakenedObjection(
        path,
        `${path} was changed: ${why}${checks === "" ? "" : ` (${checks})`}.${says}${named}`,
      );
    });
}

function textObjections({ changes, seen, isTest, steered }: Subject): Objection[] {
  const product = changes.filter(({ path }) => !isTest(path) && !steered.has(path) && !isDocument(path));
  const onlyExitCode = seen.results.some(
    ({ kind, format }) =>
      kind !== "audit" && format === "exit_code" && kind !== "lint" && kind !== "types" && kind !== "build",
  );
  const skips = onlyExitCode ? findSkippedByText(changes.filter(({ path }) => isTest(path))) : [];
  return [...tamperingIn(product, onlyExitCode), ...skips].map(({ path, line, what }) =>
    weakenedObjection(`${path}: ${what}`, `${path}:${line} ${what}`),
  );
}

interface Fix {
  readonly isFix: boolean;
  readonly objections: readonly Objection[];
  readonly notes: readonly string[];
}

/** A fix begins with a test that fails without it. */
async function examineFix(trees: Trees, subject: Subject, task: ExaminedTask, run: Run): Promise<Fix> {
  const { seen, base, result, changes, isTest, testChecks } = subject;
  const isFix = task.type === "bugfix" || (task.type === undefined && task.builder === "BugFixer");
  const code = changes.filter(({ path }) => !isDocument(path));
  if (!isFix || code.length === 0 || testChecks.length === 0) return { isFix: false, objections: [], notes: [] };
  if (isFixed(seen.baseline, seen.results)) return { isFix, objections: [], notes: [] };
  if (!changes.some(({ path, kind }) => (isTest(path) || hasTestsInside(path)) && kind !== "deleted"))
    return { isFix, objections: [], notes: ["no test of this fix was added: nothing shows that the fault was there"] };
  const mixed = baseWithNewTests(base.entries, result.entries, changes, isTest);
  const tree = await trees.write(mixed.entries, mixed.texts);
  if (tree === seen.base_tree)
    return { isFix, objections: [], notes: ["no test of this fix was added: nothing shows that the fault was there"] };
  const fails = failsOnBase(seen.baseline, await run(tree, testChecks));
  const held = untestedObjection(
    "tests",
    "the tests of this fix pass on the base too: none of them shows the fault that was mended",
  );
  return { isFix, objections: fails ? [] : [held], notes: [] };
}

const weakenedObjection = (id: string, message: string): Objection => ({
  kind: "weakened",
  id: id.slice(0, 900),
  message: message.slice(0, 1900),
});
const untestedObjection = (id: string, message: string): Objection => ({ kind: "untested", id, message });

function withoutDoubles(objections: readonly Objection[]): Objection[] {
  return [...new Map(objections.map((one) => [`${one.kind} ${one.id}`, one])).values()];
}

function some(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${names.slice(0, 3).join(", ")}${more}`;
}
