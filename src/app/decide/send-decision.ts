import type { RunHolder } from "../../hands/store/event-store.js";
import { isRequestRecord } from "../../hands/store/list-runs.js";
import { isPermission } from "../../mind/run/decide/permissions.js";
import type { RunEvent } from "../../model/event.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { describeEvent } from "../inspect/describe-event.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import { canGoOn } from "../inspect/stalled-runs.js";
import { holderOf } from "../project/open-runs.js";
import type { StateFolder } from "../project/state-folder.js";
import { afterEffect } from "../prove/record.js";
import { finish, type Finished } from "../report.js";
import type { DecisionSent } from "../run-reports.js";
import { serverOf } from "../serve/server-file.js";
import { wakeServer } from "../serve/wake-server.js";
import { recordApprovals } from "./approvals.js";
import { sendSignal } from "./send-signal.js";
import { newSignalId } from "./signal-box.js";

/* A decision of a person on its way into the log of a run, and what became of it. */

export interface Sending {
  readonly about: Pick<DecisionSent, "run_id" | "id" | "decided" | "by">;
  readonly roles: readonly string[];
  readonly after: number;
  readonly waitMs: number;
}

/** Contract: who decides has been asked for the right to; the run itself may still refuse it. */
export async function sendDecision(
  at: StateFolder,
  event: RunEvent,
  { about, roles, after, waitMs }: Sending,
  context: CommandContext,
): Promise<Finished> {
  const { parts, progress } = context;
  progress(`${describeEvent(event)} …`);
  await recordApprovals(at, about.run_id, { actions: ["take_decision"], after, by: about.by }, context);
  const now = parts.now();
  const signal = {
    signal_id: newSignalId(Date.parse(now)),
    run_id: about.run_id,
    event,
    roles: [...roles],
    after,
    sent_at: now,
  };
  await context.project.registerKeys();
  const outcome = await sendSignal(at, signal, { waitMs, now: parts.now });
  const { run_id } = about;
  if (outcome.status === "taken") {
    await afterEffect(at, run_id, context);
    await wakeServer(run_id, context);
  }
  const kept = outcome.status === "taken" && !isRequestRecord(run_id) && (await isKept(run_id, context));
  const next = [nextOf(run_id, event, kept)];
  switch (outcome.status) {
    case "taken":
      return decisionSent({ ...about, ...NOT_TAKEN, status: "taken", sequence: outcome.sequence, kept, next });
    case "refused":
      return decisionSent({ ...about, ...NOT_TAKEN, status: "refused", reason: outcome.reason, next });
    case "left":
      return decisionSent({ ...about, ...NOT_TAKEN, status: "left", ...nameHolder(outcome.holder), next });
  }
}

/** Whether nobody works on a run that has something to do. */
async function isKept(runId: string, { server, project }: CommandContext): Promise<boolean> {
  // Inside of a server, and beside one, the run goes on by itself.
  if (server === undefined || serverOf(project.root, project.environment) !== null) return false;
  return withRuns(
    project,
    async (reader) => (await holderOf(reader, runId)) === null && canGoOn(await foldRun(reader, runId)),
    () => false,
  );
}

export function nameHolder({ pid, host }: RunHolder) {
  return { left_for: pid, left_on: host ?? null };
}

export const NOT_TAKEN = { sequence: null, reason: null, left_for: null, left_on: null, kept: false } as const;

function nextOf(runId: string, event: RunEvent, kept: boolean): string {
  if (event.type === "question_answered" && isPermission(event.question_id)) return "coordinator inbox";
  return kept || isRequestRecord(runId) ? `coordinator run --resume ${runId}` : `coordinator status ${runId}`;
}

export function decisionSent(report: Omit<DecisionSent, "type">): Finished {
  return finish(report.status === "refused" ? EXIT.refused : EXIT.done, { type: "decision", ...report });
}
