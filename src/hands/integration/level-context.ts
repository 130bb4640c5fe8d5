import type { ACContextSummary, CoordinatorReview, LevelContext } from "../../model/plan/level.js";

/* The description of a level for tasks that build on it: bounded in size, because it goes into every prompt. */

export interface ContextLimits {
  readonly tasks: number;
  readonly files_per_task: number;
  readonly summary_characters: number;
  readonly warnings: number;
  readonly warning_characters: number;
}

const CONTEXT_LIMITS: ContextLimits = {
  tasks: 50,
  files_per_task: 20,
  summary_characters: 300,
  warnings: 20,
  warning_characters: 300,
};

/** The mechanical part, which is always there: who completed what, in which files. */
export function extractLevelContext(level_number: number, completed: readonly ACContextSummary[]): LevelContext {
  return {
    level_number,
    completed_acs: [...completed].sort((a, b) => a.ac_index - b.ac_index),
    coordinator_review: null,
  };
}

export function withReview(context: LevelContext, coordinator_review: CoordinatorReview): LevelContext {
  return { ...context, coordinator_review };
}

/**
 * The contexts as somebody may know them who sees only these paths: other files are not named, and what a review says of
 * a level with such files is left out, because it may quote them. Contract: pure.
 */
export function seenLevels(levels: readonly LevelContext[], isSeen: (path: string) => boolean): LevelContext[] {
  return levels.map((level) => {
    const completed_acs = level.completed_acs.map((ac) => ({
      ...ac,
      files_modified: ac.files_modified.filter(isSeen),
    }));
    const isWhole = completed_acs.every(
      (ac, i) => ac.files_modified.length === level.completed_acs[i]?.files_modified.length,
    );
    const { coordinator_review: review } = level;
    if (isWhole || review === null) return { ...level, completed_acs };
    const coordinator_review: CoordinatorReview = {
      ...review,
      conflicts_detected: review.conflicts_detected.filter(({ file_path }) => isSeen(file_path)),
      review_summary: "",
      fixes_applied: [],
      warnings_for_next_level: ["some of it was done in files that are not shown to you"],
    };
    return { ...level, completed_acs, coordinator_review };
  });
}

/** The text for a prompt. Empty when there is nothing to tell. */
export function buildContextPrompt(levels: readonly LevelContext[], limits: ContextLimits = CONTEXT_LIMITS): string {
  const done = levels.flatMap(({ completed_acs }) => completed_acs);
  const work =
    done.length === 0
      ? []
      : [
          "## Previous Work Context",
          ...done.slice(-limits.tasks).map((ac) => describeWork(ac, limits)),
          ...moreThanLimit(done.length, limits.tasks, "task"),
        ];
  const reviews = levels.flatMap(({ coordinator_review }) =>
    coordinator_review === null ? [] : [describeReview(coordinator_review, limits)],
  );
  return [work.join("\n"), ...reviews].filter((part) => part !== "").join("\n\n");
}

function describeWork({ ac_index, summary, files_modified }: ACContextSummary, limits: ContextLimits): string {
  const files = files_modified.slice(0, limits.files_per_task).join(", ");
  const more =
    files_modified.length > limits.files_per_task ? ` and ${files_modified.length - limits.files_per_task} more` : "";
  return `- AC ${ac_index + 1}: ${clip(summary, limits.summary_characters)}${files === "" ? "" : ` (${files}${more})`}`;
}

function describeReview(review: CoordinatorReview, limits: ContextLimits): string {
  const lines = [`## Coordinator Review (Level ${review.level_number})`];
  const tell = ({ file_path, ac_indices }: { file_path: string; ac_indices: readonly number[] }) =>
    `${file_path} (${ac_indices.map((i) => `AC ${i + 1}`).join(" and ")} ${ac_indices.length === 2 ? "both " : ""}modified)`;
  const resolved = review.conflicts_detected.filter((conflict) => conflict.resolved);
  const open = review.conflicts_detected.filter((conflict) => !conflict.resolved);
  if (resolved.length > 0) lines.push(`Conflicts resolved: ${resolved.slice(0, limits.tasks).map(tell).join(", ")}`);
  if (open.length > 0) lines.push(`Conflicts open: ${open.slice(0, limits.tasks).map(tell).join(", ")}`);
  const warnings = review.warnings_for_next_level.slice(0, limits.warnings);
  if (warnings.length > 0)
    lines.push(`Warnings: ${warnings.map((text) => clip(text, limits.warning_characters)).join("; ")}`);
  lines.push(...moreThanLimit(review.warnings_for_next_level.length, limits.warnings, "warning"));
  return lines.length === 1 ? `${lines[0]}\nNo conflicts.` : lines.join("\n");
}

function moreThanLimit(count: number, limit: number, noun: string): string[] {
  return count > limit ? [`(${count - limit} more ${noun}${count - limit === 1 ? "" : "s"} not shown)`] : [];
}

/** One line, because what an agent wrote must not pass for a heading of ours. */
function clip(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
