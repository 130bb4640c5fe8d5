import { findRun } from "../../runs/find.js";
import { foldRun } from "../../runs/fold-run.js";
import { workingProcess } from "../../runs/open-runs.js";
import { overviewOf, type RunOverview } from "../../runs/overview.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { RunLine } from "../run-reports.js";
import type { Surroundings } from "../surroundings.js";
import { foldAll, withRuns } from "./runs-at.js";

/** All runs, a line each. */
export function listRuns({ parts }: Surroundings): Promise<Finished> {
  const listed = (runs: readonly RunLine[], worker: number | null) =>
    finished(EXIT.done, { type: "runs", runs, worker, now: parts.now() });
  return withRuns(
    async (reader, at) => {
      const all = await foldAll(reader, "all");
      const lines = all.map((each): RunLine =>
        "run" in each ? { run_id: each.run_id, overview: overviewOf(each.run, all.length === 1) } : each,
      );
      return listed(lines, workingProcess(at)?.pid ?? null);
    },
    () => listed([], null),
  );
}

/** One run on one screen. */
export function showRun(wanted: string, { parts }: Surroundings): Promise<Finished> {
  return withRuns(async (reader, at) => {
    const runId = await findRun(reader, wanted);
    const alone = (await reader.runs()).length === 1;
    const overview = overviewOf(await foldRun(reader, runId), alone);
    const worker = workingProcess(at)?.pid ?? null;
    return finished(EXIT.done, {
      type: "run_status",
      overview,
      worker,
      now: parts.now(),
      next: nextCommands(overview, worker !== null),
    });
  });
}

/** What a person would type next. */
export function nextCommands({ run_id, status, needs_you }: RunOverview, isWorkedOn: boolean): string[] {
  // What waits for other work first is not what to answer next.
  const pressing = needs_you.find(({ tasks_before }) => tasks_before === 0) ?? needs_you[0];
  switch (status) {
    case "completed":
      return [`coordinator verify ${run_id}`];
    case "failed":
      return [`coordinator replay ${run_id} --events`];
    case "blocked":
      return pressing?.commands.slice(0, 1) ?? [];
    default:
      return [
        ...(pressing?.commands.slice(0, 1) ?? []),
        isWorkedOn ? `coordinator watch ${run_id}` : `coordinator run --resume ${run_id}`,
      ];
  }
}
