import { NAMES } from "../../../app/decide/decide.js";
import type { RunFeedback, WaitingSend } from "../../../app/host-reports.js";
import type { OpenEntry } from "../../../app/inspect/open-entries.js";
import type { StalledRun } from "../../../app/inspect/stalled-runs.js";
import type { Objection } from "../../../model/run.js";
import type { InboxShown } from "../../../app/run-reports.js";
import { ago } from "../../../foundation/text/figures.js";
import { notYet, taskPart } from "./run.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint, shorten, wrap } from "./screen.js";
import { refusedLines, lastLine } from "./words.js";

/** Everything that waits on people, the oldest first, with what to type. */
export function inboxText(
  { entries, standing, on_host = [], to_send = [], problems, now, next = [] }: InboxShown,
  paint: Paint,
  room: number,
): string[] {
  const broken = problems.map((problem) => `${paint.bad("x")} ${oneLine(problem)}`);
  if (entries.length + standing.length + on_host.length + to_send.length === 0)
    return [...broken, "Nothing waits on you."];
  const open = `${count(entries.length, "entry").replace("entrys", "entries")} in ${count(new Set(entries.map((e) => e.run_id)).size, "run")}, oldest first`;
  return [
    ...broken,
    ...entries.flatMap((entry) => [...entryText(entry, now, paint, room), ""]),
    ...standing.flatMap((run) => [...stalledLines(run, now, paint), ""]),
    ...on_host.flatMap((pull) => [...feedbackLines(pull, paint, room), ""]),
    ...to_send.flatMap((send) => [...sendLines(send, paint, room), ""]),
    [
      entries.length === 0 ? "Nobody has to decide anything" : `Inbox: ${open}`,
      ...(standing.length === 0 ? [] : [`${standing.length} to resume`]),
      ...(on_host.length === 0 ? [] : [`${count(on_host.length, "pull request")} with remarks or red checks`]),
      ...(to_send.length === 0 ? [] : [`${count(to_send.length, "pull request")} to send`]),
    ].join("; "),
    ...next.map((command) => `Next, when they are answered: ${command}`),
  ];
}

function feedbackLines({ run_id, pull, address, remarks, checks }: RunFeedback, paint: Paint, room: number): string[] {
  return [
    `${paint.careful("?")} ${paint.bold(`#${pull}`)}  ${run_id}: ${oneLine(address)}`,
    ...remarks.map(({ by, path, line, text }) =>
      wrap(`${oneLine(by)} at ${oneLine(path)}${line === null ? "" : `:${line}`}: ${shorten(text, 300)}`, "    ", room),
    ),
    ...checks.map(({ name, conclusion, address: where }) => `    ${oneLine(name)}: ${conclusion} ${oneLine(where)}`),
    `    ${paint.dim("$")} coordinator sync`,
  ];
}

function sendLines({ run_id, repository, reason, until, command }: WaitingSend, paint: Paint, room: number): string[] {
  const when = until === null ? "when the host answers" : `after ${until}`;
  return [
    `${paint.careful("~")} ${paint.bold(run_id)}  its pull request at ${oneLine(repository)} waits on the host`,
    wrap(shorten(reason, 300), "    ", room),
    `    ${paint.dim("$")} ${command}  (${when})`,
  ];
}

function stalledLines({ run_id, since, done, total, command }: StalledRun, now: string, paint: Paint): string[] {
  const far = total === 0 ? "" : `, ${done} of ${count(total, "task")} done`;
  return [
    `${paint.careful("!")} ${paint.bold(run_id)}  stalled for ${ago(since, now)}${far}: nobody works on it`,
    `    ${paint.dim("$")} ${command}`,
  ];
}

function entryText(entry: OpenEntry, now: string, paint: Paint, room: number): string[] {
  const { id, kind, run_id, opened_at, about, options, reviewers, guards, escalation, commands } = entry;
  const text = escalation === null ? about : withoutListed(withoutProof(about), escalation);
  return [
    `${paint.careful("?")} ${paint.bold(oneLine(id))}`,
    paint.dim(
      wrap(`${NAMES[kind]}${taskPart(entry)}, ${ago(opened_at, now)} old${notYet(entry)}, ${run_id}`, "    ", room),
    ),
    ...(entry.asked === "" ? [] : [paint.dim(wrap(`asked for: ${shorten(entry.asked, 200)}`, "    ", room))]),
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
    ...lastLine(entry.said, 1000, "    "),
    // Objections to a result are listed with it.
    ...(escalation?.liftable?.objections === undefined ? refusedLines(entry.refused, 5, "    ") : []),
    ...commands.map((command) => `    ${paint.dim("$")} ${command}`),
  ];
}

/** The checksum of the record behind a verdict is for programs. */
function withoutProof(text: string): string {
  return text.replace(/ ?\[sha256:[0-9a-f]{64}\]/g, "");
}

/** The mark behind an objection in the reasons of a verdict, of today and of older logs. */
const WAIVABLE = ["(a person may waive it)", "(person may let it pass)"];

/** Without the objections, which are listed below it one by one. */
function withoutListed(text: string, { liftable }: NonNullable<OpenEntry["escalation"]>): string {
  const objections = liftable?.objections ?? [];
  if (objections.length === 0) return text;
  const [lead = "", ...said] = text.split(": ");
  const verdict = /^verdict [A-Z]+$/.test(said[0] ?? "") ? said.slice(1).join(": ") : "";
  const other = objections.reduce(
    (left, { message }) => WAIVABLE.reduce((rest, mark) => rest.replace(`${message} ${mark}`, ""), left),
    verdict,
  );
  const rest = other.split("; ").map((part) => part.trim());
  const list = `You decide about ${objections.length === 1 ? "this" : "these"}:`;
  return [`${lead}.`, ...rest, list].filter((part) => part !== "").join(" ");
}

/** Lines beyond the text, and advice for a failure of this kind. */
function packageLines(
  { type, package: sent, liftable }: NonNullable<OpenEntry["escalation"]>,
  text: string,
  room: number,
): string[] {
  const violation = withoutProof(sent.violation).replace(/^\w+(?: violation)?: /, "");
  // Objections to a result are listed below, one by one.
  const isSaid = liftable?.objections !== undefined || violation === "" || oneLine(text).includes(oneLine(violation));
  return [
    ...(isSaid ? [] : [wrap(shorten(violation, 600), "    ", room)]),
    ...(liftable?.tests ?? []).map(({ check, name }) => wrap(`may go: ${check}: ${name}`, "    ", room)),
    ...(liftable?.objections ?? []).map(({ kind, message }) => wrap(`${kind}: ${shorten(message, 400)}`, "    ", room)),
    ...(liftable?.guardrails ?? []).map(({ rule_id, path, override }) =>
      wrap(`may go: ${rule_id} at ${path}, waived by ${override}`, "    ", room),
    ),
    wrap(adviceFor(type, liftable?.objections ?? []), "    ", room),
  ];
}

type Escalation = NonNullable<OpenEntry["escalation"]>;

function adviceFor(type: Escalation["type"], objections: readonly Objection[]): string {
  const has = (wanted: string) => objections.some(({ kind }) => kind === wanted);
  return has("refused") ? WHEN_REFUSED : has("unproven") ? WHEN_UNPROVEN : ADVICE[type];
}

const WHEN_UNPROVEN =
  "Mend it, then order a recheck; lift --not-applicable says that it does not count here; lift takes the result without proof.";
const WHEN_REFUSED =
  "The order widen allows what was refused, where that is possible; waive takes the result as it is; a retry may have a --note TEXT for the agent.";

/** Advice for each kind of escalation. */
const ADVICE: Readonly<Record<Escalation["type"], string>> = {
  technical_blocker: "Mend what stopped it, then order a retry. A note goes to the agent: --note TEXT.",
  resource_exhaustion: "Add what it is short of, or give it up.",
  clarification_needed: "Answer it; the agent goes on with your words.",
  quality_failure: "Look at what was made. A retry with --note TEXT tells the agent what to do otherwise.",
  safety_concern: "Read what it did before anything else. A retry begins anew, on a clean workspace.",
  unknown: "coordinator replay RUN --events shows what led to it.",
};
