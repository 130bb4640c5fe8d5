import type { Blocker, BoardRun, BoardSession, BoardTask } from "./queue/board-run.js";
import { plain, table } from "./markdown.js";
import { mergeCommand } from "./merge-command.js";

/* The handoff to the next session: `sessions/YYYY-MM-DD-NNN.md`. Pure. */

export interface ChangedFile {
  readonly path: string;
  /** Null for what is not text. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly agent: string;
}

export interface Handoff {
  /** `2026-01-09-001` */
  readonly id: string;
  readonly project: string;
  readonly created_at: string;
  readonly run: BoardRun;
  readonly session: BoardSession;
  readonly files: readonly ChangedFile[];
  readonly adrs: readonly { readonly label: string; readonly path: string | null }[];
  readonly notes: readonly string[];
  /** As whom the run is merged, where the plan asks for reviews before. */
  readonly merge_as?: readonly string[];
}

/** Counts the results of the session. */
function countsOf(run: BoardRun, session: BoardSession) {
  const active = run.tasks.filter(({ status }) => status === "in_progress");
  return { completed: session.completed.length, in_progress: active.length, blockers: run.blockers.length };
}

export function summaryOf(run: BoardRun, session: BoardSession): string {
  const { completed, in_progress, blockers } = countsOf(run, session);
  return `${completed} completed, ${in_progress} in progress, ${blockers} blockers, ${duration(session)}`;
}

export function renderHandoff({
  id,
  project,
  created_at,
  run,
  session,
  files,
  adrs,
  notes,
  merge_as = [],
}: Handoff): string {
  const counts = countsOf(run, session);
  const byId = new Map(run.tasks.map((task) => [task.id, task]));
  const done = session.completed.flatMap((task) => byId.get(task) ?? []);
  const active = run.tasks.filter(({ status }) => status === "in_progress");
  return `${[
    `# Session Handoff: ${id}`,
    "",
    `**Project**: ${plain(project)}`,
    `**Created**: ${created_at}`,
    "**Created By**: Coordinator",
    "",
    "## Session Summary",
    "",
    `**Duration**: ${duration(session)}`,
    `**Tasks Completed**: ${counts.completed}`,
    `**Tasks In Progress**: ${counts.in_progress}`,
    `**Blockers**: ${counts.blockers}`,
    "",
    "## Completed This Session",
    "",
    ...table(
      ["Task", "Description", "Agent"],
      done.map(({ id: task, title, agent, assigned_to }) => [
        plain(task),
        plain(title),
        plain(describeBuilder(agent, assigned_to)),
      ]),
    ),
    "",
    "## Still In Progress",
    "",
    ...table(
      ["Task", "Status", "Notes"],
      active.map(({ id: task, stage, attempts, assigned_to, title }) => [
        plain(task),
        `attempt ${attempts}: ${stage ?? "at work"}`,
        plain(`${title} (${assigned_to})`),
      ]),
    ),
    "",
    "## Blocked (Need Human)",
    "",
    ...table(["Task", "Blocker", "Details"], run.blockers.map(blockerRow)),
    "",
    "## Next Session Should",
    "",
    ...nextSteps(run, merge_as).map((step, i) => `${i + 1}. ${step}`),
    "",
    "## Files Changed",
    "",
    ...table(["File", "+/-", "Agent"], files.map(fileRow)),
    "",
    "## ADRs Referenced",
    "",
    ...(adrs.length === 0
      ? ["- None"]
      : adrs.map(({ label, path }) => `- ${path === null ? plain(label) : `[${plain(label)}](${path})`}`)),
    "",
    "## Notes",
    "",
    ...notes.map((note) => `- ${plain(note, 600)}`),
  ].join("\n")}\n`;
}

const describeBuilder = (builder: string, agent: string) => (builder === agent ? builder : `${builder} (${agent})`);

function blockerRow({ task, reason, details }: Blocker): string[] {
  return [plain(task ?? "the run"), plain(reason), plain(details, 400)];
}

function fileRow({ path, added, removed, agent }: ChangedFile): string[] {
  return [plain(path, 400), added === null || removed === null ? "binary" : `+${added}/-${removed}`, plain(agent)];
}

const MOST_TASKS = 5;

/** Lists ready tasks first, in the order they would be started; then work to resume, and what waits on people. */
function nextSteps({ run_id, tasks, blockers, over, status }: BoardRun, mergeAs: readonly string[]): string[] {
  const pending = tasks
    .filter((task) => task.status === "pending")
    .toSorted((a, b) => Number(b.ready) - Number(a.ready) || a.place - b.place)
    .slice(0, MOST_TASKS);
  const first = pending.map(({ id, title, priority, ready }: BoardTask) =>
    ready
      ? `${plain(id)} (${priority}): ${plain(title)}`
      : `${plain(id)} (${priority}), when what it builds on is done: ${plain(title)}`,
  );
  const active = tasks.filter((task) => task.status === "in_progress");
  const going = active.map(({ id, stage }) => `Continue from ${plain(id)}: ${stage ?? "at work"}`);
  const waiting = blockers.length === 0 ? [] : ["Answer what waits on people: `coordinator inbox`"];
  const end =
    status === "completed"
      ? [
          `Look at the work and merge it: \`coordinator diff ${run_id}\`, \`${mergeCommand(run_id)}\`${mergeAs.length === 0 ? "" : `, reviewed by ${mergeAs.map(plain).join(" and ")}`}`,
        ]
      : over
        ? [`See why the run ended: \`coordinator status ${run_id}\``]
        : [`Go on: \`coordinator run --resume ${run_id}\``];
  return [...first, ...going, ...waiting, ...end];
}

/** `1 hour 5 minutes`. */
function duration({ started_at, last_at }: BoardSession): string {
  const minutes = Math.max(0, Math.round((Date.parse(last_at) - Date.parse(started_at)) / 60_000));
  if (minutes === 0) return "less than a minute";
  const unit = (n: number, name: string) => (n === 0 ? [] : [`${n} ${name}${n === 1 ? "" : "s"}`]);
  return [...unit(Math.floor(minutes / 60), "hour"), ...unit(minutes % 60, "minute")].join(" ");
}
