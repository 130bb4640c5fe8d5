import type { CheckResult, VerdictReport } from "../../model/settings/check.js";
import type { Change } from "../../model/diff-gate.js";
import type { PlanRef, RunTask } from "../../model/run.js";
import { compilePaths } from "../../mind/scope/paths.js";

/*
 * A task that had nothing left to do. The builder something often writes its tests and its page as well; then the
 * tasks for those find the work done, and that is not a failure. It counts only with evidence: tests that were added and
 * pass, or pages that were written, by a task of the same run that this one builds on.
 */

/** A task that this one builds on, with what came of it. */
export interface EarlierWork {
  readonly task_id: string;
  /** The part of it that is on the branch. */
  readonly changes: readonly Change[];
  /** The checks on its base, and on its result. */
  readonly before: readonly CheckResult[];
  readonly after: VerdictReport["results"];
}

type LaterTask = Pick<RunTask, "type" | "scope" | "priority" | "adr">;

/** Describes the earlier work that did this already; null when there is none. Contract: pure. */
export function explainAlreadyDone(task: LaterTask, earlier: readonly EarlierWork[]): string | null {
  const evidence = task.type === "test" ? testsIn : task.type === "docs" ? pagesIn : null;
  if (evidence === null) return null;
  const isTarget = compilePaths(task.scope?.write ?? []).has;
  const found = earlier.flatMap((work) => {
    const said = evidence(work, isTarget);
    return said === null ? [] : [`already done by ${work.task_id}: ${said}`];
  });
  if (found.length > 0) return found.join("; ");
  if (earlier.length === 0 || !isOfferedPage(task)) return null;
  return `no page was changed: nothing was to be added for ${earlier.map(({ task_id }) => task_id).join(", ")}`;
}

/**
 * A page that the plan offers beside what was asked for: last in priority, and of no decision record. Not every change
 * needs one, so it stops nobody when none was written; the verdict says that there is none.
 */
function isOfferedPage({ type, priority, adr }: LaterTask): boolean {
  return type === "docs" && adr === undefined && (priority === "P2" || priority === "P3");
}

type IsTarget = (path: string) => boolean;

function testsIn({ changes, before, after }: EarlierWork, isTarget: IsTarget): string | null {
  const files = writtenChanges(changes).filter(({ path }) => isTarget(path));
  const checks = after.filter(({ kind }) => kind === "test");
  const added = checks.reduce((sum, result) => sum + newPasses(result, before), 0);
  if (added > 0) {
    const where = files.length === 0 ? "" : `${describeFiles(files)}, `;
    return `${where}${added} new ${added === 1 ? "test passes" : "tests pass"}`;
  }
  // A runner that names no test shows only that all of them pass; then at least a file of tests must be new.
  const passes = checks.find(
    ({ format, exit_code, ended }) => format === "exit_code" && ended === "exited" && exit_code === 0,
  );
  const tests = files.filter(({ path }) => TEST_FILE.test(path));
  return passes === undefined || tests.length === 0 ? null : `${describeFiles(tests)}, and ${passes.check} passes`;
}

/** Where a write scope covers product code too, only a name tells the two apart. */
const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:tests?|spec)\.\w+$|(?:^|\/)test_[^/]*$/i;

function pagesIn({ changes }: EarlierWork, isTarget: IsTarget): string | null {
  const files = writtenChanges(changes).filter(({ path }) => isTarget(path));
  return files.length === 0 ? null : describeFiles(files);
}

const writtenChanges = (changes: readonly Change[]) => changes.filter(({ change }) => change !== "deleted");

/** Tests that pass now and did not run, or did not pass, on the base. */
function newPasses(result: CheckResult, before: readonly CheckResult[]): number {
  const base = before.find(({ check }) => check === result.check);
  // Without the base it is unknown which are new.
  if (base === undefined || base.ended !== "exited") return 0;
  const known = new Map<string, number>();
  for (const { id, status } of base.findings) if (status === "passed") known.set(id, (known.get(id) ?? 0) + 1);
  let added = 0;
  for (const { id, status } of result.findings) {
    if (status !== "passed") continue;
    const left = known.get(id) ?? 0;
    if (left > 0) known.set(id, left - 1);
    else added++;
  }
  return added;
}

function describeFiles(files: readonly Change[]): string {
  const shown = files.slice(0, 3).map(({ path, change }) => `${path} ${change === "added" ? "added" : "changed"}`);
  return files.length > 3 ? `${shown.join(", ")} and ${files.length - 3} more` : shown.join(", ");
}

/** Every task that this one builds on, near or far. */
export function buildsOn({ tasks }: Pick<PlanRef, "tasks">, task: RunTask): string[] {
  const byId = new Map(tasks.map((one) => [one.task_id, one]));
  const found = new Set<string>();
  const open = [...task.dependencies];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(byId.get(next)?.dependencies ?? []));
  }
  return [...found].sort();
}

export interface EarlierParts {
  readonly plan: Pick<PlanRef, "tasks">;
  /** The result of the attempt of a task that is on the branch; null when none is. */
  readonly integrated: (
    taskId: string,
  ) => Promise<{ changes: readonly Change[]; base: string; verdict: VerdictReport } | null>;
  /** The checks on a commit, as they are known; run where they are not. */
  readonly checksOn: (commit: string) => Promise<readonly CheckResult[]>;
}

/** Contract: looks at nothing for a task that changed something, or whose kind is never done by another. */
export async function findEarlierWork(task: RunTask, changed: number, parts: EarlierParts): Promise<string | null> {
  if (changed > 0 || (task.type !== "test" && task.type !== "docs")) return null;
  const earlier: EarlierWork[] = [];
  for (const task_id of buildsOn(parts.plan, task)) {
    const work = await parts.integrated(task_id);
    if (work === null) continue;
    const before = task.type === "test" ? await parts.checksOn(work.base) : [];
    earlier.push({ task_id, changes: work.changes, before, after: work.verdict.results });
  }
  return explainAlreadyDone(task, earlier);
}
