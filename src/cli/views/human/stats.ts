import type { Criterion } from "../../../mind/report/stats.js";
import type { StatsShown } from "../../../app/run-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

/** The success criteria, a line each: what was measured, what is wanted, of how many cases. */
export function statsText({ stats, since, corrections, problems }: StatsShown, paint: Paint): string[] {
  const { runs, criteria } = stats;
  const width = Math.max(...criteria.map(({ title }) => title.length));
  const met = criteria.filter((each) => each.met === true).length;
  const measured = criteria.filter((each) => each.met !== null).length;
  return [
    ...criteria.map((each) => line(each, width, paint)),
    ...correctionLines(corrections),
    ...problems.map((problem) => `${paint.bad("x")} not counted: ${oneLine(problem)}`),
    "",
    `${count(runs, "run")}${since === null ? "" : ` since ${since.slice(0, 10)}`}: ${met} of ${measured} measured criteria met, ${criteria.length - measured} without enough data`,
  ];
}

/** Shows corrections by people, and where they are kept; nothing without any. */
function correctionLines({ route, refusal, hold, task }: StatsShown["corrections"]): string[] {
  const kinds = [
    [route, "route"],
    [refusal, "refusal"],
    [hold, "hold"],
    [task, "task"],
  ] as const;
  const told = kinds.filter(([many]) => many > 0).map(([many, kind]) => count(many, kind));
  return told.length === 0 ? [] : [`  corrected by people: ${told.join(", ")} (.coordinator/corrections.jsonl)`];
}

function line(criterion: Criterion, width: number, paint: Paint): string {
  const { title, value, unit, met, cases, counted, detail } = criterion;
  const mark = met === null ? paint.dim("?") : met ? paint.good("+") : paint.bad("x");
  const found = value === null ? "not enough data" : `${value} ${unit}`;
  return `${mark} ${title.padEnd(width)}  ${found.padEnd(15)}  ${target(criterion).padEnd(9)}  ${paint.dim(`${cases} ${cases === 1 ? counted.replace(/s$/, "") : counted}${cases === 0 ? "" : `; ${detail}`}`)}`;
}

const SIGNS = { least: "≥", most: "≤", under: "<" } as const;

function target({ target: { at, value }, unit }: Criterion): string {
  return `${SIGNS[at]} ${value} ${unit}`;
}
