import type { RunnableEffect } from "../engine/effect-runner.js";
import type { VerdictReport } from "../../model/settings/check.js";
import type { RunEvent } from "../../model/event.js";
import {
  type ACContextSummary,
  type CoordinatorReview,
  type FileConflict,
  LevelContext as LevelContextSchema,
  type LevelContext,
} from "../../model/plan/level.js";
import type { RunPolicy, RunTask } from "../../model/run.js";
import { extractLevelContext, withReview } from "./level-context.js";
import type { Layout } from "../../mind/run/layout.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { integrationRecord } from "../../mind/run/record-names.js";
import type { RunState } from "../../mind/run/state.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import type { IntegrationRecord } from "./integration-record.js";
import { levelOf, levelRecord, wholeLevelRecord } from "./level-records.js";
import { concerns, conflictsOf, warningOf } from "./measured-conflicts.js";
import { resolutionOf } from "./resolve-conflict.js";
import type { ReviewOfWork } from "./review-work.js";
import type { RunRecords } from "../attempts/run-records.js";

/*
 * The description of a task once it is integrated: exact and without any agent, what it did, whom it met and what those
 * after it must know; on top of that what an agent said that resolved its conflict, and where something makes one doubt the
 * work, or each time in the mode that asks for it, a review by an agent. Where levels are kept, the last of a level speaks for all of it.
 */

export interface ReviewParts {
  readonly layout: Layout;
  readonly policy: Pick<RunPolicy, "schedule" | "coordinator_mode">;
  readonly records: RunRecords;
  readonly state: () => RunState;
  readonly resultOf: (taskId: string, attempt: number) => Promise<AttemptResult | null>;
  /** The tasks that came onto the branch between a commit and another, which is one of its own. */
  readonly landedBetween: (
    base: string,
    commit: string,
  ) => Promise<readonly { readonly task_id: string; readonly attempt: number }[]>;
  readonly review: ReviewOfWork;
  readonly now: () => number;
}

export type ReviewEffect = Extract<RunnableEffect, { kind: "review_level" }>;
type Review = (effect: ReviewEffect, task: RunTask, signal: AbortSignal) => Promise<RunEvent>;

/** Contract: one at a time, in the order they were asked for: two that end a level together must see each other. */
export function createReviews(parts: ReviewParts): Review {
  let before: Promise<unknown> = Promise.resolve();
  return (effect, task, signal) => {
    const next = before.then(() => runLevelReview(parts, effect, task, signal));
    before = next.catch(() => undefined);
    return next;
  };
}

async function runLevelReview(
  parts: ReviewParts,
  effect: ReviewEffect,
  task: RunTask,
  signal: AbortSignal,
): Promise<RunEvent> {
  const began = parts.now();
  const { task_id, attempt } = effect;
  const key = attemptKey(task_id, attempt);
  const integration = await integrationOf(parts.records, task_id);
  const mechanical = await mechanicalContext(parts, effect, task, integration);
  await parts.records.write(levelRecord(task_id), mechanical);
  const whole = parts.policy.schedule === "levels" ? await wholeLevel(parts, task, mechanical) : mechanical;
  const reviewed =
    whole === null || !(await isReviewed(parts, whole))
      ? null
      : await parts.review({ task, attempt, context: whole, commits: await commitsOf(parts, whole), signal });
  const took = Math.max(0, parts.now() - began) / 1000;
  const context =
    reviewed === null ? measureTime(whole ?? mechanical, took) : withAnswer(whole ?? mechanical, reviewed, took);
  await parts.records.write(levelRecord(task_id), whole === mechanical ? context : measureTime(mechanical, took));
  if (parts.policy.schedule === "levels" && whole !== null)
    await parts.records.write(wholeLevelRecord(context.level_number), context);
  const accepted = reviewed?.accepted ?? true;
  if (accepted) await parts.records.write(`reviewed ${key}`, { task_id, attempt });
  const summary = context.coordinator_review?.review_summary ?? "";
  return {
    type: "review_finished",
    task_id,
    attempt,
    accepted,
    summary: accepted ? summary : (reviewed?.defects ?? []).join("; "),
  };
}

/** Each time, or where something makes one doubt the work: what git could not merge had its own session already. */
async function isReviewed({ policy, records }: ReviewParts, { completed_acs }: LevelContext): Promise<boolean> {
  if (policy.coordinator_mode !== "conflicts") return policy.coordinator_mode === "always";
  for (const { task_id } of completed_acs) {
    const found = (await records.read(concernsRecord(task_id))) as readonly string[] | null;
    if (found !== null && found.length > 0) return true;
  }
  return false;
}

const concernsRecord = (taskId: string): string => `concerns ${taskId}`;

async function integrationOf(records: RunRecords, taskId: string): Promise<IntegrationRecord | null> {
  return (await records.read(integrationRecord(taskId))) as IntegrationRecord | null;
}

/** Who did what, who met, and what is worth a warning. No agent is asked, so it costs nothing. */
async function mechanicalContext(
  parts: ReviewParts,
  { task_id, attempt }: ReviewEffect,
  task: RunTask,
  integration: IntegrationRecord | null,
): Promise<LevelContext> {
  const key = attemptKey(task_id, attempt);
  const result = await parts.resultOf(task_id, attempt);
  const { plan, indexOf } = parts.layout;
  const index = indexOf.get(task_id) ?? -1;
  const found = await resolutionOf(parts.records, key);
  const resolution = found?.taken === true ? found : null;
  const conflicts = await conflictsOf(parts, index, { result, integration, resolution });
  const verdict = (await parts.records.read(`verdict ${key}`)) as VerdictReport | null;
  const doubts = concerns(result, verdict, integration);
  await parts.records.write(concernsRecord(task_id), doubts);
  const summary: ACContextSummary = {
    ac_index: index,
    task_id,
    summary: task.title,
    files_modified: (result?.changes ?? []).map(({ path }) => path),
  };
  const review: CoordinatorReview = {
    level_number: levelOf(parts.layout, task),
    conflicts_detected: conflicts,
    review_summary: resolution?.answer?.review_summary ?? describeConflicts(conflicts),
    fixes_applied: resolution?.answer?.fixes_applied ?? [],
    warnings_for_next_level: [
      ...conflicts.map((conflict) => warningOf(plan, conflict, index)),
      ...(resolution?.answer?.warnings_for_next_level ?? []),
      ...(resolution?.answer?.left_out ?? []).map(
        ({ path, line, reason }) => `${path}: left out of the merge: ${line.trim()} (${reason})`,
      ),
      ...doubts,
    ],
    duration_seconds: 0,
    session_id: resolution?.session_id ?? null,
  };
  return withReview(extractLevelContext(review.level_number, [summary]), review);
}

function describeConflicts(conflicts: readonly FileConflict[]): string {
  return conflicts.length === 0
    ? "No other task touched the same files."
    : `${conflicts.length} files were touched by others too, and all lines are kept.`;
}

/** The level as a whole when this task is the last of it; null when others are still on their way. */
async function wholeLevel(parts: ReviewParts, task: RunTask, own: LevelContext): Promise<LevelContext | null> {
  const state = parts.state();
  const contexts: LevelContext[] = [];
  for (const [i, other] of parts.layout.plan.tasks.entries()) {
    if (levelOf(parts.layout, other) !== own.level_number) continue;
    if (other.task_id === task.task_id) {
      contexts.push(own);
      continue;
    }
    const { state: now, attempts } = state.tasks.get(i);
    if (now.status === "failed" || now.status === "skipped" || now.status === "cancelled") continue;
    const done = await parts.records.read(`reviewed ${attemptKey(other.task_id, attempts)}`);
    if (now.status !== "completed" && done === null) return null;
    const read = LevelContextSchema.safeParse(await parts.records.read(levelRecord(other.task_id)));
    if (read.success) contexts.push(read.data);
  }
  return joinContexts(own.level_number, contexts);
}

function joinContexts(level: number, contexts: readonly LevelContext[]): LevelContext {
  const reviews = contexts.flatMap(({ coordinator_review }) => coordinator_review ?? []);
  const conflicts = new Map(reviews.flatMap((each) => each.conflicts_detected.map((c) => [c.file_path, c])));
  const review: CoordinatorReview = {
    level_number: level,
    conflicts_detected: [...conflicts.values()],
    review_summary:
      conflicts.size === 0
        ? "No two tasks of the level touched the same files."
        : [...new Set(reviews.filter((r) => r.conflicts_detected.length > 0).map((r) => r.review_summary))].join(" "),
    fixes_applied: reviews.flatMap(({ fixes_applied }) => fixes_applied),
    warnings_for_next_level: [...new Set(reviews.flatMap(({ warnings_for_next_level }) => warnings_for_next_level))],
    duration_seconds: 0,
    session_id: reviews.map(({ session_id }) => session_id).find((id) => id !== null) ?? null,
  };
  const completed = contexts.flatMap(({ completed_acs }) => completed_acs);
  return withReview(extractLevelContext(level, completed), review);
}

async function commitsOf({ records }: ReviewParts, { completed_acs }: LevelContext): Promise<string[]> {
  const found = await Promise.all(completed_acs.map(({ task_id }) => integrationOf(records, task_id)));
  return found.flatMap((each) => (each?.outcome.status === "integrated" ? [each.outcome.commit] : []));
}

function measureTime(context: LevelContext, duration_seconds: number): LevelContext {
  const { coordinator_review } = context;
  return coordinator_review === null ? context : withReview(context, { ...coordinator_review, duration_seconds });
}

function withAnswer(
  context: LevelContext,
  reviewed: Awaited<ReturnType<ReviewOfWork>>,
  duration_seconds: number,
): LevelContext {
  const { coordinator_review: review } = context;
  if (review === null || reviewed === null) return measureTime(context, duration_seconds);
  return withReview(context, {
    ...review,
    review_summary: reviewed.summary,
    warnings_for_next_level: [...review.warnings_for_next_level, ...reviewed.warnings],
    session_id: reviewed.session_id ?? review.session_id,
    duration_seconds,
  });
}
