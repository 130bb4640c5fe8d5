import { join } from "node:path";
import { diffRun } from "./diff-run.js";
import { openRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import type { RunTask } from "../../model/run.js";
import { foldRun } from "../inspect/fold-run.js";
import { findRun } from "../inspect/find.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "../inspect/runs-at.js";
import { findTask } from "../run/find-task.js";

export interface DiffArguments {
  readonly run: string;
  readonly task: string | undefined;
  readonly stat: boolean;
  readonly json: boolean;
}

/**
 * The change of a run or of one task. `raw` takes it as it is; null where a person looks at it on a terminal.
 *
 * Contract: changes nothing in the repository. A run that has changed nothing yet is the outcome; throws NOT_FOUND for
 * one that is not there.
 */
export function showDiff(
  args: DiffArguments,
  { project }: CommandContext,
  raw: ((bytes: Uint8Array) => Promise<void>) | null,
): Promise<Finished> {
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const { state } = await foldRun(reader, runId);
    let task: RunTask | null = null;
    if (args.task !== undefined) {
      const found = findTask(state, args.task);
      if ("exitCode" in found) return found;
      ({ task } = found);
    }
    const diff = await diffRun({
      runId,
      project,
      records: openRecords(join(at.folder, "records", runId), sharedRecords(reader, runId)),
      task,
      events: () => reader.read(runId),
      form: args.stat ? "stat" : "patch",
    });
    if (diff === null)
      return fail(EXIT.invalid, "NOT_FOUND", `${task?.task_id ?? runId} has changed nothing yet`, {
        fix: `coordinator status ${runId} shows its state.`,
      });
    const { from, to, files, text } = diff;
    if (raw !== null && !args.json) await raw(text);
    const shown = raw === null ? text.toString("utf8") : null;
    return finish(EXIT.done, {
      type: "diff",
      run_id: runId,
      task_id: task?.task_id ?? null,
      from,
      to,
      files,
      text: shown,
    });
  });
}
