import type { RunOverview } from "../../../app/inspect/overview.js";
import { NAMES } from "../../../app/decide/decide.js";
import type { OpenEntry } from "../../../app/inspect/open-entries.js";
import type { StandingRun } from "../../../app/inspect/standing.js";
import type {
  DecisionSent,
  InboxShown,
  LogVerified,
  RunAnchored,
  RunLine,
  RunReplayed,
  RunReport,
  RunsListed,
} from "../../../app/run-reports.js";
import { ago, dollars } from "../../../foundation/text/figures.js";
import { diffText, mergeText } from "./merge.js";
import { notYet, runStatusText, standsMark, statusFooter, statusMark, taskPart } from "./run.js";
import { responseText } from "./response.js";
import { statsText } from "./stats.js";
import { editsText, handoffText, tasksText } from "./tasks.js";
import { refusedLines, saidLine } from "./words.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint, type ScreenSize, shorten, USUAL_WIDTH, wrap } from "./screen.js";

/** What the commands about runs found, for people. */
export function runText(report: RunReport, paint: Paint, size: ScreenSize | null): string[] {
  const room = size?.columns ?? USUAL_WIDTH;
  switch (report.type) {
    case "runs":
      return runsText(report, paint, room);
    case "run_status":
      return runStatusText(report, paint, size);
    case "inbox":
      return inboxText(report, paint, room);
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
      return responseText(report, paint, room);
    case "stats":
      return statsText(report, paint);
    case "watched":
      return [statusFooter(report.overview)];
  }
}

const NO_RUNS = "coordinator run --plan DIR";

function runsText({ runs, now }: RunsListed, paint: Paint, room: number): string[] {
  if (runs.length === 0)
    return ["No run was started here yet.", "", 'Next: coordinator run "what you want"', `Next: ${NO_RUNS}`];
  const width = Math.max(...runs.map(({ run_id }) => run_id.length));
  const waiting = runs.reduce((sum, line) => sum + ("overview" in line ? line.overview.needs_you.length : 0), 0);
  const isWorkedOn = (line: RunLine) => "worker" in line && line.worker !== null;
  const standing = runs.find((line) => "overview" in line && line.overview.can_go_on && !isWorkedOn(line));
  const working = runs.filter(isWorkedOn).length;
  const goOn = standing === undefined ? null : `coordinator run --resume ${standing.run_id}`;
  return [
    ...runs.flatMap((line) => runLine(line, width, now, paint, room)),
    "",
    `${count(runs.length, "run")}, ${waiting} waiting on you${working === 0 ? "" : `, ${working} being carried out`}`,
    `Next: ${waiting > 0 ? "coordinator inbox" : (goOn ?? `coordinator status ${runs[0]?.run_id ?? "RUN"}`)}`,
  ];
}

/** How it stands on one line, what it is about on the next. */
function runLine(line: RunLine, width: number, now: string, paint: Paint, room: number): string[] {
  const id = line.run_id.padEnd(width);
  if ("problem" in line) return [`${paint.bad("x unreadable")}    ${id}`, wrap(line.problem, "    ", room)];
  const { status, request, tasks, needs_you, spend, started_at, can_go_on }: RunOverview = line.overview;
  const mark =
    line.worker === null && can_go_on && status !== "pending" ? standsMark(paint, 14) : statusMark(status, paint, 14);
  const estimated = spend.estimated.cost_usd > 0 ? "~" : "";
  const you = needs_you.length === 0 ? "" : `needs you ${needs_you.length}: `;
  const standing = [
    mark,
    id,
    `${tasks.done}/${tasks.total} tasks`,
    `${estimated}${dollars(spend.used.cost_usd)}`,
    `${ago(started_at, now)} ago`,
    ...(line.worker === null ? [] : [`process ${line.worker}`]),
  ];
  return [standing.join("  "), `    ${paint.careful(you)}${shorten(request, Math.max(20, room - 4 - you.length))}`];
}

function inboxText({ entries, standing, problems, now, next = [] }: InboxShown, paint: Paint, room: number): string[] {
  const broken = problems.map((problem) => `${paint.bad("x")} ${oneLine(problem)}`);
  if (entries.length + standing.length === 0) return [...broken, "Nothing waits on you."];
  const open = `${count(entries.length, "entry").replace("entrys", "entries")} in ${count(new Set(entries.map((e) => e.run_id)).size, "run")}, oldest first`;
  return [
    ...broken,
    ...entries.flatMap((entry) => [...entryText(entry, now, paint, room), ""]),
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

function entryText(entry: OpenEntry, now: string, paint: Paint, room: number): string[] {
  const { id, kind, run_id, opened_at, about, options, reviewers, guards, escalation, commands } = entry;
  const text = escalation === null ? about : withoutProof(about);
  return [
    `${paint.careful("?")} ${paint.bold(oneLine(id))}`,
    paint.dim(
      wrap(`${NAMES[kind]}${taskPart(entry)}, ${ago(opened_at, now)} old${notYet(entry)}, ${run_id}`, "    ", room),
    ),
    wrap(shorten(text, 2000), "    ", room),
    ...options.map((option) => wrap(`- ${shorten(option, 200)}`, "    ", room)),
    ...(reviewers.length === 0 ? [] : [wrap(`reviewers: ${reviewers.map(oneLine).join(", ")}`, "    ", room)]),
    ...(guards.length === 0
      ? []
      : [
          wrap(
            `holds up ${guards.slice(0, 6).map(oneLine).join(", ")}${guards.length > 6 ? ` and ${guards.length - 6} more` : ""}`,
            "    ",
            room,
          ),
        ]),
    ...(escalation === null ? [] : packageLines(escalation, text, room)),
    ...saidLine(entry.said, 1000, "    "),
    // What holds a result is listed with it.
    ...(escalation?.liftable?.objections === undefined ? refusedLines(entry.refused, 5, "    ") : []),
    ...commands.map((command) => `    ${paint.dim("$")} ${command}`),
  ];
}

/** The checksum of the record behind a verdict is for programs. */
function withoutProof(text: string): string {
  return text.replace(/ ?\[sha256:[0-9a-f]{64}\]/g, "");
}

/** What is not in the text already, and what helps against a failure of this kind. */
function packageLines(
  { type, package: sent, liftable }: NonNullable<OpenEntry["escalation"]>,
  text: string,
  room: number,
): string[] {
  const violation = withoutProof(sent.violation).replace(/^\w+(?: violation)?: /, "");
  // What holds a result is listed below, one by one.
  const isSaid = liftable?.objections !== undefined || violation === "" || oneLine(text).includes(oneLine(violation));
  return [
    ...(isSaid ? [] : [wrap(shorten(violation, 600), "    ", room)]),
    ...(liftable?.tests ?? []).map(({ check, name }) => wrap(`may go: ${check}: ${name}`, "    ", room)),
    ...(liftable?.objections ?? []).map(({ kind, message }) => wrap(`${kind}: ${shorten(message, 400)}`, "    ", room)),
    ...(liftable?.guardrails ?? []).map(({ rule_id, path, override }) =>
      wrap(`may go: ${rule_id} at ${path}, lifted by ${override}`, "    ", room),
    ),
    wrap(ADVICE[type], "    ", room),
  ];
}

/** What a person can do about each kind of trouble. */
const ADVICE: Readonly<Record<NonNullable<OpenEntry["escalation"]>["type"], string>> = {
  technical_blocker: "Mend what stopped it, then order a retry. A note goes to the agent: --note TEXT.",
  resource_exhaustion: "Add what it is short of, or give it up.",
  clarification_needed: "Answer it; the agent goes on with your words.",
  quality_failure: "Look at what was made. A retry with --note TEXT tells the agent what to do otherwise.",
  safety_concern: "Read what it did before anything else. A retry begins anew, on a clean workspace.",
  unknown: "coordinator replay RUN --events tells what led to it.",
};

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
