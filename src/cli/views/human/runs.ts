import type { RunOverview } from "../../../app/inspect/overview.js";
import { NAMES } from "../../../app/decide/decide.js";
import type {
  DecisionSent,
  LogVerified,
  RunAnchored,
  RunLine,
  RunReplayed,
  RunReport,
  RunsListed,
} from "../../../app/run-reports.js";
import { ago, dollars } from "../../../foundation/text/figures.js";
import { inboxText } from "./inbox.js";
import { diffText, mergeText } from "./merge.js";
import { runStatusText, stalledMark, statusFooter, statusMark } from "./run.js";
import { responseText } from "./response.js";
import { statsText } from "./stats.js";
import { editsText, handoffText, permissionText, tasksText } from "./tasks.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint, type ScreenSize, shorten, USUAL_WIDTH, wrap } from "./screen.js";

/** Shows the outcomes of commands about runs, for people. */
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
      return verificationText(report, paint);
    case "merge":
      return mergeText(report, paint);
    case "diff":
      return diffText(report, paint);
    case "tasks":
      return tasksText(report, paint);
    case "edits":
      return editsText(report);
    case "permission":
      return permissionText(report);
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
  const resumeWork = standing === undefined ? null : `coordinator run --resume ${standing.run_id}`;
  return [
    ...runs.flatMap((line) => runLine(line, width, now, paint, room)),
    "",
    `${count(runs.length, "run")}, ${waiting} waiting on you${working === 0 ? "" : `, ${working} being carried out`}`,
    `Next: ${waiting > 0 ? "coordinator inbox" : (resumeWork ?? `coordinator status ${runs[0]?.run_id ?? "RUN"}`)}`,
  ];
}

/** How it stands on one line, what it is about on the next. */
function runLine(line: RunLine, width: number, now: string, paint: Paint, room: number): string[] {
  const id = line.run_id.padEnd(width);
  if ("problem" in line) return [`${paint.bad("x unreadable")}    ${id}`, wrap(line.problem, "    ", room)];
  const { status, request, tasks, needs_you, spend, started_at, can_go_on }: RunOverview = line.overview;
  const mark =
    line.worker === null && can_go_on && status !== "pending" ? stalledMark(paint, 14) : statusMark(status, paint, 14);
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

function decisionText(report: DecisionSent, paint: Paint): string[] {
  const { id, run_id, decided, by, status, sequence, reason, left_for, left_on, kept, next } = report;
  const what = `${oneLine(id)}: ${decided} by ${oneLine(by)}`;
  const more = next.map((command) => `Next: ${command}`);
  switch (status) {
    case "taken":
      return [
        `${paint.good("+ taken")}  ${what}, event ${sequence ?? "?"} of ${run_id}`,
        ...(kept ? [`         kept in the log: no process carries out ${run_id} now`] : []),
        ...more,
      ];
    case "left":
      return [
        `${paint.careful("~ left")}  ${what}; left for the running process ${left_for ?? ""}${left_on === null ? "" : ` on ${oneLine(left_on)}`}, which has not taken it yet`,
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

function verificationText({ file, verification }: LogVerified, paint: Paint): string[] {
  const { run_id, passed, checks, findings, proves, unproven, events } = verification;
  const subject = file === null ? run_id : `${file}, the tape of ${run_id},`;
  return [
    ...checks.map(({ name, passed: holds, detail }) => {
      // Requirements that nobody could prove are not a fault of the log, and not missing from it either.
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
