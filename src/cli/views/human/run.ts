import { type FailedTask, type RunOverview, UNLIMITED } from "../../../runs/overview.js";
import type { OpenEntry } from "../../../runs/open-entries.js";
import type { RunShown } from "../../run-reports.js";
import { ago, dollars, spendLine } from "./amounts.js";
import { count, oneLine, type Paint, wrap } from "./screen.js";

/** However many tasks a run has, this much of each list is shown: a status is one screen. */
const MOST_RUNNING = 8;
const MOST_OPEN = 5;
const MOST_LEVELS = 4;
const MOST_FAILED = 5;
const MOST_ON_PATH = 6;

/** The status of one run. */
export function runStatusText(report: RunShown, paint: Paint): string[] {
  const { overview, worker, handoff, now, next } = report;
  return [
    ...headline(overview, worker, now, paint),
    ...levelsLine(overview),
    ...running(overview, now, paint),
    ...needsYou(overview.needs_you, now, paint),
    ...failures(overview.failed, paint),
    ...requirementLines(overview, paint),
    "",
    ...figures(overview),
    "",
    statusFooter(overview),
    ...(handoff === null
      ? []
      : [`Handoff of the last session, not read yet: ${oneLine(handoff)} (coordinator handoff --read)`]),
    ...next.map((command) => `Next: ${command}`),
  ];
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

function headline(overview: RunOverview, worker: number | null, now: string, paint: Paint): string[] {
  const { run_id, status, phase, reason, request, started_at, updated_at, events, paused, open_breakers } = overview;
  const over = status === "completed" || status === "failed";
  const who = over ? "" : worker === null ? "; nobody works on it now" : `; process ${worker} works on it`;
  return [
    `${statusMark(status, paint)}  ${paint.bold(run_id)}  ${phase}${reason === "" ? "" : `: ${oneLine(reason).slice(0, 160)}`}`,
    ...(request === "" ? [] : [`  ${oneLine(request).slice(0, 160)}`]),
    `  started ${ago(started_at, now)} ago, last event ${ago(updated_at, now)} ago, ${count(events, "event")}${who}`,
    ...(paused === null ? [] : [`  ${paint.careful("! paused")}  nothing new starts: ${oneLine(paused)}`]),
    ...(open_breakers.length === 0
      ? []
      : [`  ${paint.careful("! breaker")}  open for ${open_breakers.slice(0, 5).map(oneLine).join(", ")}`]),
  ];
}

/** `Levels  1: 3 of 4 done, 1 waits on you · 2: 0 of 2 done`; those that are done entirely are summed up. */
function levelsLine({ levels }: RunOverview): string[] {
  if (levels.length < 2) return [];
  const whole = levels.findIndex(({ done, total }) => done < total);
  const done = whole < 0 ? levels.length : whole;
  const open = levels.slice(done, done + MOST_LEVELS).map(({ level, total, done, running, blocked, failed }) => {
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

function running({ running: all }: RunOverview, now: string, paint: Paint): string[] {
  if (all.length === 0) return [];
  const shown = all.slice(0, MOST_RUNNING);
  const width = Math.min(28, Math.max(...shown.map(({ task_id }) => oneLine(task_id).length)));
  return [
    "",
    paint.bold(`Running (${all.length})`),
    ...shown.map(({ task_id, title, agent, attempt, stage, since, doing, used }) =>
      [
        `  ${oneLine(task_id).slice(0, 40).padEnd(width)}`,
        `${stage}, attempt ${attempt}, ${ago(since, now)}`.padEnd(28),
        `${oneLine(agent).slice(0, 24)}  ${doing === null ? paint.dim(oneLine(title).slice(0, 48)) : oneLine(doing).slice(0, 60)}`,
        ...(used.tokens === 0 ? [] : [paint.dim(`${used.tokens} tokens, ${dollars(used.cost_usd)}`)]),
      ].join("  "),
    ),
    ...andMore(all.length, MOST_RUNNING),
  ];
}

function needsYou(entries: readonly OpenEntry[], now: string, paint: Paint): string[] {
  if (entries.length === 0) return [];
  // A review of work that is not there yet can wait: what holds somebody up now comes first.
  const ordered = [...entries].sort((a, b) => Number(a.tasks_before > 0) - Number(b.tasks_before > 0));
  return [
    "",
    paint.bold(`Needs you (${entries.length})`),
    ...ordered
      .slice(0, MOST_OPEN)
      .flatMap((entry) => [
        `  ${paint.careful("?")} ${paint.bold(oneLine(entry.id))}  ${entry.kind.replace("_", " ")}${taskPart(entry)}, ${ago(entry.opened_at, now)}${notYet(entry)}`,
        wrap(entry.about.slice(0, 300), "    "),
        `    ${paint.dim("$")} ${entry.commands[0] ?? ""}`,
      ]),
    ...andMore(entries.length, MOST_OPEN, "coordinator inbox"),
  ];
}

export function taskPart({ task_id }: OpenEntry): string {
  return task_id === null ? "" : ` of ${oneLine(task_id)}`;
}

export function notYet({ tasks_before }: OpenEntry): string {
  return tasks_before === 0 ? "" : `, after ${count(tasks_before, "more task")}`;
}

function failures(failed: readonly FailedTask[], paint: Paint): string[] {
  if (failed.length === 0) return [];
  const roots = failed.filter(({ because_of }) => because_of === null);
  const taken = failed.length - roots.length;
  return [
    "",
    paint.bold(`Failed (${failed.length})`),
    ...roots.slice(0, MOST_FAILED).map(({ task_id, stage, reason, trouble }) => {
      const where = stage === null ? "" : ` (${stage})`;
      const why = trouble === null ? reason : `${reason}; ${trouble}`;
      return `  ${paint.bad("x")} ${oneLine(task_id)}${where}  ${oneLine(why).slice(0, 140)}`;
    }),
    ...andMore(roots.length, MOST_FAILED),
    ...(taken === 0 ? [] : [`  and ${count(taken, "task")} that build on them`]),
  ];
}

const MOST_REQUIREMENTS = 10;

/** `Requirements (4 of 5 hold)`: what does not hold first, each with what was seen. */
function requirementLines({ requirements }: RunOverview, paint: Paint): string[] {
  if (requirements === null) return [];
  const { commit, results, spec_id } = requirements;
  if (commit === null)
    return ["", `Requirements  ${results.length} of ${oneLine(spec_id)}, looked at when all is done`];
  const held = results.filter(({ holds }) => holds === true).length;
  const ordered = results.toSorted((a, b) => Number(a.holds === true) - Number(b.holds === true));
  return [
    "",
    paint.bold(`Requirements (${held} of ${results.length} hold on ${commit.slice(0, 12)})`),
    ...ordered.slice(0, MOST_REQUIREMENTS).map((result) => {
      const mark =
        result.holds === true ? paint.good("+") : result.priority === "must_have" ? paint.bad("x") : paint.careful("!");
      return `  ${mark} ${oneLine(result.told).slice(0, 200)}`;
    }),
    ...andMore(results.length, MOST_REQUIREMENTS),
  ];
}

function figures({ spend, critical_path, coordination, status }: RunOverview): string[] {
  const { minutes, tasks } = critical_path;
  const over = status === "completed" || status === "failed";
  const way = tasks.slice(0, MOST_ON_PATH).map(oneLine).join(" → ");
  const longer = tasks.length > MOST_ON_PATH ? " → …" : "";
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
