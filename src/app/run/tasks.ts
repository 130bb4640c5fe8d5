import { boardMemory } from "../../hands/board/board-state.js";
import { runsReader } from "../../hands/board/read-runs.js";
import type { QueueStatus } from "../../model/work-queue.js";
import { workQueueOf } from "../../mind/report/queue/work-queue.js";
import { findRun } from "../inspect/find.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "../inspect/runs-at.js";

export interface TasksArguments {
  readonly run: string | undefined;
  readonly status: QueueStatus | undefined;
  /** Only what somebody wrote into the queue by hand. */
  readonly proposed: boolean;
}

/**
 * The queue as the logs give it, and what somebody wrote into its file by hand.
 *
 * Contract: changes nothing. Empty where no run was started. Throws NOT_FOUND for a run that is not there.
 */
export function listTasks(
  { run, status, proposed }: TasksArguments,
  { progress, project }: CommandContext,
): Promise<Finished> {
  return withRuns(
    project,
    async (reader, at) => {
      const only = run === undefined ? null : await findRun(reader, run);
      const runs = (await runsReader(reader, progress)()).filter(({ run_id }) => only === null || run_id === only);
      const queue = workQueueOf("", runs);
      const state = await boardMemory(at.folder).read();
      return finish(EXIT.done, {
        type: "tasks",
        only: proposed ? "proposed" : "all",
        tasks: queue.tasks.filter((task) => status === undefined || task.status === status),
        last_updated: queue.last_updated,
        next: nextOf(runs),
        proposed: state.proposed,
        notices: state.notices,
      });
    },
    () =>
      finish(EXIT.done, {
        type: "tasks",
        only: "all",
        tasks: [],
        last_updated: null,
        next: null,
        proposed: [],
        notices: [],
      }),
  );
}

/** The task that starts when the next place is free; null when none is ready. */
function nextOf(runs: Awaited<ReturnType<ReturnType<typeof runsReader>>>): string | null {
  const ready = runs.flatMap(({ over, tasks }) => (over ? [] : tasks.filter((task) => task.ready)));
  return ready.toSorted((a, b) => a.priority.localeCompare(b.priority, "en") || a.place - b.place)[0]?.id ?? null;
}
