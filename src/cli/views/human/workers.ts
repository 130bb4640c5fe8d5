import type { Report } from "../../../app/report.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

type Shown = Extract<Report, { type: "workers" | "worker_stopped" }>;

export function workersText(report: Shown, paint: Paint): string[] {
  if (report.type === "worker_stopped")
    return [`The worker has ended, with ${count(report.done, "piece")} of work done.`];
  const { store, workers } = report;
  if (workers.length === 0)
    return [
      `No worker is there for ${oneLine(store)}.`,
      ...waitingText(report, paint),
      paint.dim("Start one: coordinator worker --postgres URL --git REMOTE"),
    ];
  const rows = workers.flatMap(({ id, version, capacity, abilities, doing, draining, problem, since }) => {
    const { labels, accepts, sandbox, without_sandbox, agents, lacks } = abilities;
    return [
      `${paint.bold(oneLine(id))}  ${doing.length} of ${capacity}${draining ? ", ends when that is done" : ""}  ${paint.dim(`version ${oneLine(version)}, since ${since}`)}`,
      `  has: sandbox ${oneLine(sandbox)}${without_sandbox ? " or none" : ""}; ${words("agents", agents)}; ${words("labels", labels)}; data ${accepts.join(", ")}`,
      ...(lacks.length === 0 ? [] : [`  lacks: ${lacks.map(oneLine).join(", ")}`]),
      ...doing.map(
        ({ run_id, effect_id, since: from }) => `  does: ${oneLine(run_id)} ${oneLine(effect_id)} since ${from}`,
      ),
      ...(problem === null ? [] : [`  ${paint.bad(oneLine(problem))}`]),
    ];
  });
  return [...rows, ...waitingText(report, paint)];
}

const words = (name: string, list: readonly string[]) =>
  `${name} ${list.length === 0 ? "none" : list.map(oneLine).join(", ")}`;

function waitingText({ workers, waiting }: Extract<Shown, { type: "workers" }>, paint: Paint): string[] {
  if (waiting.length === 0) return [];
  const rows = waiting.slice(0, 20).flatMap(({ run_id, effect_id, seconds, lacks, pace }) => {
    const fits = workers.filter(({ id }) => (lacks[id] ?? []).length === 0);
    const why =
      workers.length === 0
        ? ["no worker is there"]
        : fits.length > 0
          ? [pace === null ? `${count(fits.length, "worker")} that fits has no room` : oneLine(pace)]
          : workers.map(({ id }) => `${oneLine(id)} lacks ${(lacks[id] ?? []).map(oneLine).join(", ")}`);
    return [`  ${oneLine(run_id)} ${oneLine(effect_id)} for ${seconds} s: ${paint.dim(why.join("; "))}`];
  });
  return ["", `${count(waiting.length, "piece")} of work ${waiting.length === 1 ? "waits" : "wait"}:`, ...rows];
}
