import { boardMemory } from "../../hands/board/board-state.js";
import { findRun } from "./find.js";
import { holderOf } from "../project/open-runs.js";
import { overviewOf, type RunOverview } from "./overview.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { respondHere } from "./response.js";
import { withRuns } from "./runs-at.js";

/**
 * One run on one screen.
 *
 * Contract: changes nothing. Throws NOT_FOUND for a run that is not there.
 */
export function showRun(wanted: string, { parts, project: here }: CommandContext): Promise<Finished> {
  return withRuns(here, async (reader, at) => {
    const runId = await findRun(reader, wanted);
    const alone = (await reader.runs()).length === 1;
    const { run, response, project, progress } = await respondHere(reader, here, runId);
    const overview = overviewOf(run, alone);
    const worker = (await holderOf(reader, runId))?.pid ?? null;
    return finish(EXIT.done, {
      type: "run_status",
      overview,
      worker,
      handoff: await unreadHandoff(at.folder),
      now: parts.now(),
      next: nextCommands(overview, worker !== null),
      response,
      project,
      progress,
    });
  });
}

/** Where the last session's handoff is, when nobody has read it yet. */
async function unreadHandoff(stateFolder: string): Promise<string | null> {
  const last = (await boardMemory(stateFolder).read()).handoffs.findLast(({ status }) => status === "written");
  return last === undefined || last.read !== null ? null : last.path;
}

/** Lists commands that a person would type next. */
export function nextCommands({ run_id, status, needs_you, plan_id }: RunOverview, isWorkedOn: boolean): string[] {
  // An entry that waits for other work first is not the one to answer next.
  const pressing = needs_you.find(({ tasks_before }) => tasks_before === 0) ?? needs_you[0];
  switch (status) {
    case "completed":
      return plan_id === null ? [`coordinator replay ${run_id} --events`] : [`coordinator verify ${run_id}`];
    case "failed":
      return [`coordinator replay ${run_id} --events`];
    case "blocked":
      return pressing?.commands.slice(0, 1) ?? [];
    case "pending":
      return pressing?.commands.slice(0, 1) ?? [`coordinator run --resume ${run_id}`];
    default:
      return [
        ...(pressing?.commands.slice(0, 1) ?? []),
        isWorkedOn ? `coordinator watch ${run_id}` : `coordinator run --resume ${run_id}`,
      ];
  }
}
