import type { Responded } from "../../../app/run-reports.js";
import { dollars, thousands } from "../../../foundation/text/figures.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint, shorten, wrap } from "./screen.js";
import { lastWordsText } from "./words.js";

const MOST_DELIVERED = 12;

/** Shows what was delivered, what it cost, and what to do next. */
export function responseText(
  { response, told, words, estimated_usd = 0 }: Responded,
  paint: Paint,
  room: number,
): string[] {
  const { message, deliverables, resource_usage: used, blockers, next_steps } = response;
  const width = Math.max(0, ...deliverables.map(({ type }) => type.length));
  const gravest = Math.max(0, ...blockers.map(({ severity }) => severity.length));
  return [
    // The watched output ends here.
    ...(told === null ? [] : [""]),
    wrap(oneLine(message), "", room),
    ...(deliverables.length === 0 ? [] : ["", paint.bold("Delivered")]),
    ...deliverables.slice(0, MOST_DELIVERED).flatMap((made) => deliverableLines(made, width, paint, room)),
    ...(deliverables.length > MOST_DELIVERED
      ? [`  and ${deliverables.length - MOST_DELIVERED} more; --json lists all`]
      : []),
    ...proofText(response.proof ?? [], paint, room),
    ...(blockers.length === 0 ? [] : ["", paint.bold("In the way")]),
    ...blockers
      .slice(0, MOST_DELIVERED)
      .flatMap(({ severity, description }) => blocker(severity.padEnd(gravest), description, paint, room)),
    ...lastWordsText(words, 5, 300, paint),
    "",
    wrap(
      `Used: ${thousands(used.tokens_used)} tokens in ${count(used.api_calls, "call")}, ${describeCost(used.cost_usd, estimated_usd)}, ${count(used.time_elapsed_seconds, "second")}`,
      "",
      room,
    ),
    // A question stands above already.
    ...next_steps
      .filter((step) => told?.includes(step) !== true && !blockers.some(({ description }) => description === step))
      .map((step) => `Next: ${step}`),
  ];
}

const MOST_NAMES = 5;

/** Shows the proof of each task, waivers, earlier failures by name, and what no check can see. */
function proofText(proof: NonNullable<Responded["response"]["proof"]>, paint: Paint, room: number): string[] {
  if (proof.length === 0) return [];
  const names = (list: readonly string[]) =>
    `${list.slice(0, MOST_NAMES).join(", ")}${list.length > MOST_NAMES ? ` and ${list.length - MOST_NAMES} more` : ""}`;
  // Notes on every result are shown once.
  const ofAll = (proof[0]?.notes ?? []).filter((note) => proof.every(({ notes = [] }) => notes.includes(note)));
  const lines = proof
    .slice(0, MOST_DELIVERED)
    .flatMap(({ task_id, proven_by, accepted, failed_before, unreached, notes = [], promise }) => [
      `  ${oneLine(task_id)}${promise === undefined || promise.iterations < 2 ? "" : `, after ${promise.iterations} iterations`}`,
      proven_by.length === 0
        ? paint.careful("    no check proves it")
        : wrap(oneLine(proven_by.join("; ")), "    ", room),
      ...accepted.map((said) => paint.careful(wrap(oneLine(said), "    ", room))),
      ...(failed_before.length === 0 ? [] : [wrap(oneLine(`failed before: ${names(failed_before)}`), "    ", room)]),
      ...(unreached.length === 0 ? [] : [wrap(oneLine(`no check touches ${names(unreached)}`), "    ", room)]),
      ...notes.filter((note) => !ofAll.includes(note)).map((note) => paint.dim(wrap(oneLine(note), "    ", room))),
    ]);
  const more = proof.length - MOST_DELIVERED;
  return [
    "",
    paint.bold("Proven by"),
    ...lines,
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
    ...ofAll.map((note) => paint.dim(wrap(oneLine(note), "  ", room))),
  ];
}

/** Where it is on one line; what it is beside it where there is room, else below. */
function deliverableLines(
  made: Responded["response"]["deliverables"][number],
  width: number,
  paint: Paint,
  room: number,
) {
  const head = `  ${made.type.padEnd(width)}  ${oneLine(made.path)}`;
  const about = describeDeliverable(made);
  if (head.length + 2 + about.length <= room) return [`${head}  ${paint.dim(about)}`];
  return [head, paint.dim(wrap(about, " ".repeat(width + 4), room))];
}

function blocker(severity: string, description: string, paint: Paint, room: number): string[] {
  const indent = " ".repeat(severity.length + 4);
  const text = wrap(shorten(description.replace(/ ?\[sha256:[0-9a-f]{64}\]/g, ""), 400), indent, room);
  return [`  ${paint.careful(severity)}  ${text.slice(indent.length)}`];
}

/** A cost that no agent reported is shown as estimated. */
function describeCost(usd: number, estimated: number): string {
  if (estimated <= 0) return dollars(usd);
  return estimated >= usd
    ? `about ${dollars(usd)} (estimated)`
    : `${dollars(usd)} (${dollars(estimated)} of it estimated)`;
}

function describeDeliverable({ type, description, metadata }: Responded["response"]["deliverables"][number]): string {
  const figure = (name: string) => (typeof metadata[name] === "number" ? metadata[name] : null);
  const added = figure("lines_added");
  if (type !== "code" || added === null) return oneLine(description).slice(0, 120);
  const files = (figure("files_created") ?? 0) + (figure("files_changed") ?? 0) + (figure("files_removed") ?? 0);
  return [
    `${count(added, "line")} added and ${figure("lines_removed") ?? 0} removed in ${count(files, "file")}`,
    `${figure("files_created") ?? 0} new`,
    `${figure("test_files") ?? 0} of tests`,
  ].join(", ");
}
