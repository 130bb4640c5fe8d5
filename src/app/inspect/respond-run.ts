import type { CoordinatorResponse } from "../../model/request.js";
import type { RunChange } from "../../model/run-change.js";
import { monitorProgress, type ProjectState, projectState } from "../../mind/report/project-state/project-state.js";
import { respond } from "../../mind/report/respond.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { type FoldedRun, snapshotsOf } from "./fold-run.js";
import { openEntries } from "./open-entries.js";
import { lookAtRun } from "./snapshots/run-look.js";

export interface RespondedRun {
  readonly run: FoldedRun;
  /** Null before intake has decided. */
  readonly response: CoordinatorResponse | null;
  /** The whole state of the project behind it, and how far it has come; null before a request was received. */
  readonly project: ProjectState | null;
  readonly progress: ReturnType<typeof monitorProgress>;
}

/**
 * A run, and the response about it to the person who asked for it.
 *
 * Contract: commands name the run they are about, so that a response does not change when another run begins.
 */
export async function respondToRun(
  reader: EventReader,
  run_id: string,
  changeOf: (runId: string) => Promise<RunChange | null>,
): Promise<RespondedRun> {
  const { run, notes } = await lookAtRun(reader, run_id, snapshotsOf(reader));
  const open = openEntries(run, false);
  return {
    run,
    response: respond(run.state, notes, { run_id, code: await changeOf(run_id), open }),
    project: projectState(notes, { status: run.state.status }),
    progress: monitorProgress(notes),
  };
}
