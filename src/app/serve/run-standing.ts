import { setTimeout as sleep } from "node:timers/promises";
import { CoordinatorError } from "../../model/errors.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import { canGoOn } from "../inspect/stalled-runs.js";
import type { ServedProject } from "./served-project.js";
import type { SubmittedRecord } from "./submitted-requests.js";

/* Questions of a worker to the logs of a project. */

/** How far a run is, and whether there is something to do that waits on nobody. */
export async function readStanding(
  { context }: ServedProject,
  runId: string,
): Promise<{ sequence: number; goesOn: boolean }> {
  return withRuns(
    context.project,
    async (reader) => {
      if ((await reader.head(runId)) === null) return { sequence: 0, goesOn: false };
      const run = await foldRun(reader, runId);
      const held = (await reader.holders?.())?.some(({ run_id }) => run_id === runId) ?? false;
      return { sequence: run.sequence, goesOn: canGoOn(run) && !held };
    },
    () => ({ sequence: 0, goesOn: false }),
  );
}

const FREE_TRIES = 10;
const FREE_MS = 300;

/** A command that writes a decision has the run for a moment: it is waited for, and nobody else is. */
export async function whenFree<T>(act: () => Promise<T>): Promise<T> {
  for (let left = FREE_TRIES; ; left--) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CoordinatorError) || error.code !== "STORE_LOCKED" || left === 0) throw error;
      await sleep(FREE_MS);
    }
  }
}

/** The log that a request has by now; null when it has none. */
export async function logOfRequest({ context }: ServedProject, { request, submitted_at }: SubmittedRecord) {
  return withRuns(
    context.project,
    async (reader) => {
      for (const { run_id, first_at } of await reader.runs()) {
        if (Date.parse(first_at ?? "") < Date.parse(submitted_at)) continue;
        for await (const { event } of reader.read(run_id, { to: 1 }))
          if (event.type === "request_received" && event.request_id === request.request_id) return run_id;
      }
      return null;
    },
    () => null,
  );
}
