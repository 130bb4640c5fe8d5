import { z } from "zod";
import type { LevelContext } from "../../model/plan/level.js";
import { buildContextPrompt } from "./level-context.js";

/*
 * Prompts for an agent that resolves a conflict or reviews integrated work, and the form of its answer. Equal
 * conflicts give equal texts. Nothing it answers is believed: what it did is measured, and checked like all work.
 */

const line = (most: number) => z.string().max(most);

/** The answer of every coordination session. */
const review = {
  review_summary: line(4000).describe(
    "What each task accomplished, which conflicts there were, and what became of them.",
  ),
  warnings_for_next_level: z.array(line(1000)).max(50).default([]).describe("What those who build on this must know."),
};

export const ResolverAnswer = z.object({
  ...review,
  fixes_applied: z.array(line(1000)).max(100).describe("Each conflict and how it was resolved."),
  left_out: z
    .array(
      z.object({
        path: line(4096),
        line: line(10_000).describe("The line exactly as one side wrote it."),
        reason: line(1000).describe("Why it cannot stay."),
      }),
    )
    .max(1000)
    .default([])
    .describe("Every line that one side added, or that neither took away, and that is not in the result."),
});
export type ResolverAnswer = z.infer<typeof ResolverAnswer>;

export const ReviewerAnswer = z.object({
  ...review,
  fixes_applied: z.array(line(1000)).max(100).default([]),
  accept: z.boolean().describe("False only for a concrete defect that is named in defects."),
  defects: z
    .array(z.object({ path: line(4096), line: z.number().optional(), description: line(2000) }))
    .max(100)
    .default([])
    .describe("What is wrong, with its place: incomplete work, gaps between the tasks, what breaks something."),
});
export type ReviewerAnswer = z.infer<typeof ReviewerAnswer>;

/** A task as the other side of a conflict, or as part of what is reviewed. */
interface PromptTask {
  readonly task_id: string;
  readonly title: string;
  readonly description?: string | undefined;
}

export interface PromptConflict {
  readonly path: string;
  /** Null where that side has no such file. */
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
  /** Who changed it on the branch. */
  readonly others: readonly PromptTask[];
}

export interface ResolvePrompt {
  readonly level_number: number;
  /** The task whose change does not merge. */
  readonly task: PromptTask;
  readonly levels: readonly LevelContext[];
  readonly conflicts: readonly PromptConflict[];
  readonly checks: readonly string[];
}

interface Prompt {
  readonly prompt: string;
  /** The sides of each file, as documents. */
  readonly context: readonly { readonly ref: string; readonly text: string }[];
}

const ROLE = "You are a Level Coordinator reviewing parallel AC execution results.";
/** More of one side goes into no prompt; the whole of it stands in the files. */
const MOST_OF_A_SIDE = 48 * 1024;

/** Contract: pure. */
export function resolvePrompt({ level_number, task, levels, conflicts, checks }: ResolvePrompt): Prompt {
  const prompt = [
    `${ROLE} The change of one task does not merge with what is on the branch already. Each side was verified by itself.`,
    `## Level ${level_number} Results\n${results(task, conflicts, levels)}`,
    `## File Conflicts Detected\n${conflicts.map((conflict) => describeConflict(conflict, task)).join("\n")}`,
    `## Your Tasks
1. Read the conflicting files. They hold git's conflict markers: first the branch, then ${task.task_id}.
2. Run \`git diff\` to see what you have changed so far; the documents above hold the base and both sides of each file.
3. Resolve every conflict by editing those files, so that both tasks keep what they were to do. Leave no marker. Change
   no other file: such a result is refused.
4. Keep every line that either side added, and every line that neither took away. Where one of them cannot stay as it
   is, name it in left_out with the reason; a line that is missing and not named there makes the whole result refused.${checksText(checks)}
5. Provide a summary of:
   - What each AC accomplished
   - Any conflicts found and how you resolved them
   - Warnings or recommendations for the next level's ACs`,
    "Do not commit. Respond with a structured review.",
  ].join("\n\n");
  return { prompt, context: conflicts.flatMap((conflict) => sidesOf(conflict, task)) };
}

export interface ReviewPrompt {
  readonly level_number: number;
  readonly tasks: readonly PromptTask[];
  readonly levels: readonly LevelContext[];
  /** The integrated change, as a diff; the rest is in the files. */
  readonly diff: string;
  readonly concerns: readonly string[];
  readonly checks: readonly string[];
}

/** Contract: pure. */
export function reviewPrompt({ level_number, tasks, levels, diff, concerns, checks }: ReviewPrompt): Prompt {
  const conflicts = levels.flatMap(({ coordinator_review }) => coordinator_review?.conflicts_detected ?? []);
  const found = conflicts.map(
    ({ file_path, resolution_description }) => `- ${file_path}: ${resolution_description || "merged"}`,
  );
  const prompt = [
    `${ROLE} The work is merged and its checks have passed. You change nothing: you read, and you say what you find.`,
    `## Level ${level_number} Results\n${[...tasks.map(describeTask), buildContextPrompt(levels)].filter(Boolean).join("\n")}`,
    `## File Conflicts Detected\n${found.length === 0 ? "None." : found.join("\n")}`,
    concerns.length === 0 ? "" : `## Concerns\n${concerns.map((concern) => `- ${oneLine(concern)}`).join("\n")}`,
    `## Your Tasks
1. Read the files that were changed; the document above holds the change.
2. See whether each task did all it was to do, whether the parts fit together, and whether anything is missing between
   them.${checksText(checks)}
3. Look for what no check can see: answers written down for the inputs that the tests use, behaviour that depends on
   being tested (variables of CI, names of test runners, the time), faults that are caught and hidden, tests that would
   pass without the change.
4. Provide a summary of:
   - What each AC accomplished
   - Any conflicts found and how they were resolved
   - Warnings or recommendations for the next level's ACs
5. Set accept to false only for a concrete defect, and name it in defects with its place.`,
    "Respond with a structured review.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
  return { prompt, context: diff === "" ? [] : [{ ref: "the change", text: clipText(diff) }] };
}

function results(task: PromptTask, conflicts: readonly PromptConflict[], levels: readonly LevelContext[]): string {
  const others = new Map(conflicts.flatMap((conflict) => conflict.others.map((other) => [other.task_id, other])));
  const tasks = [...others.values(), task].map(describeTask);
  return [...tasks, buildContextPrompt(levels)].filter((part) => part !== "").join("\n");
}

/** One line each: what a task's author wrote must not pass for a heading of ours. */
function describeTask({ task_id, title, description }: PromptTask): string {
  const more = description === undefined || description === "" ? "" : ` — ${oneLine(description)}`;
  return `- ${task_id}: ${oneLine(title)}${more}`;
}

function describeConflict({ path, base, ours, theirs, others }: PromptConflict, task: PromptTask): string {
  const branch = others.length === 0 ? "the branch" : others.map(({ task_id }) => task_id).join(", ");
  if (ours === null) return `- ${path}: removed by ${branch}, changed by ${task.task_id}`;
  if (theirs === null) return `- ${path}: changed by ${branch}, removed by ${task.task_id}`;
  return `- ${path}: ${base === null ? "added" : "changed"} by ${branch} and by ${task.task_id}`;
}

function sidesOf({ path, base, ours, theirs }: PromptConflict, { task_id }: PromptTask) {
  const side = (name: string, text: string | null) => ({
    ref: `${path} ${name}`,
    text: text === null ? "(there is no such file)" : clipText(text),
  });
  return [side("on the base", base), side("on the branch", ours), side(`by ${task_id}`, theirs)];
}

function checksText(checks: readonly string[]): string {
  return checks.length === 0 ? "" : ` You may run the checks: ${checks.map((run) => `\`${run}\``).join(", ")}.`;
}

function clipText(text: string): string {
  return text.length <= MOST_OF_A_SIDE ? text : `${text.slice(0, MOST_OF_A_SIDE)}\n(cut off here)`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
