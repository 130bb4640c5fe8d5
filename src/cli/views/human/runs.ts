import type { RunOverview } from "../../../runs/overview.js";
import { NAMES } from "../../../runs/decide.js";
import type { OpenEntry } from "../../../runs/open-entries.js";
import type { StandingRun } from "../../../runs/standing.js";
import type {
  DecisionSent,
  InboxShown,
  LogVerified,
  RunAnchored,
  RunLine,
  RunReplayed,
  RunReport,
  RunsListed,
} from "../../run-reports.js";
import { ago, dollars } from "./figures.js";
import { diffText, mergeText } from "./merge.js";
import { notYet, runStatusText, standsMark, statusFooter, statusMark, taskPart } from "./run.js";
import { responseText } from "./response.js";
import { statsText } from "./stats.js";
import { editsText, handoffText, tasksText } from "./tasks.js";
import { refusedLines, saidLine } from "./words.js";
import { count, oneLine, type Paint, type ScreenSize, wrap } from "./screen.js";

/** What the commands about runs found, for people. */
export function runText(report: RunReport, paint: Paint, size: ScreenSize | null): string[] {
  switch (report.type) {
    case "runs":
      return runsText(report, paint);
    case "run_status":
      return runStatusText(report, paint, size);
    case "inbox":
      return inboxText(report, paint);
    case "decision":
      return decisionText(report, paint);
    case "replay":
      return replayText(report, paint);
    case "export":
      return [
        `Written: ${report.writtenTo ?? ""}, the tape of ${report.run_id}`,
        `Next: coordinator verify ${report.writtenTo ?? "FILE"}`,
      ];
    case "anchored":
      return anchoredText(report, paint);
    case "run_verification":
      return verifiedText(report, paint);
    case "merge":
      return mergeText(report, paint);
    case "diff":
      return diffText(report, paint);
    case "tasks":
      return tasksText(report, paint);
    case "edits":
      return editsText(report);
    case "handoff":
      return handoffText(report);
    case "interrupted":
      return [`Stopped. Go on: coordinator run --resume ${report.run_id}`];
    case "response":
      return responseText(report, paint);
    case "stats":
      return statsText(report, paint);
    case "watched":
      return [statusFooter(report.overview)];
  }
}

const NO_RUNS = "coordinator run --plan DIR";

function runsText({ runs, worker, now }: RunsListed, paint: Paint): string[] {
  if (runs.length === 0)
    return ["No run was started here yet.", "", 'Next: coordinator run "what you want"', `Next: ${NO_RUNS}`];
  const width = Math.max(...runs.map(({ run_id }) => run_id.length));
  const waiting = runs.reduce((sum, line) => sum + ("overview" in line ? line.overview.needs_you.length : 0), 0);
  const [standing] = worker === null ? runs.filter((line) => "overview" in line && line.overview.can_go_on) : [];
  const goOn = standing === undefined ? null : `coordinator run --resume ${standing.run_id}`;
  return [
    ...runs.map((line) => runLine(line, width, worker === null, now, paint)),
    "",
    `${count(runs.length, "run")}, ${waiting} waiting on you${worker === null ? "" : `; process ${worker} works on them`}`,
    `Next: ${waiting > 0 ? "coordinator inbox" : (goOn ?? `coordinator status ${runs[0]?.run_id ?? "RUN"}`)}`,
  ];
}

function runLine(line: RunLine, width: number, nobodyWorks: boolean, now: string, paint: Paint): string {
  const id = line.run_id.padEnd(width);
  if ("problem" in line) return `${id}  ${paint.bad("x unreadable")}    ${oneLine(line.problem)}`;
  const { status, phase, tasks, needs_you, spend, started_at, can_go_on }: RunOverview = line.overview;
  const you = needs_you.length === 0 ? "" : `needs you ${needs_you.length}`;
  const cost = `${dollars(spend.used.cost_usd)}${spend.budget === null ? "" : ` of ${dollars(spend.budget.cost_usd)}`}`;
  const estimated = spend.estimated.cost_usd > 0 ? "~" : "";
  return [
    id,
    nobodyWorks && can_go_on && status !== "pending" ? standsMark(paint, 14) : statusMark(status, paint, 14),
    phase.padEnd(10),
    `${tasks.done}/${tasks.total} tasks`.padEnd(16),
    you.padEnd(12),
    `${estimated}${cost}`.padEnd(18),
    `${ago(started_at, now)} ago`,
  ].join("  ");
}

function inboxText({ entries, standing, problems, now, next = [] }: InboxShown, paint: Paint): string[] {
  const broken = problems.map((problem) => `${paint.bad("x")} ${oneLine(problem)}`);
  if (entries.length + standing.length === 0) return [...broken, "Nothing waits on you."];
  const open = `${count(entries.length, "entry").replace("entrys", "entries")} in ${count(new Set(entries.map((e) => e.run_id)).size, "run")}, oldest first`;
  return [
    ...broken,
    ...entries.flatMap((entry) => [...entryText(entry, now, paint), ""]),
    ...standing.flatMap((run) => [...standingText(run, now, paint), ""]),
    [
      entries.length === 0 ? "Nobody has to decide anything" : `Inbox: ${open}`,
      ...(standing.length === 0 ? [] : [`${standing.length} to go on with`]),
    ].join("; "),
    ...next.map((command) => `Next, when they are answered: ${command}`),
  ];
}

function standingText({ run_id, since, done, total, command }: StandingRun, now: string, paint: Paint): string[] {
  const far = total === 0 ? "" : `, ${done} of ${count(total, "task")} done`;
  return [
    `${paint.careful("!")} ${paint.bold(run_id)}  stands still for ${ago(since, now)}${far}: nobody works on it`,
    `    ${paint.dim("$")} ${command}`,
  ];
}

function entryText(entry: OpenEntry, now: string, paint: Paint): string[] {
  const { id, kind, run_id, opened_at, about, options, reviewers, guards, escalation, commands } = entry;
  const details = escalation === null ? [] : packageLines(escalation, paint);
  return [
    `${paint.careful("?")} ${paint.bold(oneLine(id))}  ${NAMES[kind]}${taskPart(entry)}, ${ago(opened_at, now)} old${notYet(entry)}  ${paint.dim(run_id)}`,
    wrap(about.slice(0, 2000), "    "),
    ...options.map((option) => `    - ${oneLine(option).slice(0, 200)}`),
    ...(reviewers.length === 0 ? [] : [`    reviewers  ${reviewers.map(oneLine).join(", ")}`]),
    ...(guards.length === 0
      ? []
      : [
          `    holds up   ${guards.slice(0, 6).map(oneLine).join(", ")}${guards.length > 6 ? ` and ${guards.length - 6} more` : ""}`,
        ]),
    ...details,
    ...saidLine(entry.said, 1000, "    "),
    // What holds a result is listed with it.
    ...(escalation?.liftable?.objections === undefined ? refusedLines(entry.refused, 5, "    ") : []),
    ...commands.map((command) => `    ${paint.dim("$")} ${command}`),
  ];
}

function packageLines(
  { type, severity, response, package: sent, liftable }: NonNullable<OpenEntry["escalation"]>,
  paint: Paint,
) {
  const row = (name: string, value: string) =>
    value === "" ? [] : [`    ${name.padEnd(10)} ${oneLine(value).slice(0, 200)}`];
  return [
    `    ${paint.dim(`${type}, ${severity}; the policy says: ${response.replaceAll("_", " ")}`)}`,
    ...row("input", sent.input),
    ...row("context", sent.injected_context.join(", ")),
    ...row("output", sent.output),
    ...(sent.violation === "" || liftable?.objections !== undefined ? [] : row("violation", sent.violation)),
    ...(liftable?.tests ?? []).map(({ check, name }) => `    may go     ${oneLine(`${check}: ${name}`).slice(0, 200)}`),
    ...(liftable?.objections ?? []).map(
      ({ kind, message }) => `    ${kind.padEnd(10)} ${oneLine(message).slice(0, 400)}`,
    ),
    ...(liftable?.guardrails ?? []).map(
      ({ rule_id, path, override }) =>
        `    may go     ${oneLine(`${rule_id} at ${path}, lifted by: ${override}`).slice(0, 200)}`,
    ),
  ];
}

function decisionText(report: DecisionSent, paint: Paint): string[] {
  const { id, run_id, decided, by, status, sequence, reason, left_for, next } = report;
  const what = `${oneLine(id)}: ${decided} by ${oneLine(by)}`;
  const more = next.map((command) => `Next: ${command}`);
  switch (status) {
    case "taken":
      return [`${paint.good("+ taken")}  ${what}, event ${sequence ?? "?"} of ${run_id}`, ...more];
    case "left":
      return [
        `${paint.careful("~ left")}  ${what}; left for the running process ${left_for ?? ""}, which has not taken it yet`,
        ...more,
      ];
    case "refused":
      return [`${paint.bad("x refused")}  ${oneLine(id)}: ${oneLine(reason ?? "")}`, ...more];
  }
}

function replayText({ run, last, events, wantsEvents, overview }: RunReplayed, paint: Paint): string[] {
  const told = events.flatMap(({ sequence, clock_ms, told: text, changes }) => [
    `${String(sequence).padStart(String(last).length)}  ${paint.dim(`${clock_ms} ms`)}  ${oneLine(text).slice(0, 200)}`,
    ...changes.map((change) => `${" ".repeat(String(last).length)}    ${paint.dim(oneLine(change).slice(0, 200))}`),
  ]);
  return [
    ...told,
    ...(wantsEvents ? [""] : []),
    `${statusMark(overview.status, paint)}  ${paint.bold(run.run_id)} at event ${run.sequence} of ${last}, ${overview.phase}${overview.reason === "" ? "" : `: ${oneLine(overview.reason)}`}`,
    ...overview.running
      .slice(0, 20)
      .map(({ task_id, stage, attempt }) => `  ${oneLine(task_id)}  ${stage}, attempt ${attempt}`),
    ...overview.needs_you.slice(0, 20).map(({ id, kind }) => `  ${paint.careful("?")} ${oneLine(id)}  ${NAMES[kind]}`),
    statusFooter(overview),
  ];
}

function anchoredText({ run_id, places, next }: RunAnchored, paint: Paint): string[] {
  return [
    ...places.map(({ where, sequence, written, problem }) =>
      problem === null
        ? `${paint.good("+ anchored")}  ${oneLine(where)}  up to event ${sequence}${written === 0 ? ", as before" : ""}`
        : `${paint.bad("x failed  ")}  ${oneLine(where)}  ${oneLine(problem)}`,
    ),
    places.some(({ problem }) => problem !== null) ? `${run_id} is not anchored everywhere.` : `Anchored: ${run_id}`,
    `Next: ${next}`,
  ];
}

function verifiedText({ file, verification }: LogVerified, paint: Paint): string[] {
  const { run_id, passed, checks, findings, proves, unproven, events } = verification;
  const subject = file === null ? run_id : `${file}, the tape of ${run_id},`;
  return [
    ...checks.map(({ name, passed: holds, detail }) => {
      // Requirements that nobody could prove are no fault of the log, and not missing from it either.
      const unknown = name === "requirements" ? paint.careful("? open  ") : paint.dim("- absent");
      const mark = holds === null ? unknown : holds ? paint.good("+ holds ") : paint.bad("x broken");
      return `${mark}  ${name.padEnd(11)}  ${oneLine(detail)}`;
    }),
    ...section(
      "Found",
      findings.slice(0, 20).map(({ kind, message }) => `${kind}: ${message}`),
      paint,
    ),
    ...(findings.length > 20 ? [`  and ${findings.length - 20} more; --json lists all`] : []),
    ...section("Proven", proves, paint),
    ...section("Not proven", unproven, paint),
    "",
    passed
      ? `Verified: ${subject} has ${count(events, "event")}; ${upTo(verification)}`
      : `Not verified: ${subject} is not as it was written, first at event ${findings[0]?.sequence ?? 0}.`,
  ];
}

function upTo({ proven }: LogVerified["verification"]): string {
  return proven.sequence === 0
    ? "nobody vouches for its end"
    : `vouched for up to event ${proven.sequence} by ${proven.by === "anchor" ? "an anchor" : "a checkpoint"}`;
}

function section(name: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0
    ? []
    : ["", paint.bold(name), ...lines.map((line) => wrap(line, "    ").replace(/^ {4}/, "  - "))];
}
