import type { Responded } from "../../run-reports.js";
import { dollars, thousands } from "./amounts.js";
import { count, oneLine, type Paint, wrap } from "./screen.js";

const MOST_DELIVERED = 12;

/** What was delivered, what it cost, what to do next. */
export function responseText({ response, told }: Responded, paint: Paint): string[] {
  const { message, deliverables, resource_usage: used, blockers, next_steps } = response;
  const width = Math.max(0, ...deliverables.map(({ type }) => type.length));
  const gravest = Math.max(0, ...blockers.map(({ severity }) => severity.length));
  return [
    // What was watched ends here.
    ...(told === null ? [] : [""]),
    wrap(oneLine(message), ""),
    ...(deliverables.length === 0 ? [] : ["", paint.bold("Delivered")]),
    ...deliverables
      .slice(0, MOST_DELIVERED)
      .map((made) => `  ${made.type.padEnd(width)}  ${oneLine(made.path)}  ${paint.dim(toldOf(made))}`),
    ...(deliverables.length > MOST_DELIVERED
      ? [`  and ${deliverables.length - MOST_DELIVERED} more; --json lists all`]
      : []),
    ...proofText(response.proof ?? [], paint),
    ...(blockers.length === 0 ? [] : ["", paint.bold("In the way")]),
    ...blockers
      .slice(0, MOST_DELIVERED)
      .map(
        ({ severity, description }) =>
          `  ${paint.careful(severity.padEnd(gravest))}  ${oneLine(description).slice(0, 160)}`,
      ),
    "",
    `Used: ${thousands(used.tokens_used)} tokens in ${count(used.api_calls, "call")}, ${dollars(used.cost_usd)}, ${count(used.time_elapsed_seconds, "second")}`,
    // A question stands above already.
    ...next_steps
      .filter((step) => told?.includes(step) !== true && !blockers.some(({ description }) => description === step))
      .map((step) => `Next: ${step}`),
  ];
}

const MOST_NAMES = 5;

/** What proves each task, what people let pass, what failed before by name, and what no check can see. */
function proofText(proof: NonNullable<Responded["response"]["proof"]>, paint: Paint): string[] {
  if (proof.length === 0) return [];
  const names = (list: readonly string[]) =>
    `${list.slice(0, MOST_NAMES).join(", ")}${list.length > MOST_NAMES ? ` and ${list.length - MOST_NAMES} more` : ""}`;
  const lines = proof
    .slice(0, MOST_DELIVERED)
    .flatMap(({ task_id, proven_by, accepted, failed_before, unreached }) => [
      `  ${oneLine(task_id)}`,
      proven_by.length === 0 ? paint.careful("    no check proves it") : wrap(oneLine(proven_by.join("; ")), "    "),
      ...accepted.map((said) => paint.careful(wrap(oneLine(said), "    "))),
      ...(failed_before.length === 0 ? [] : [wrap(oneLine(`failed before: ${names(failed_before)}`), "    ")]),
      ...(unreached.length === 0 ? [] : [wrap(oneLine(`no check touches ${names(unreached)}`), "    ")]),
    ]);
  const more = proof.length - MOST_DELIVERED;
  return ["", paint.bold("Proven by"), ...lines, ...(more > 0 ? [`  and ${more} more; --json lists all`] : [])];
}

function toldOf({ type, description, metadata }: Responded["response"]["deliverables"][number]): string {
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
