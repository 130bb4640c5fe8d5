import { CoordinatorError } from "../../model/errors.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { attemptRecord, resolutionRecord } from "../../mind/run/record-names.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { AttemptResult } from "../../hands/attempts/attempt-order.js";
import { ResolutionRecord } from "../../hands/integration/resolve-conflict.js";
import type { CommandContext } from "../command-context.js";
import { withWholeRun } from "./read-run.js";

/** A conflict of a task with what was on the branch, file by file. */
export interface ConflictShown {
  readonly type: "conflict";
  readonly run_id: string;
  readonly task_id: string;
  readonly attempt: number;
  readonly others: readonly string[];
  readonly taken: boolean | null;
  readonly objections: readonly string[];
  readonly files: readonly {
    readonly path: string;
    /** Null where the file is not there, or is too large or not text. */
    readonly base: string | null;
    readonly branch: string | null;
    readonly task: string | null;
    readonly result: string | null;
  }[];
}

const MOST_BYTES = 256 * 1024;

/** Contract: throws NOT_FOUND for a task that met no conflict. */
export function showConflict(wanted: string, task: string, context: CommandContext): Promise<ConflictShown> {
  return withWholeRun(wanted, context, async ({ run, events, records, at }) => {
    const found = events.findLast(({ event }) => event.type === "conflict_found" && event.task_id === task)?.event;
    if (found?.type !== "conflict_found")
      throw new CoordinatorError("NOT_FOUND", `${task} of ${run.run_id} met no conflict`, {
        fix: `coordinator status ${run.run_id} shows its state.`,
      });
    const { attempt, onto, paths } = found;
    const key = attemptKey(task, attempt);
    const result = AttemptResult.safeParse(await records.read(attemptRecord(key)));
    const kept = ResolutionRecord.safeParse(await records.read(resolutionRecord(key)));
    const commit = result.success ? result.data.commit : null;
    const quarantine = await openQuarantine({ repository: at.root, environment: context.project.environment });
    const base = commit === null ? null : await mergeBase(quarantine, onto, commit);
    const tree = kept.success ? kept.data.tree : null;
    return {
      type: "conflict",
      run_id: run.run_id,
      task_id: task,
      attempt,
      others: kept.success ? kept.data.others : [],
      taken: kept.success ? kept.data.taken : null,
      objections: kept.success ? kept.data.objections : [],
      files: await Promise.all(
        paths.map(async (path) => ({
          path,
          base: await fileIn(quarantine, base, path),
          branch: await fileIn(quarantine, onto, path),
          task: await fileIn(quarantine, commit, path),
          result: await fileIn(quarantine, tree, path),
        })),
      ),
    };
  });
}

async function mergeBase({ git, gitDir }: Quarantine, one: string, other: string): Promise<string | null> {
  const { code, stdout } = await git.call({ gitDir, args: ["merge-base", one, other] });
  return code === 0 ? stdout.toString("latin1").trim() : null;
}

async function fileIn({ git, gitDir }: Quarantine, commit: string | null, path: string): Promise<string | null> {
  if (commit === null) return null;
  const { code, stdout } = await git.call({ gitDir, args: ["cat-file", "blob", `${commit}:${path}`] });
  if (code !== 0 || stdout.length > MOST_BYTES || stdout.includes(0)) return null;
  return stdout.toString("utf8");
}
