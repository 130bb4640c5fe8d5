import { createHash } from "node:crypto";
import type { LevelContext } from "../../model/plan/level.js";
import type { PlanRef, RunTask } from "../../model/run.js";
import { type Git, must } from "./merge.js";
import { ReviewerAnswer, reviewPrompt } from "./resolve-prompt.js";
import type { Sessions } from "./coordination-session.js";

/*
 * A review by an agent, in the mode that asks for one each time. It reads and writes nothing. It refuses the work only by
 * naming what is wrong and where: a review that is unhappy without a defect, or that never came about, is a warning.
 */

interface WorkToReview {
  readonly task: RunTask;
  readonly attempt: number;
  readonly context: LevelContext;
  /** The commits by which the branch took it. */
  readonly commits: readonly string[];
  readonly signal: AbortSignal;
}

interface ReviewedWork {
  readonly accepted: boolean;
  readonly defects: readonly string[];
  readonly summary: string;
  readonly warnings: readonly string[];
  readonly session_id: string | null;
}

/** Null when there is nothing to review. */
export type ReviewOfWork = (work: WorkToReview) => Promise<ReviewedWork | null>;

export interface WorkReviewParts {
  readonly plan: PlanRef;
  readonly git: Git;
  readonly sessions: Sessions;
  readonly checks: readonly string[];
  readonly base: string;
  /** Which agent reviews. */
  readonly reviewer: string | null;
}

export function workReviewer({ plan, git, sessions, checks, base, reviewer }: WorkReviewParts): ReviewOfWork {
  return async ({ task, attempt, context, commits, signal }) => {
    const span = await spanOf(git, base, commits);
    if (span === null) return null;
    const ids = new Set(context.completed_acs.map(({ task_id }) => task_id));
    const tasks = plan.tasks.filter(({ task_id }) => ids.has(task_id));
    const { prompt, context: documents } = reviewPrompt({
      level_number: context.level_number,
      tasks,
      levels: [context],
      diff: await diffOf(git, span),
      concerns: context.coordinator_review?.warnings_for_next_level ?? [],
      checks,
    });
    const ended = await sessions.open({
      purpose: "review",
      task,
      attempt,
      about: createHash("sha256").update(`${span.from} ${span.to}`).digest("hex").slice(0, 12),
      base: span.to,
      write: [],
      paths: await changedPaths(git, span),
      prompt,
      context: documents,
      answer: ReviewerAnswer,
      signal,
    });
    const mechanical = context.coordinator_review?.review_summary ?? "";
    if (ended.status === "failed")
      return {
        accepted: true,
        defects: [],
        summary: `${mechanical} No review by an agent came about: ${ended.message}`.trim(),
        warnings: [`no review by an agent came about: ${ended.message}`],
        session_id: null,
      };
    const answer = ReviewerAnswer.parse(ended.result.structured);
    const defects = answer.defects.map(
      ({ path, line, description }) => `${path}${line === undefined ? "" : `:${line}`}: ${description}`,
    );
    const accepted = answer.accept || defects.length === 0;
    return {
      accepted,
      defects,
      summary: `${answer.review_summary}${describeSameAgent(reviewer, tasks)}`,
      warnings: [
        ...answer.warnings_for_next_level,
        ...(answer.accept ? defects : []),
        ...(!answer.accept && accepted ? ["the review did not accept the work and named no defect"] : []),
      ],
      session_id: ended.result.session_id,
    };
  };
}

/** A review is worth less when its author wrote the work, even in a session that knows nothing of the other. */
function describeSameAgent(reviewer: string | null, tasks: readonly RunTask[]): string {
  return tasks.some(({ agent }) => agent === reviewer)
    ? ` (Reviewed by ${reviewer}, which wrote the work, in a new session.)`
    : "";
}

interface Span {
  readonly from: string;
  readonly to: string;
}

/** From before the first of these commits to the last of them, along the branch. Null when none is on it. */
async function spanOf(git: Git, base: string, commits: readonly string[]): Promise<Span | null> {
  const wanted = new Set(commits);
  const tips = await Promise.all(
    commits.map(async (commit) => {
      const listed = await must(git, ["rev-list", "--first-parent", `${base}..${commit}`]);
      return listed.split("\n").filter((line) => line !== "");
    }),
  );
  // The branch is one line: the longest way back holds all the others.
  const line = tips.reduce<string[]>((longest, each) => (each.length > longest.length ? each : longest), []);
  const first = line.findLast((commit) => wanted.has(commit));
  const [to] = line;
  return first === undefined || to === undefined ? null : { from: `${first}^1`, to };
}

async function changedPaths(git: Git, { from, to }: Span): Promise<string[]> {
  const listed = await must(git, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]);
  return listed.split("\0").filter((path) => path !== "");
}

async function diffOf(git: Git, { from, to }: Span): Promise<string> {
  return must(git, ["diff-tree", "-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv", from, to]);
}
