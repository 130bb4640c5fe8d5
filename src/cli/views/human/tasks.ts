import { describeChange } from "../../../app/inspect/open-entries.js";
import type { EditsSettled, HandoffLeft, PermissionAsked, TasksListed } from "../../../app/run-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

const MARKS = {
  pending: ["dim", "- pending"],
  in_progress: ["good", "+ in progress"],
  completed: ["good", "+ completed"],
  blocked: ["careful", "~ blocked"],
  failed: ["bad", "x failed"],
  skipped: ["dim", "- skipped"],
  cancelled: ["dim", "- cancelled"],
} as const;

/** The queue, a line a task, with what waits for a person at the end. */
export function tasksText({ only, tasks, next, proposed, notices }: TasksListed, paint: Paint): string[] {
  const edits = proposed.map(
    ({ id, run, task, change }) =>
      `${paint.careful("?")} ${id}  ${oneLine(describeChange(task, change))}  ${paint.dim(run)}`,
  );
  const decide = edits.length === 0 ? [] : ["Next: coordinator tasks adopt", "Next: coordinator tasks discard"];
  if (only === "proposed")
    return [
      ...edits,
      `${count(edits.length, "change")} of the work queue made by hand`,
      ...notices.slice(-5).map((notice) => paint.dim(oneLine(notice))),
      ...decide,
    ];
  if (tasks.length === 0) return ["There are no tasks.", ...edits, ...decide];
  const width = Math.min(32, Math.max(...tasks.map(({ id }) => id.length)));
  const open = tasks.filter(({ status }) => ["pending", "in_progress", "blocked"].includes(status)).length;
  return [
    ...tasks.map((task) => {
      const [look, mark] = MARKS[task.status];
      const why = task.reason === undefined ? "" : `  ${paint.dim(oneLine(task.reason).slice(0, 80))}`;
      return `${paint[look](mark.padEnd(14))} ${oneLine(task.id).padEnd(width)}  ${task.priority}  ${oneLine(task.assigned_to).slice(0, 20).padEnd(12)}  ${oneLine(task.title).slice(0, 60)}${why}`;
    }),
    "",
    ...edits,
    `${count(tasks.length, "task")}, ${open} open${next === null ? "" : `; next is ${oneLine(next)}`}`,
    ...decide,
  ];
}

export function editsText({ what, done }: EditsSettled): string[] {
  return [
    ...done.map(
      ({ edit, outcome }) => `${edit.id}  ${oneLine(describeChange(edit.task, edit.change))}: ${oneLine(outcome)}`,
    ),
    `${count(done.length, "change")} ${what === "adopt" ? "taken up" : "forgotten"}`,
  ];
}

export function handoffText({ record, text }: HandoffLeft): string[] {
  const { path, id, summary } = record;
  if (text !== null) return text.split("\n");
  return [`Handoff ${id}: ${oneLine(summary)}`, `Written: ${path}`, "Next: coordinator handoff --read"];
}

/*
 * The output of a hook for permissions is read by the agent's program, in the form of that program: this text is the
 * decision, and no text at all leaves it to the program.
 */

export function permissionText(asked: PermissionAsked): string[] {
  const decision = decisionOf(asked);
  return decision === null
    ? []
    : [JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })];
}

function decisionOf({ state, run_id, entry_id, words }: PermissionAsked): object | null {
  switch (state) {
    case "left":
      return null;
    case "allowed":
      return { behavior: "allow" };
    case "denied":
      return { behavior: "deny", message: `A person refused this${words === "" ? "" : `: ${words}`}` };
    case "waiting":
      return {
        behavior: "deny",
        message:
          `This still waits for a person and is neither allowed nor refused. They decide it with: coordinator answer ${entry_id} ` +
          `allow|deny --run ${run_id}, or in the dashboard. Tell them, and do something else meanwhile; ask again in the same ` +
          `words when they have decided.`,
      };
  }
}
