import { join } from "node:path";
import { openRecords } from "../../hands/attempts/run-records.js";
import { readCommitsInLog, readLogHead } from "../../hands/git/log-head.js";
import type { RunHead } from "../../hands/store/event-store.js";
import { openQuarantine } from "../../hands/workspace/quarantine.js";
import { decidedCriteria } from "../../mind/run/decide/criteria.js";
import { unmetRequirements } from "../../mind/run/decide/requirements.js";
import { BASE_RECORD } from "../../mind/run/record-names.js";
import type { RunState } from "../../mind/run/state.js";
import { CoordinatorError } from "../../model/errors.js";
import type { LoggedEvent } from "../../model/event.js";
import { createRunFold } from "../inspect/fold-run.js";
import type { Reader } from "../inspect/runs-at.js";
import type { Project } from "../project/project.js";
import type { StateFolder } from "../project/state-folder.js";
import { verifyHere } from "../prove/verify-here.js";
import type { BaseRecord } from "../run/execute-options.js";

/* A run as far as it can be published. */

export interface PublishableRun {
  readonly runId: string;
  readonly at: StateFolder;
  readonly state: RunState;
  readonly events: readonly LoggedEvent[];
  readonly log: RunHead;
  readonly base: BaseRecord;
  readonly head: string;
  readonly landed: readonly string[];
  readonly isProven: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

/** Contract: throws what keeps a run from being published; nothing was sent then. */
export async function readPublishable(
  reader: Reader,
  at: StateFolder,
  runId: string,
  partial: boolean,
  project: Project,
): Promise<PublishableRun> {
  const { environment } = project;
  const fold = createRunFold(runId);
  const events: LoggedEvent[] = [];
  for await (const logged of reader.read(runId)) {
    fold.take(logged);
    events.push(logged);
  }
  const { state } = fold.now();
  const log = await reader.head(runId);
  const base = (await openRecords(join(at.folder, "records", runId)).read(BASE_RECORD)) as BaseRecord | null;
  if (state.layout === null || log === null || base === null)
    throw new CoordinatorError("NOT_FOUND", `${runId} has no plan that was carried out`, {
      fix: `coordinator status ${runId} shows its state.`,
    });
  const [broken] = (await verifyHere(reader, project, runId)).findings.filter(({ kind }) => kind !== "plan");
  if (broken !== undefined)
    throw new CoordinatorError("STORE_CORRUPT", `The record of the run does not verify: ${broken.message}`, {
      fix: `See what was changed: coordinator verify ${runId}.`,
    });
  const quarantine = await openQuarantine({ repository: at.root, environment });
  const commits = await readCommitsInLog(runId, reader.read(runId));
  const head = await readLogHead(commits, quarantine);
  if (head.status === "unknown") throw new CoordinatorError("REF_MOVED", head.problem, { fix: head.fix });
  if (head.status === "none")
    throw new CoordinatorError("NOT_FOUND", `Nothing of ${runId} was integrated, so there is nothing to publish`, {
      fix: `coordinator status ${runId} shows its state.`,
    });
  const open = describeOpen(state);
  if (open !== null && !partial)
    throw new CoordinatorError("PUBLISH_REFUSED", `${runId} is not done: ${open}`, {
      fix: "Add --partial to publish what is there; its status then says that not all is proven.",
    });
  const { landed } = commits;
  return { runId, at, state, events, log, base, head: head.commit, landed, isProven: open === null, environment };
}

/** The work a run has not done or not shown; null when it has. */
function describeOpen(state: RunState): string | null {
  const open = (state.layout?.plan.tasks ?? []).filter(
    (_, i) => !["completed", "skipped", "cancelled"].includes(state.tasks.get(i).state.status),
  );
  if (open.length > 0) return `${open.length} of ${state.tasks.length} tasks are open`;
  const [unmet] = unmetRequirements(state);
  if (unmet !== undefined) return `the requirement ${unmet.id} does not hold`;
  const unshown = decidedCriteria(state).filter(({ how }) => how === "open" || how === "failed");
  return unshown.length === 0 ? null : `${unshown.length} criteria of its type of project are not shown`;
}
