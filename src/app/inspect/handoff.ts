import { pathInside } from "../../foundation/files/project-bounds.js";
import { readFile } from "../../foundation/files/read-files.js";
import type { HandoffRecord } from "../../hands/board/board-state.js";
import { CoordinatorError } from "../../model/errors.js";
import { findRun } from "./find.js";
import { holderOf } from "../project/open-runs.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { boardAt } from "./board.js";
import { inputFailure } from "../project/input-failure.js";
import { withRuns } from "./runs-at.js";
import { currentUser } from "../decide/current-user.js";

export interface HandoffArguments {
  readonly run: string;
  readonly read: boolean;
  readonly by: string | undefined;
}

/**
 * Write the handoff of a run's newest session, or read the last one there is.
 *
 * Contract: an approval is in the log before a handoff is written. An obstacle is the outcome; throws NOT_FOUND for a
 * run that is not there.
 */
export function handOffSession({ run, read, by }: HandoffArguments, context: CommandContext): Promise<Finished> {
  const { project, approved } = context;
  return withRuns(project, async (reader, at) => {
    const loaded = await project.settings();
    if (loaded.problems.length > 0) return inputFailure(loaded.problems);
    const { configuration } = loaded;
    const inForce = await project.contractInForce(approved);
    const board = boardAt({ context, configuration, inForce }, reader);
    if (board === null) return fail(EXIT.invalid, "USAGE", "No handoffs are kept in this project", { fix: SWITCH_ON });
    if (read) {
      const record = await board.readLast(currentUser(by, context.project));
      if (record === null) return fail(EXIT.invalid, "NOT_FOUND", "There is no handoff yet", { fix: HOW });
      return handoffReport(record, await readFile(pathInside(at.root, record.path), "utf8").catch(nullIfGone));
    }
    const runId = await findRun(reader, run);
    const after = (await reader.head(runId))?.sequence ?? 0;
    await recordApprovals(at, runId, { actions: ["create_handoff"], after }, context);
    const worker = await holderOf(reader, runId);
    const record =
      worker === null
        ? await board.handOff(runId, "asked")
        : await board.handOff(runId, "meanwhile", [`The session goes on: process ${worker.pid} works on it.`]);
    if (record === null)
      return fail(EXIT.invalid, "NOT_FOUND", `Nobody has worked on ${runId}, or handoffs are switched off`, {
        fix: HOW,
      });
    return handoffReport(record, null);
  });
}

const HOW = "A session that ends leaves one: coordinator run. `board.sessions` in coordinator.yaml says where.";
const SWITCH_ON = "coordinator init sets it up; or add `board: {}` to coordinator.yaml.";

/** One that is gone has no text; one that is not read says why. */
function nullIfGone(error: unknown): null {
  if (error instanceof CoordinatorError) throw error;
  return null;
}

function handoffReport(record: HandoffRecord, text: string | null): Finished {
  return finish(EXIT.done, { type: "handoff", record, text });
}
