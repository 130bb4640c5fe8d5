import type { Deed, Hands } from "../engine/hands.js";
import type { Check, VerdictReport } from "../model/check.js";
import type { RunEvent } from "../model/event.js";
import type { ACContextSummary, CoordinatorReview, FileConflict, LevelContext } from "../model/level.js";
import { LevelContext as LevelContextSchema } from "../model/level.js";
import type { PlanRef, RunTask } from "../model/run.js";
import { detectConflicts } from "../review/detect-conflicts.js";
import type { Integrated, IntegrationQueue } from "../review/integrate.js";
import { extractLevelContext, withReview } from "../review/level-context.js";
import { attemptKey } from "../run/ledger.js";
import type { createAttempts } from "./attempt-deed.js";
import type { AttemptResult } from "./attempt-order.js";
import type { RunRecords } from "./run-records.js";

/*
 * The hands of a run: attempt, verify, integrate, review. Each deed leaves a record beside the log and ends in the
 * event that says how it went; asked again it finds what it did and does not do it twice.
 */

export interface HandsParts {
  readonly plan: PlanRef;
  readonly attempts: ReturnType<typeof createAttempts>;
  readonly records: RunRecords;
  readonly queue: IntegrationQueue;
  readonly checks: readonly Check[];
  /** Contract: the verdict on a commit against its base, with what rules hold against it. */
  readonly prove: (result: AttemptResult, task: RunTask, signal: AbortSignal) => Promise<VerdictReport>;
  /** The message a change is taken onto the branch with. */
  readonly messageFor: (task: RunTask, attempt: number, verdict: VerdictReport) => string;
  readonly now: () => number;
}

type TaskDeed = Extract<Deed, { kind: "verify" | "integrate" | "review_level" }>;

export function createHands(parts: HandsParts): Hands {
  const taskOf = (taskId: string) => parts.plan.tasks.find(({ task_id }) => task_id === taskId) as RunTask;
  return {
    act: (_, deed, signal) => {
      switch (deed.kind) {
        case "start_attempt":
          return parts.attempts.start(deed, signal);
        case "stop_attempt":
          return parts.attempts.stop(deed);
        case "verify":
          return verifyDeed(parts, deed, taskOf(deed.task_id), signal);
        case "integrate":
          return integrateDeed(parts, deed, taskOf(deed.task_id));
        case "review_level":
          return reviewDeed(parts, deed, taskOf(deed.task_id));
      }
    },
  };
}

async function verifyDeed(parts: HandsParts, deed: TaskDeed, task: RunTask, signal: AbortSignal): Promise<RunEvent> {
  const { task_id, attempt } = deed;
  const result = await parts.attempts.resultOf(task_id, attempt);
  if (result === null)
    return {
      type: "verification_finished",
      task_id,
      attempt,
      verdict: "BLOCKED",
      evidence: "the attempt's record is gone",
    };
  const report = await parts.prove(result, task, signal);
  const { ref } = await parts.records.write(`verdict ${attemptKey(task_id, attempt)}`, report);
  return {
    type: "verification_finished",
    task_id,
    attempt,
    verdict: report.verdict,
    evidence: tellVerdict(report, result.refused, ref),
  };
}

function tellVerdict(report: VerdictReport, refused: readonly string[], ref: string): string {
  const said = report.reasons.length > 0 ? report.reasons.slice(0, 5).join("; ") : "nothing is worse than on the base";
  const notes = [
    report.pre_existing.length > 0 ? `${report.pre_existing.length} failed before` : "",
    report.flaky.length > 0 ? `${report.flaky.length} flaky` : "",
    report.fixed.length > 0 ? `${report.fixed.length} fixed` : "",
    report.verdict !== "PASS" && refused.length > 0 ? `it was refused ${refused.slice(0, 3).join("; ")}` : "",
  ].filter((note) => note !== "");
  return `${said}${notes.length > 0 ? ` (${notes.join(", ")})` : ""} [${ref}]`;
}

/** What became of an integration, kept for the review and for people. */
interface IntegrationRecord {
  readonly task_id: string;
  readonly attempt: number;
  readonly onto: string;
  readonly outcome: Integrated;
}

async function integrateDeed(parts: HandsParts, deed: TaskDeed, task: RunTask): Promise<RunEvent> {
  const { task_id, attempt } = deed;
  const result = await parts.attempts.resultOf(task_id, attempt);
  const report = (await parts.records.read(`verdict ${attemptKey(task_id, attempt)}`)) as VerdictReport | null;
  const ended = (integrated: boolean, ref: string): RunEvent => ({
    type: "integration_finished",
    task_id,
    attempt,
    integrated,
    ref,
  });
  if (result === null || report === null) return ended(false, "the record of its attempt or verdict is gone");
  if (result.commit === null) return ended(true, await parts.queue.tip());
  const onto = await parts.queue.tip();
  const message = parts.messageFor(task, attempt, report);
  const outcome = await parts.queue.integrate({ task_id, attempt, commit: result.commit, message });
  const record: IntegrationRecord = { task_id, attempt, onto, outcome };
  await parts.records.write(`integration ${task_id}`, record);
  return outcome.status === "integrated" ? ended(true, outcome.commit) : ended(false, tellIntegration(outcome));
}

function tellIntegration(outcome: Exclude<Integrated, { status: "integrated" }>): string {
  switch (outcome.status) {
    case "conflict":
      return `conflict in ${outcome.conflicts.map(({ path }) => path).join(", ")}`;
    case "lossy":
      return `the merge would lose ${outcome.lost.length} lines, the first in ${outcome.lost[0]?.path ?? "?"}`;
    case "regression":
      return `passes alone and not together with what is on the branch: ${outcome.report.reasons.slice(0, 3).join("; ")}`;
  }
}

/** Mechanical, exact, and without any agent: what the task did, whom it met, and what those after it must know. */
async function reviewDeed(parts: HandsParts, deed: TaskDeed, task: RunTask): Promise<RunEvent> {
  const began = parts.now();
  const { task_id, attempt } = deed;
  const result = await parts.attempts.resultOf(task_id, attempt);
  const index = parts.plan.tasks.indexOf(task);
  const conflicts = await conflictsOf(parts, task, index, result);
  const warnings = [...conflicts.map((conflict) => warningOf(parts.plan, conflict, index)), ...mismatches(result)];
  const summary: ACContextSummary = {
    ac_index: index,
    task_id,
    summary: task.title,
    files_modified: (result?.changes ?? []).map(({ path }) => path),
  };
  const review: CoordinatorReview = {
    level_number: levelOf(parts.plan, task),
    conflicts_detected: conflicts,
    review_summary:
      conflicts.length === 0
        ? "No other task touched the same files."
        : `${conflicts.length} files were touched by others too, and all lines are kept.`,
    fixes_applied: [],
    warnings_for_next_level: warnings,
    duration_seconds: Math.max(0, parts.now() - began) / 1000,
    session_id: null,
  };
  const context = withReview(extractLevelContext(review.level_number, [summary]), review);
  await parts.records.write(`level ${task_id}`, context);
  return { type: "review_finished", task_id, attempt, accepted: true, summary: review.review_summary };
}

/** Files this task changed that another one, on the branch since this one began, changed too. */
async function conflictsOf(
  parts: HandsParts,
  task: RunTask,
  index: number,
  result: AttemptResult | null,
): Promise<FileConflict[]> {
  const mine = (await parts.records.read(`integration ${task.task_id}`)) as IntegrationRecord | null;
  if (result === null || mine === null || mine.onto === result.base) return [];
  const others: { index: number; changes: { path: string; change: "added" | "modified" | "deleted" }[] }[] = [];
  for (const [i, other] of parts.plan.tasks.entries()) {
    if (i === index) continue;
    const theirs = (await parts.records.read(`integration ${other.task_id}`)) as IntegrationRecord | null;
    const changes =
      theirs?.outcome.status === "integrated" ? await parts.attempts.resultOf(other.task_id, theirs.attempt) : null;
    if (changes !== null && !task.dependencies.includes(other.task_id))
      others.push({ index: i, changes: asChanges(changes) });
  }
  const byKeys = mine.outcome.status === "integrated" ? mine.outcome.by_keys : [];
  return detectConflicts([{ index, changes: asChanges(result) }, ...others])
    .filter(({ ac_indices }) => ac_indices.includes(index))
    .map((conflict) => ({
      ...conflict,
      resolved: true,
      resolution_description: byKeys.includes(conflict.file_path)
        ? "merged by keys"
        : "merged by lines, all kept, and verified together",
    }));
}

function asChanges({ changes }: AttemptResult) {
  return changes.map(({ path, change }) => ({
    path,
    change: change === "typechanged" ? ("modified" as const) : change,
  }));
}

function warningOf({ tasks }: PlanRef, { file_path, ac_indices }: FileConflict, self: number): string {
  const others = ac_indices.filter((i) => i !== self).map((i) => tasks[i]?.task_id ?? String(i));
  return `${file_path} was changed by ${others.join(", ")} at the same time; look at it as it is now`;
}

/** What an agent says of its edits is kept and compared: git decides. */
function mismatches(result: AttemptResult | null): string[] {
  if (result === null || result.reported.length === 0) return [];
  const real = new Set(result.changes.map(({ path }) => path));
  const said = new Set(result.reported);
  const silent = [...real].filter((path) => !said.has(path));
  return silent.length === 0 ? [] : [`changed without saying so: ${silent.slice(0, 5).join(", ")}`];
}

/** How many tasks stand one behind the other before this one. */
function levelOf({ tasks }: PlanRef, task: RunTask): number {
  const byId = new Map(tasks.map((each) => [each.task_id, each]));
  const known = new Map<string, number>();
  const level = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    known.set(id, 1);
    const found = 1 + Math.max(0, ...(byId.get(id)?.dependencies ?? []).map(level));
    known.set(id, found);
    return found;
  };
  return level(task.task_id);
}

/** What a task builds on, as it was left: everything it depends on, near and far. */
export async function contextFor(plan: PlanRef, task: RunTask, records: RunRecords): Promise<LevelContext[]> {
  const byId = new Map(plan.tasks.map((each) => [each.task_id, each]));
  const behind = new Set<string>();
  const walk = (id: string) => {
    for (const dependency of byId.get(id)?.dependencies ?? [])
      if (!behind.has(dependency)) {
        behind.add(dependency);
        walk(dependency);
      }
  };
  walk(task.task_id);
  const found: LevelContext[] = [];
  for (const { task_id } of plan.tasks) {
    if (!behind.has(task_id)) continue;
    const read = LevelContextSchema.safeParse(await records.read(`level ${task_id}`));
    if (read.success) found.push(read.data);
  }
  return found;
}
