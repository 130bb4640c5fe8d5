import { join } from "node:path";
import { changeOfRun } from "../merge/change-of-run.js";
import { openRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import { findRun } from "./find.js";
import { lastWordsOf } from "./overview.js";
import { type RespondedRun, respondToRun } from "./respond-run.js";
import type { Project } from "../project/project.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "./runs-at.js";

/** A run of this project and the response about it to the person who asked. */
export function respondHere(reader: EventReader, project: Project, runId: string): Promise<RespondedRun> {
  return respondToRun(reader, runId, (id) =>
    changeOfRun({
      runId: id,
      project,
      records: openRecords(join(project.at.folder, "records", id), sharedRecords(reader, id)),
      events: () => reader.read(id),
    }),
  );
}

/**
 * Shows what was delivered, what it cost, and what to do next.
 *
 * Contract: as `showRun`. A request about which nothing was decided yet has no response, and that is the outcome.
 */
export function showResponse(wanted: string, { project }: CommandContext): Promise<Finished> {
  return withRuns(project, async (reader) => {
    const runId = await findRun(reader, wanted);
    const { response, run } = await respondHere(reader, project, runId);
    const estimated_usd = run.state.ledger.run.estimated.cost_usd;
    return response === null
      ? fail(EXIT.invalid, "NOT_FOUND", `Nothing was decided about ${runId} yet`, {
          fix: `coordinator status ${runId} shows its state.`,
        })
      : finish(EXIT.done, {
          type: "response",
          run_id: runId,
          response,
          told: null,
          words: lastWordsOf(run),
          estimated_usd,
        });
  });
}
