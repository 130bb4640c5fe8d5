import type { AdrTask } from "../../../model/adr.js";
import type { AdrRecord, AdrsChecked, AdrsListed, AdrsWatched } from "../../../app/adr-reports.js";
import type { Why } from "../../../mind/adr/find-work.js";
import { problemLines } from "./problems.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint, wrap } from "./screen.js";

const MOST_CONSEQUENCES = 8;
const MOST_UNCLEAR = 8;

/** Each record as one block, and one line of counts. */
export function adrCheckText({ records }: AdrsChecked, paint: Paint): string[] {
  return [...records.flatMap((record) => [...block(record, paint), ""]), summary(records)];
}

function block(record: AdrRecord, paint: Paint): string[] {
  if (!record.ok) return [`${paint.bad("x unread")}  ${oneLine(record.file)}`, ...problemLines(record.problems, paint)];
  const { adr, breakdown } = record;
  const { tasks, held } = breakdown;
  return [
    `${mark(record, paint)}  ${paint.bold(adr.label)}  ${oneLine(adr.title)}`,
    `  ${paint.dim(oneLine(adr.file))}`,
    ...relations(record),
    ...(held === null ? [] : [wrap(`Held: ${held}`, "  ")]),
    ...describeCarriedOut(record, paint),
    ...(held === null && tasks.length === 0 ? ["  It asks for no work."] : []),
    ...tasks.flatMap((task, at) => [...taskLines(task, paint), ...reason(breakdown.why[at], paint)]),
    ...(breakdown.omitted === 0 ? [] : [`  and ${breakdown.omitted} more, which is too much for one record`]),
    ...unclearLines(record, paint),
    ...consequences(record, paint),
    ...problemLines(adr.diagnostics, paint),
  ];
}

function describeCarriedOut({ taken }: AdrRecord & { ok: true }, paint: Paint): string[] {
  if (taken === null) return [];
  if (!taken.changed) return [`  Carried out by ${taken.run_id}`];
  const text = `changed since ${taken.run_id} took it; an accepted record stays as it is, a new one takes its place`;
  return [`  ${paint.careful("! changed")}  ${text}`];
}

/** Shows records that were picked up, and those that have changed. */
export function adrWatchText({ picked, changed, before }: AdrsWatched, paint: Paint): string[] {
  return [
    ...picked.map(({ label, file, runId, message, exitCode }) => {
      const sign = exitCode === 0 ? paint.good("+") : paint.careful("~");
      return `${sign} ${label}  ${oneLine(file)}  ${runId ?? "no run"}: ${oneLine(message)}`;
    }),
    ...changed.map(
      ({ label, file, run_id }) =>
        `${paint.careful("! changed")}  ${label}  ${oneLine(file)}  since ${run_id ?? "it was first seen"}`,
    ),
    `ADRs: ${picked.length} picked up, ${changed.length} changed, ${before} accepted before the first watch`,
  ];
}

function mark(record: AdrRecord & { ok: true }, paint: Paint): string {
  const { status } = record.adr;
  if (status === "accepted") return paint.good("+ accepted");
  if (status === null) return paint.careful("~ no status");
  return status === "proposed" ? paint.careful(`~ ${status}`) : paint.dim(`- ${status}`);
}

function relations({ adr }: AdrRecord & { ok: true }): string[] {
  const { supersededBy, supersedes, related } = adr;
  const others = related.filter((name) => !supersedes.includes(name));
  const parts = [
    ...(supersededBy === null ? [] : [`superseded by ${supersededBy}`]),
    ...(supersedes.length === 0 ? [] : [`supersedes ${supersedes.join(", ")}`]),
    ...(others.length === 0 ? [] : [`related to ${others.join(", ")}`]),
  ];
  return parts.length === 0 ? [] : [wrap(parts.join("; "), "  ")];
}

function taskLines({ id, title, type, agent, priority, dependencies }: AdrTask, paint: Paint): string[] {
  return [
    `  ${paint.bold(id)}  ${oneLine(title)}  ${paint.dim(`${type}, ${agent}, ${priority}`)}`,
    ...dependencies.map(({ task, reason }) => `      after ${task}: ${oneLine(reason)}`),
  ];
}

/** Why a sentence was taken for a task; what stands in a list of work needs no reason. */
function reason(why: Why | undefined, paint: Paint): string[] {
  if (why === undefined || why.by === "list") return [];
  if (why.by !== "wording") return [paint.dim("      it obliges somebody to change something")];
  const words = why.words.map((part) => `“${oneLine(part)}”`).join(", ");
  return [paint.dim(`      by its wording, ${why.chance} of 100${words === "" ? "" : `: ${words}`}`)];
}

/** Sentences that a person has to read: they may oblige somebody, and no task was made of them. */
function unclearLines({ breakdown }: AdrRecord & { ok: true }, paint: Paint): string[] {
  const shown = breakdown.unclear.slice(0, MOST_UNCLEAR);
  if (shown.length === 0) return [];
  return [
    `  ${paint.careful("Not turned into tasks, though they may oblige somebody")}`,
    ...shown.map(({ text, line, chance }) => wrap(`line ${line}, ${chance} of 100: ${oneLine(text)}`, "    ")),
    ...(breakdown.unclear.length > shown.length ? [`    and ${breakdown.unclear.length - shown.length} more`] : []),
  ];
}

function consequences({ adr }: AdrRecord & { ok: true }, paint: Paint): string[] {
  const shown = adr.consequences.slice(0, MOST_CONSEQUENCES);
  if (shown.length === 0) return [];
  const signs = { positive: "+", negative: "-" };
  return [
    `  ${paint.bold("Consequences")}`,
    ...shown.map(({ text, effect }) => wrap(`${effect === null ? "·" : signs[effect]} ${text}`, "    ")),
    ...(adr.consequences.length > shown.length ? [`    and ${adr.consequences.length - shown.length} more`] : []),
  ];
}

function summary(records: readonly AdrRecord[]): string {
  const read = records.filter((record) => record.ok);
  const ready = read.flatMap(({ breakdown }) => (breakdown.held === null ? breakdown.tasks : [])).length;
  const held = read.flatMap(({ breakdown }) => breakdown.tasks).length - ready;
  const unread = records.length - read.length;
  return [
    `ADRs: ${read.length} read`,
    `${count(ready, "task")} ready`,
    `${held} held`,
    ...(unread === 0 ? [] : [`${unread} unread`]),
  ].join(", ");
}

/** A table of records. Tasks of a record that is not accepted stand in brackets. */
export function adrListText({ folders, records }: AdrsListed, paint: Paint): string[] {
  const rows = records.map((record) => {
    if (!record.ok) return ["?", "unread", "", oneLine(`${record.file} ${record.problems[0]?.message ?? ""}`)];
    const { adr, breakdown } = record;
    const tasks = String(breakdown.tasks.length);
    return [adr.label, adr.status ?? "none", breakdown.held === null ? tasks : `(${tasks})`, oneLine(adr.title)];
  });
  const table = [["ADR", "STATUS", "TASKS", "TITLE"], ...rows];
  const width = (column: number) => Math.min(44, Math.max(...table.map((row) => (row[column] ?? "").length)));
  const [first, second, third] = [width(0), width(1), width(2)];
  const line = ([id = "", status = "", tasks = "", title = ""]: readonly string[]) =>
    `${id.padEnd(first)}  ${status.padEnd(second)}  ${tasks.padStart(third)}  ${title}`;
  const [head = [], ...body] = table;
  return [
    paint.dim(line(head)),
    ...body.map(line),
    "",
    ...records.flatMap((record) =>
      record.ok && record.taken?.changed === true
        ? [`${paint.careful("! changed")}  ${record.adr.label} is not what ${record.taken.run_id} took`]
        : [],
    ),
    `${summary(records)}; from ${folders.map(oneLine).join(", ")}`,
    "Next: coordinator adr check FILE",
  ];
}
