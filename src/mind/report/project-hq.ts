import type { BoardRun, BoardTask } from "./queue/board-run.js";
import type { Section } from "./marked-sections.js";
import { plain, table } from "./markdown.js";

/* PROJECT_HQ.md: where a project stands, for people. Pure: the same runs give the same text. */

interface HandoffNote {
  readonly id: string;
  readonly path: string;
  readonly run_id: string;
  readonly summary: string;
}

export interface ProjectHq {
  readonly project: string;
  readonly updated_at: string | null;
  readonly updated_by: string;
  /** Oldest first. */
  readonly runs: readonly BoardRun[];
  readonly handoffs: readonly HandoffNote[];
}

/** However many tasks there are, people read this many rows; the queue has all of them. */
const MOST_ROWS = 60;
const MOST_DECISIONS = 15;
const MOST_SESSIONS = 15;

export function newBoard(project: string): string {
  return `# PROJECT_HQ: ${plain(project)}\n\nWhat stands between two markers is written by the Coordinator; the rest of this file is yours.\n`;
}

export function boardSections(hq: ProjectHq): Section[] {
  return [
    { name: "status-dashboard", text: lines("Status Dashboard", dashboard(hq)) },
    { name: "current-focus", text: lines("Current Focus", focus(hq.runs)) },
    { name: "roadmap", text: lines("Roadmap", roadmap(hq.runs)) },
    { name: "recent-decisions", text: lines("Recent Decisions", decisions(hq.runs)) },
    { name: "blockers", text: lines("Blockers", blockers(hq.runs)) },
    { name: "session-history", text: lines("Session History", sessions(hq.handoffs)) },
  ];
}

const lines = (title: string, body: readonly string[]) => `## ${title}\n\n${body.join("\n")}\n`;

const isOpen = ({ status }: BoardTask) => status === "pending" || status === "in_progress" || status === "blocked";

/** Waiting for its turn is being queued, in the words of a board. */
const SAID: Readonly<Record<BoardTask["status"], string>> = {
  pending: "queued",
  in_progress: "in progress",
  completed: "completed",
  blocked: "blocked",
  failed: "failed",
  skipped: "skipped",
  cancelled: "cancelled",
};

function dashboard({ runs, updated_at, updated_by }: ProjectHq): string[] {
  const all = runs.flatMap(({ tasks }) => tasks);
  const counted = (Object.keys(SAID) as BoardTask["status"][]).flatMap((status) => {
    const count = all.filter((task) => task.status === status).length;
    return count === 0 ? [] : [`${count} ${SAID[status]}`];
  });
  const open = all.filter(isOpen);
  const ended = all.filter((task) => !isOpen(task));
  const shown = [...ended.slice(-Math.max(0, MOST_ROWS - open.length)), ...open.slice(0, MOST_ROWS)];
  const left = all.length - shown.length;
  return [
    `**Last updated**: ${updated_at ?? "never"} by ${plain(updated_by)}`,
    `**Tasks**: ${counted.join(", ") || "none"}`,
    "",
    ...table(
      ["Task", "Title", "From", "Agent", "Priority", "Status", "Result"],
      shown.map((task) => [
        plain(task.id),
        plain(task.title, 80),
        plain(task.adr ?? task.run),
        plain(task.agent),
        task.priority,
        SAID[task.status],
        plain(task.result ?? task.reason ?? "", 120),
      ]),
    ),
    ...(left > 0 ? ["", `And ${left} more in the work queue.`] : []),
  ];
}

function focus(runs: readonly BoardRun[]): string[] {
  const active = runs.flatMap(({ tasks }) => tasks.filter(({ status }) => status === "in_progress"));
  if (active.length === 0) return ["Nobody works on a task."];
  return active.map(
    ({ id, title, assigned_to, stage, started_at, attempts }) =>
      `- **${plain(id)}**: ${plain(title)} (${plain(assigned_to)}, attempt ${attempts}, ${stage ?? "at work"}, since ${started_at ?? "now"})`,
  );
}

/** By decision record; what comes from none stands under its run. */
function roadmap(runs: readonly BoardRun[]): string[] {
  const groups = new Map<string, BoardTask[]>();
  for (const { run_id, request, tasks } of runs)
    for (const task of tasks) {
      const name = task.adr ?? `${run_id}: ${request}`;
      groups.set(name, [...(groups.get(name) ?? []), task]);
    }
  if (groups.size === 0) return ["Nothing is planned."];
  return [...groups].map(([name, tasks]) => {
    const done = tasks.filter(({ status }) => status === "completed").length;
    const mark = tasks.some(isOpen) ? " " : "x";
    const next = tasks
      .filter(({ status }) => status === "pending")
      .toSorted((a, b) => a.place - b.place)
      .slice(0, 1);
    return `- [${mark}] ${plain(name)}: ${done} of ${tasks.length} tasks done${next.map(({ id }) => `, next ${plain(id)}`).join("")}`;
  });
}

function decisions(runs: readonly BoardRun[]): string[] {
  const all = runs.flatMap(({ run_id, decisions: made }) => made.map((decision) => ({ ...decision, run_id })));
  const newest = all.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, MOST_DECISIONS);
  if (newest.length === 0) return ["None yet."];
  return newest.map(
    ({ at, by, said, run_id }) => `- ${at.slice(0, 16).replace("T", " ")} ${plain(said)} (${plain(by)}, ${run_id})`,
  );
}

function blockers(runs: readonly BoardRun[]): string[] {
  const all = runs.flatMap(({ run_id, blockers: found }) => found.map((blocker) => ({ ...blocker, run_id })));
  if (all.length === 0) return ["None."];
  return table(
    ["Task", "Reason", "Details", "Run"],
    all.map(({ task, reason, details, run_id }) => [
      plain(task ?? "the run"),
      plain(reason),
      plain(details, 300),
      run_id,
    ]),
  );
}

function sessions(handoffs: readonly HandoffNote[]): string[] {
  if (handoffs.length === 0) return ["No session has ended yet."];
  return handoffs
    .toReversed()
    .slice(0, MOST_SESSIONS)
    .map(({ id, path, run_id, summary }) => `- Session ended: [${id}](${path}), ${run_id}: ${plain(summary)}`);
}
