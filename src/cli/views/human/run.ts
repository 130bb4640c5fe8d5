import { UNLIMITED } from "../../../model/amount-names.js";
import type { FailedTask, RunOverview } from "../../../app/inspect/overview.js";
import type { OpenEntry } from "../../../app/inspect/open-entries.js";
import type { RunShown } from "../../../app/run-reports.js";
import { spendLine } from "./amounts.js";
import { ago, dollars } from "../../../foundation/text/figures.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, cutTo, type Paint, type ScreenSize, widthIn, wrap } from "./screen.js";
import { lastWordsText, lastLine } from "./words.js";

/** How much of each list is shown, however many tasks a run has. */
interface Most {
  readonly running: number;
  readonly open: number;
  readonly levels: number;
  readonly failed: number;
  readonly onPath: number;
  readonly requirements: number;
  /** Letters of what somebody is asked. */
  readonly about: number;
  /** Tasks whose last words are shown. */
  readonly words: number;
}

/** A status is one screen: the first of these that fits is shown, and the least in any case. */
const MOST: readonly [Most, ...Most[]] = [
  { running: 8, open: 5, levels: 4, failed: 5, onPath: 6, requirements: 10, about: 300, words: 4 },
  { running: 5, open: 3, levels: 4, failed: 3, onPath: 6, requirements: 5, about: 300, words: 2 },
  { running: 3, open: 2, levels: 3, failed: 2, onPath: 4, requirements: 3, about: 150, words: 1 },
  { running: 2, open: 1, levels: 2, failed: 1, onPath: 3, requirements: 2, about: 90, words: 0 },
  { running: 1, open: 1, levels: 1, failed: 1, onPath: 2, requirements: 1, about: 70, words: 0 },
];

/** The status of one run, as much of it as a screen of this size shows; no size is a page of its own. */
export function runStatusText(report: RunShown, paint: Paint, size: ScreenSize | null = null): string[] {
  if (size === null) return statusLines(report, paint, MOST[0]);
  let lines: string[] = [];
  for (const most of MOST) {
    lines = statusLines(report, paint, most)
      .flatMap((line) => line.split("\n"))
      .map((line) => cutLine(line, size.columns));
    // The prompt of anyone who looks needs a line as well.
    if (rowsOf(lines, size.columns) < size.rows) return lines;
  }
  return lines.filter((line) => line !== "");
}

function statusLines(report: RunShown, paint: Paint, most: Most): string[] {
  const { overview, worker, handoff, now, next } = report;
  return [
    ...headline(overview, worker, now, paint),
    ...levelsLine(overview, most.levels),
    ...describeRunning(overview, most.running, now, paint),
    ...needsYou(overview.needs_you, most, now, paint),
    ...failures(overview.failed, most.failed, paint),
    ...requirementLines(overview, most.requirements, paint),
    ...lastWordsText(wordsBeside(overview), most.words, 160, paint),
    "",
    ...figures(overview, most.onPath),
    "",
    statusFooter(overview),
    ...(handoff === null
      ? []
      : [`Handoff of the last session, not read yet: ${oneLine(handoff)} (coordinator handoff --read)`]),
    ...next.map((command) => `Next: ${command}`),
  ];
}

/** Of what is asked about, the words stand with the question. */
function wordsBeside({ last_words, needs_you }: RunOverview): RunOverview["last_words"] {
  return last_words.filter(({ task_id }) => !needs_you.some((entry) => entry.task_id === task_id));
}

/** Cuts a line, but not a command to type: a terminal breaks it, and it can still be copied. */
function cutLine(line: string, columns: number): string {
  // oxlint-disable-next-line no-control-regex -- the looks of a text are control characters
  const isTyped = /^Next: |^ +(?:\u001b\[2m)?\$ /.test(line);
  return isTyped || widthIn(line) <= columns ? line : `${cutTo(line, columns - 1).text}…`;
}

function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthIn(line) / columns)), 0);
}

/** `Tasks 9 done, 2 running, 3 waiting · Needs you 1 · $4.12 of $15 · Failed: task_07 (verify)`. */
export function statusFooter({ tasks, needs_you, spend, failed }: RunOverview): string {
  const limit = spend.budget === null || spend.budget.cost_usd >= UNLIMITED ? null : spend.budget.cost_usd;
  const roots = failed.filter(({ because_of }) => because_of === null);
  const named = roots.slice(0, 3).map(({ task_id, stage }) => `${task_id}${stage === null ? "" : ` (${stage})`}`);
  const more = failed.length > named.length ? ` and ${failed.length - named.length} more` : "";
  const estimated = spend.estimated.cost_usd > 0 ? " (partly estimated)" : "";
  return [
    `Tasks ${tasks.done} done, ${tasks.running} running, ${tasks.waiting} waiting`,
    ...(needs_you.length === 0 ? [] : [`Needs you ${needs_you.length}`]),
    `${dollars(spend.used.cost_usd)}${limit === null ? "" : ` of ${dollars(limit)}`}${estimated}`,
    ...(failed.length === 0 ? [] : [`Failed: ${oneLine(named.join(", "))}${more}`]),
  ].join(" · ");
}

const MARKS = {
  pending: ["careful", "? pending"],
  in_progress: ["good", "+ in progress"],
  completed: ["good", "+ completed"],
  failed: ["bad", "x failed"],
  blocked: ["careful", "~ waits on you"],
} as const;

export function statusMark(status: RunOverview["status"], paint: Paint, width = 0): string {
  const [look, text] = MARKS[status];
  return paint[look](text) + " ".repeat(Math.max(0, width - text.length));
}

/** Of a run that nobody works on, though somebody could. */
export function stalledMark(paint: Paint, width = 0): string {
  return paint.careful("! stalled") + " ".repeat(Math.max(0, width - "! stalled".length));
}

function headline(overview: RunOverview, worker: number | null, now: string, paint: Paint): string[] {
  const { run_id, status, phase, reason, request, started_at, updated_at, events, paused } = overview;
  const { open_breakers, can_go_on } = overview;
  const over = status === "completed" || status === "failed";
  const mark = worker === null && can_go_on ? stalledMark(paint) : statusMark(status, paint);
  const who = over ? "" : worker === null ? "; nobody works on it now" : `; process ${worker} works on it`;
  return [
    `${mark}  ${paint.bold(run_id)}  ${phase}${reason === "" ? "" : `: ${oneLine(reason).slice(0, 160)}`}`,
    ...(request === "" ? [] : [`  ${oneLine(request).slice(0, 160)}`]),
    `  started ${ago(started_at, now)} ago, last event ${ago(updated_at, now)} ago, ${count(events, "event")}${who}`,
    ...(paused === null ? [] : [`  ${paint.careful("! paused")}  nothing new starts: ${oneLine(paused)}`]),
    ...(open_breakers.length === 0
      ? []
      : [`  ${paint.careful("! breaker")}  open for ${open_breakers.slice(0, 5).map(oneLine).join(", ")}`]),
  ];
}

/** `Levels  1: 3 of 4 done, 1 waits on you · 2: 0 of 2 done`; those that are done entirely are summed up. */
function levelsLine({ levels }: RunOverview, most: number): string[] {
  if (levels.length < 2) return [];
  const whole = levels.findIndex(({ done, total }) => done < total);
  const done = whole < 0 ? levels.length : whole;
  const open = levels.slice(done, done + most).map(({ level, total, done, running, blocked, failed }) => {
    const more = [
      ...(running > 0 ? [`${running} running`] : []),
      ...(blocked > 0 ? [`${blocked} waiting on you`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    return `${level}: ${[`${done} of ${total} done`, ...more].join(", ")}`;
  });
  const parts = [...(done > 0 ? [`${done} of ${levels.length} done`] : []), ...open];
  return ["", `Levels  ${parts.join(" · ")}`];
}

function describeRunning({ running: all }: RunOverview, most: number, now: string, paint: Paint): string[] {
  if (all.length === 0) return [];
  const shown = all.slice(0, most);
  const width = Math.min(28, Math.max(...shown.map(({ task_id }) => oneLine(task_id).length)));
  return [
    "",
    paint.bold(`Running (${all.length})`),
    ...shown.map(({ task_id, title, agent, attempt, stage, iterations, since, doing, used }) =>
      [
        `  ${oneLine(task_id).slice(0, 40).padEnd(width)}`,
        `${stage}, attempt ${attempt}${turnOf(stage, iterations)}, ${ago(since, now)}`.padEnd(28),
        `${oneLine(agent).slice(0, 24)}  ${doing === null ? paint.dim(oneLine(title).slice(0, 48)) : oneLine(doing).slice(0, 60)}`,
        ...(used.tokens === 0 ? [] : [paint.dim(`${used.tokens} tokens, ${dollars(used.cost_usd)}`)]),
      ].join("  "),
    ),
    ...andMore(all.length, most),
  ];
}

/** The turn an agent is in; nothing while it is in its first. */
function turnOf(stage: string, iterations: RunOverview["running"][number]["iterations"]): string {
  if (iterations === null) return "";
  const turn = Math.min(iterations.limit, iterations.ended + (stage === "attempt" ? 1 : 0));
  return `, iteration ${turn} of ${iterations.limit}`;
}

function needsYou(entries: readonly OpenEntry[], most: Most, now: string, paint: Paint): string[] {
  if (entries.length === 0) return [];
  // A review of work that is not there yet can wait: what holds somebody up now comes first.
  const ordered = [...entries].sort((a, b) => Number(a.tasks_before > 0) - Number(b.tasks_before > 0));
  return [
    "",
    paint.bold(`Needs you (${entries.length})`),
    ...ordered
      .slice(0, most.open)
      .flatMap((entry) => [
        `  ${paint.careful("?")} ${paint.bold(oneLine(entry.id))}  ${entry.kind.replace("_", " ")}${taskPart(entry)}, ${ago(entry.opened_at, now)}${notYet(entry)}`,
        wrap(entry.about.slice(0, most.about), "    "),
        ...(most.words === 0 ? [] : lastLine(entry.said, 200, "    ")),
        `    ${paint.dim("$")} ${entry.commands[0] ?? ""}`,
      ]),
    ...andMore(entries.length, most.open, "coordinator inbox"),
  ];
}

export function taskPart({ task_id }: OpenEntry): string {
  return task_id === null ? "" : ` of ${oneLine(task_id)}`;
}

export function notYet({ tasks_before }: OpenEntry): string {
  return tasks_before === 0 ? "" : `, after ${count(tasks_before, "more task")}`;
}

function failures(failed: readonly FailedTask[], most: number, paint: Paint): string[] {
  if (failed.length === 0) return [];
  const roots = failed.filter(({ because_of }) => because_of === null);
  const taken = failed.length - roots.length;
  return [
    "",
    paint.bold(`Failed (${failed.length})`),
    ...roots.slice(0, most).map(({ task_id, stage, reason, trouble }) => {
      const where = stage === null ? "" : ` (${stage})`;
      const why = trouble === null ? reason : `${reason}; ${trouble}`;
      return `  ${paint.bad("x")} ${oneLine(task_id)}${where}  ${oneLine(why).slice(0, 140)}`;
    }),
    ...andMore(roots.length, most),
    ...(taken === 0 ? [] : [`  and ${count(taken, "task")} that build on them`]),
  ];
}

/** `Requirements (4 of 5 hold)`: what does not hold first, each with what was seen. */
function requirementLines({ requirements }: RunOverview, most: number, paint: Paint): string[] {
  if (requirements === null) return [];
  const { commit, results, spec_id } = requirements;
  if (commit === null)
    return ["", `Requirements  ${results.length} of ${oneLine(spec_id)}, looked at when all is done`];
  const held = results.filter(({ holds }) => holds === true).length;
  const ordered = results.toSorted((a, b) => Number(a.holds === true) - Number(b.holds === true));
  return [
    "",
    paint.bold(`Requirements (${held} of ${results.length} hold on ${commit.slice(0, 12)})`),
    ...ordered.slice(0, most).map((result) => {
      const mark =
        result.holds === true ? paint.good("+") : result.priority === "must_have" ? paint.bad("x") : paint.careful("!");
      return `  ${mark} ${oneLine(result.told).slice(0, 200)}`;
    }),
    ...andMore(results.length, most),
  ];
}

function figures({ spend, critical_path, coordination, status }: RunOverview, most: number): string[] {
  const { minutes, tasks } = critical_path;
  const over = status === "completed" || status === "failed";
  const way = tasks.slice(0, most).map(oneLine).join(" → ");
  const longer = tasks.length > most ? " → …" : "";
  return [
    `Cost          ${spendLine(spend, "cost_usd")}`,
    `Tokens        ${spendLine(spend, "tokens")}`,
    ...(over || tasks.length === 0
      ? []
      : [`Left          at least ${Math.ceil(minutes)} min along ${count(tasks.length, "task")}: ${way}${longer}`]),
    `Coordination  ${(coordination.share * 100).toFixed(1)} % of the tokens${coordination.within ? "" : ", more than the 5 % it should take"}`,
  ];
}

function andMore(all: number, shown: number, where = "--json lists all"): string[] {
  return all > shown ? [`  and ${all - shown} more; ${where}`] : [];
}
