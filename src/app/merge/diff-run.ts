import { CoordinatorError } from "../../model/errors.js";
import type { RunTask } from "../../model/run.js";
import type { RunEvent } from "../../model/event.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { attemptRecord, BASE_RECORD } from "../../mind/run/record-names.js";
import type { ProjectBase } from "../project/project.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { AttemptResult } from "../../hands/attempts/attempt-order.js";
import type { BaseRecord } from "../run/execute-options.js";
import { findMovedRefs, readCommitsInLog, readLogHead, describeMovedRef } from "../../hands/git/log-head.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";

/* The change of a run, or of one of its tasks, by git. Programs in the repository's own settings are not run for it. */

export interface DiffFile {
  readonly path: string;
  /** Null for what is not text. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface RunDiff {
  readonly from: string;
  readonly to: string;
  readonly files: readonly DiffFile[];
  readonly text: Buffer;
}

export interface DiffRequest {
  readonly runId: string;
  readonly project: ProjectBase;
  readonly records: RunRecords;
  readonly task: Pick<RunTask, "task_id"> | null;
  /** Contract: can be read more than once, each time from the beginning. */
  readonly events: () => AsyncIterable<{ readonly event: RunEvent }>;
  readonly form: "patch" | "stat";
}

/** Null when there is nothing to compare yet. Contract: throws REF_MOVED where a ref of the run is not where its log says. */
export async function diffRun(request: DiffRequest): Promise<RunDiff | null> {
  const quarantine = await openQuarantine({
    repository: request.project.root,
    environment: request.project.environment,
  });
  const span = await (request.task === null
    ? spanOfRun(request, quarantine)
    : spanOfTask(request, quarantine, request.task));
  if (span === null) return null;
  const git = (...args: string[]) =>
    quarantine.git.must("Reading the change", {
      gitDir: quarantine.gitDir,
      args: [...args, "--no-color", "--no-ext-diff", "--no-textconv", span.from, span.to, "--"],
    });
  const text = await (request.form === "stat" ? git("diff", "--stat=100") : git("diff"));
  const numbers = (await git("diff", "--numstat", "-z", "--no-renames")).toString("utf8");
  return {
    ...span,
    text,
    files: numbers
      .split("\0")
      .filter((line) => line !== "")
      .map(fileOf),
  };
}

interface Span {
  readonly from: string;
  readonly to: string;
}

/** From where the run began to the tip of its branch, as its log names it; null while nothing is on it. */
export async function spanOfRun(
  { runId, records, events }: Pick<DiffRequest, "runId" | "records" | "events">,
  quarantine: Quarantine,
): Promise<Span | null> {
  const commits = await readCommitsInLog(runId, events());
  const head = await readLogHead(commits, quarantine);
  const [moved] = await findMovedRefs(runId, commits, head, quarantine);
  if (moved !== undefined) {
    const { reason, fix } = describeMovedRef(moved);
    throw new CoordinatorError("REF_MOVED", reason, { fix });
  }
  if (head.status === "unknown") throw new CoordinatorError("REF_MOVED", head.problem, { fix: head.fix });
  const base = (await records.read(BASE_RECORD)) as BaseRecord | null;
  return head.status === "none" || base === null ? null : { from: base.commit, to: head.commit };
}

/** As it came onto the branch; else as its last attempt left it, on the base it began with. */
async function spanOfTask(
  { records, events }: DiffRequest,
  quarantine: Quarantine,
  { task_id }: { readonly task_id: string },
) {
  let landed: string | null = null;
  let attempt = 0;
  let record: string | undefined;
  for await (const { event } of events()) {
    if (!("task_id" in event) || event.task_id !== task_id) continue;
    if (event.type === "attempt_started") [attempt, record] = [event.attempt, undefined];
    if (event.type === "attempt_finished") ({ record } = event);
    if (event.type === "integration_finished" && event.integrated) landed = event.ref;
  }
  const result = AttemptResult.safeParse(await records.read(attemptRecord(attemptKey(task_id, attempt)), record));
  // An attempt that changed nothing was taken where the branch stood, and nothing came onto it.
  if (landed !== null && !(result.success && result.data.commit === null)) {
    const parent = await quarantine.git.call({
      gitDir: quarantine.gitDir,
      args: ["rev-parse", "--verify", "--quiet", `${landed}^1`],
    });
    if (parent.code === 0) return { from: parent.stdout.toString("latin1").trim(), to: landed };
  }
  if (!result.success || result.data.commit === null) return null;
  return { from: result.data.base, to: result.data.commit };
}

function fileOf(line: string): DiffFile {
  const [added = "", removed = "", ...path] = line.split("\t");
  const number = (text: string) => (text === "-" ? null : Number(text));
  return { path: path.join("\t"), added: number(added), removed: number(removed) };
}
