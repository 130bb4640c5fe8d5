import type { Responded } from "../../run-reports.js";
import { dollars, thousands } from "./figures.js";
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
