import { pathInside } from "../../foundation/files/project-bounds.js";
import { readFile } from "../../foundation/files/read-files.js";
import { boardMemory, type HandoffRecord } from "../../hands/board/board-state.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { findRun } from "../inspect/find.js";
import { withRuns } from "../inspect/runs-at.js";

export interface HandoffShown {
  readonly type: "handoff";
  readonly record: HandoffRecord;
  /** Null where the file is gone. */
  readonly text: string | null;
  /** How many events the run has logged since: what it says may not hold any more. */
  readonly events_since: number;
}

/** The newest handoff of a run. Contract: nothing is written; throws NOT_FOUND for a run that has none. */
export function showHandoff(wanted: string, { project }: CommandContext): Promise<HandoffShown> {
  return withRuns(project, async (reader, at) => {
    const run_id = await findRun(reader, wanted);
    const { handoffs } = await boardMemory(at.folder).read();
    const record = handoffs.findLast((one) => one.run_id === run_id && one.status === "written");
    if (record === undefined)
      throw new CoordinatorError("NOT_FOUND", `${run_id} has no handoff yet`, {
        fix: `coordinator handoff ${run_id} writes one; \`board.sessions\` in coordinator.yaml says where.`,
      });
    const text = await readFile(pathInside(at.root, record.path), "utf8").catch((error: unknown) => {
      if (error instanceof CoordinatorError) throw error;
      return null;
    });
    let events_since = 0;
    for await (const logged of reader.read(run_id))
      if (Date.parse(logged.at) > Date.parse(record.created_at)) events_since++;
    return { type: "handoff", record, text, events_since };
  });
}
