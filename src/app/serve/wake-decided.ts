import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BY_PEOPLE } from "../decide/take-signals.js";
import { holderHere } from "../project/open-runs.js";
import type { StateFolder } from "../project/state-folder.js";
import { readStoreSetting, SQLITE } from "../store/store-setting.js";
import type { RunEvent } from "../../model/event.js";
import type { EventFeed } from "./event-feed.js";
import type { RunWorker } from "./run-worker.js";
import type { ServedProject } from "./served-project.js";

/*
 * A run that waits on people has no process. A decision made on another machine comes into its log, and nobody tells
 * this server so: it sees that in the log, and goes on with the run where this is the clone that has its workspaces.
 */

const AGAIN_MS = 300;
/** Longer than a lease: the process that decided had the run for a moment, and may have died with it. */
const TRIES = 20;

/** Contract: ends when it is stopped. A project whose log is on this machine alone is not looked at. */
export async function wakeDecided(
  project: ServedProject,
  feed: EventFeed,
  worker: RunWorker,
  stopped: AbortSignal,
): Promise<void> {
  const { at } = project.context.project;
  if (readStoreSetting(at) === SQLITE) return;
  for (let after = -1; !stopped.aborted;) {
    try {
      if (after < 0) after = await feed.lastPosition();
      for await (const page of feed.followAll(after, stopped))
        for (const { id, data } of page) {
          after = Number(id);
          const { run_id, event } = JSON.parse(data) as { run_id: string; event: RunEvent };
          if (BY_PEOPLE.has(event.type) && isOfThisClone(at, run_id)) void wakeWhenFree(project, run_id, worker);
        }
    } catch {
      // A store that is away for a while is followed from where it was seen last.
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
  }
}

function isOfThisClone({ folder }: StateFolder, runId: string): boolean {
  return existsSync(join(folder, "records", runId));
}

async function wakeWhenFree(project: ServedProject, runId: string, worker: RunWorker): Promise<void> {
  for (let left = TRIES; left > 0 && !worker.isWorkedOn(project, runId); left--) {
    try {
      if (await worker.wake(project, runId)) return;
      if ((await holderHere(project.context.project.at, runId)) === null) return;
    } catch {
      // Tried again: the view of the run says why it is not worked on.
    }
    await sleep(AGAIN_MS, undefined, { ref: false });
  }
}
