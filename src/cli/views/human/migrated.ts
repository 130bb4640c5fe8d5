import type { StoreMigrated } from "../../../app/setup-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

export function migratedText({ from, to, engine, runs }: StoreMigrated, paint: Paint): string[] {
  const lines = runs.map(
    ({ run_id, events, hash }) =>
      `${paint.good("+ ")}${run_id}  ${paint.dim(`${count(events, "event")}, ends with ${hash.slice(0, 16)}`)}`,
  );
  const moved =
    runs.length === 0
      ? `There were no runs in ${oneLine(from)} to move.`
      : `${count(runs.length, "run")} moved from ${oneLine(from)}, every hash compared.`;
  const workers =
    engine.engine === "dbos"
      ? [`Its work is given to workers, with commits exchanged through ${oneLine(engine.remote)}.`]
      : [];
  return [
    ...lines,
    ...(lines.length === 0 ? [] : [""]),
    moved,
    `This project uses ${oneLine(to)} from now on.`,
    ...workers,
  ];
}
