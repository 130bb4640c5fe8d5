import { recordRequest } from "../../runs/record-request.js";
import { readRuns, writeRuns } from "../../runs/open-runs.js";
import type { StateFolder } from "../../runs/state-folder.js";
import type { Configuration } from "../../model/configuration.js";
import type { EventStore } from "../../store/event-store.js";
import { finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { respondHere } from "./response.js";
import type { Undone } from "./undone.js";

/* Every request ends in a response, whether it became a run or not. */

/**
 * Put a request that becomes no run on record.
 *
 * Contract: nothing else is made. While another process works on the runs nothing is recorded, and whoever asked is told.
 */
export async function recorded(
  ended: Finished,
  undone: Undone,
  at: StateFolder,
  { run: policy }: Configuration,
  { parts, progress }: Surroundings,
  environment: NodeJS.ProcessEnv,
): Promise<Finished> {
  const kept = await withStore(at, progress, async (store) => {
    const run_id = await recordRequest(store, { ...undone, policy, now: parts.now() });
    return { run_id, response: (await respondHere(store, at, run_id, environment)).response };
  });
  if (kept === null || kept.response === null) return ended;
  const { run_id, response } = kept;
  const { report } = ended;
  return {
    ...ended,
    answer: { run_id, response },
    ...(report.type === "intake" ? { report: { ...report, response, recorded: run_id } } : {}),
  };
}

async function withStore<T>(
  at: StateFolder,
  tell: (message: string) => void,
  act: (store: EventStore) => Promise<T>,
): Promise<T | null> {
  const opened = await writeRuns(at);
  if (opened.status === "locked") {
    tell(`Not recorded: process ${opened.holder.pid} works on the runs of this project.`);
    return null;
  }
  try {
    return await act(opened.store);
  } finally {
    await opened.store.close();
  }
}

/** What a command about a request found, as the response to it; unchanged where nothing was decided about the request. */
export async function asResponse(ended: Finished, at: StateFolder, environment: NodeJS.ProcessEnv): Promise<Finished> {
  const { report, exitCode, answer } = ended;
  if (answer !== undefined) return finished(exitCode, { type: "response", ...answer, told: null });
  if (report.type === "intake")
    return finished(exitCode, { type: "response", run_id: null, response: report.response, told: null });
  if (report.type !== "plan" || report.runId === undefined) return ended;
  const { runId } = report;
  const reader = await readRuns(at);
  if (reader === null) return ended;
  try {
    const { response } = await respondHere(reader, at, runId, environment);
    return response === null ? ended : finished(exitCode, { type: "response", run_id: runId, response, told: null });
  } finally {
    await reader.close();
  }
}
