import type { LoggedEvent } from "../../model/event.js";
import type { CoordinatorResponse } from "../../model/request.js";
import type { RunChange } from "../../model/run-change.js";
import { monitorProgress, type ProjectState, projectState } from "../../mind/report/project-state/project-state.js";
import { newProjectNotes, takeEvent } from "../../mind/report/project-state/project-notes.js";
import { respond } from "../../mind/report/respond.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { createRunFold, type FoldedRun } from "./fold-run.js";
import { openEntries } from "./open-entries.js";

export interface RespondedRun {
  readonly run: FoldedRun;
  /** Null before intake has decided. */
  readonly response: CoordinatorResponse | null;
  /** The whole state of the project behind it, and how far it has come; null before a request was received. */
  readonly project: ProjectState | null;
  readonly progress: ReturnType<typeof monitorProgress>;
}

/**
 * A run, and what is told of it to the person who asked for it.
 *
 * Contract: commands name the run they are about, so that a response does not change when another run begins.
 */
export async function respondToRun(
  reader: EventReader,
  run_id: string,
  changeOf: (runId: string) => Promise<RunChange | null>,
): Promise<RespondedRun> {
  const fold = createRunFold(run_id);
  const notes = newProjectNotes();
  const events: LoggedEvent[] = [];
  for await (const logged of reader.read(run_id)) {
    takeEvent(notes, logged, fold.take(logged).after);
    events.push(logged);
  }
  const run = fold.now();
  const open = openEntries(run, false);
  return {
    run,
    response: respond(run.state, events, { run_id, code: await changeOf(run_id), open }, notes),
    project: projectState(events, { status: run.state.status, notes }),
    progress: monitorProgress(events, notes),
  };
}
