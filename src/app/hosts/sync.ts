import type { HostPlace } from "../../hands/hosts/addresses.js";
import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import { EXIT } from "../exit-codes.js";
import type { HostSynced, SyncedFollowUp, SyncedIssue } from "../host-reports.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import { inputFailure } from "../project/input-failure.js";
import { finish, type Finished } from "../report.js";
import { type FollowUp, listFollowUps } from "./follow-up-records.js";
import { continueFollowUps, followUpReport } from "./follow-ups.js";
import { keepFeedback } from "./feedback-record.js";
import { listIssueRecords } from "./issue-records.js";
import { asOnlyWriter, keyOf } from "./one-writer.js";
import { openHost, placeOfProject } from "./open-host.js";
import { listOutboxes } from "./outbox.js";
import type { FollowUpRequest } from "./plan-follow-up.js";
import { sendWaiting } from "./send-waiting.js";
import { type ApprovalPlace, readApproval } from "./read-approval.js";
import { feedbackReport, type PullFeedback, readFeedback } from "./read-feedback.js";
import { systemClock } from "../run/machine.js";
import { planLabelled } from "./plan-labelled.js";
import { tellOnIssue, planOfIssue } from "./told-issue.js";

export interface SyncArguments {
  /** Keeps looking until it is interrupted. */
  readonly watch: boolean;
  readonly everySeconds: number;
}

/**
 * Read what people and checks said on the host: approvals of plans, which go into the log, and remarks and red checks on
 * heads of ours, which go into the inbox or, where the person's settings say so, become a plan of their own.
 *
 * Contract: no remark is obeyed. A plan made from them is pushed only after approval by somebody who has the right.
 */
export async function syncHost(args: SyncArguments, asked: FollowUpRequest): Promise<Finished> {
  const { context, interrupted } = asked.around;
  const { project } = context;
  const loaded = await project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const settings = loaded.configuration.code_host;
  const repository = await placeOfProject(project.root, settings, project.environment);
  // One client for as long as it looks: it remembers what it was answered, and what has not changed costs nothing.
  const { host } = await openHost(repository, settings, project.environment);
  for (;;) {
    const look = async () => {
      const ours = (await host.readUser()).id;
      return syncOnce({ at: project.at, host, ours, settings, context }, repository, asked);
    };
    if (!args.watch) return look();
    const until = await look().then(
      (ended) => (context.progress(describeSync(ended)), null),
      (error: unknown) => {
        if (!(error instanceof HostUnavailable)) throw error;
        context.warn(`${error.message}. ${error.fix ?? ""}`);
        return error.until;
      },
    );
    if (interrupted.aborted) break;
    const wait = Math.max(
      args.everySeconds * 1000,
      until === null ? 0 : Date.parse(until) - Date.parse(context.parts.now()),
    );
    await pause(wait, interrupted);
    if (interrupted.aborted) break;
  }
  return finish(EXIT.done, { ...NOTHING, repository: host.repository });
}

const NOTHING = { type: "synced", sent: [], labelled: [], issues: [], runs: [], follow_ups: [] } as const;

const pause = (ms: number, signal: AbortSignal) => systemClock.wait(ms, signal).catch(() => undefined);

function describeSync({ report }: Finished): string {
  if (report.type !== "synced") return "";
  const { sent, issues, runs, follow_ups } = report;
  const late =
    sent.length === 0 ? "" : `${sent.filter(({ status }) => status === "published").length} of ${sent.length} sent, `;
  return `${late}${issues.length} plans of issues, ${runs.length} pull requests, ${follow_ups.length} rounds of remarks …`;
}

async function syncOnce(place: ApprovalPlace, repository: HostPlace, asked: FollowUpRequest): Promise<Finished> {
  const isHere = (one: HostPlace) => one.server === repository.server && one.repository === repository.repository;
  const { project } = place.context;
  const sent = await sendWaiting(isHere, place.context);
  const labelled = await planLabelled(place, repository, asked);
  const found = await asOnlyWriter(project.at, repository, () => readHost(place, isHere));
  const touched = await continueFollowUps(found.pulls, place, repository, asked);
  const follow_ups = touched.map(followUpReport);
  // A remark that is planned, or was answered just now, waits on nobody.
  const taken = new Set(follow_ups.filter(({ status }) => status !== "unplanned").map(({ pull }) => pull));
  const runs = found.pulls.map(feedbackReport).filter(({ pull }) => !taken.has(pull));
  keepFeedback(project.at, keyOf(repository), runs, place.context.parts.now());
  const { issues } = found;
  const report: HostSynced = {
    type: "synced",
    repository: place.host.repository,
    sent,
    labelled,
    issues,
    runs,
    follow_ups,
  };
  return finish(isWaiting(report) ? EXIT.waiting : EXIT.done, report);
}

function isWaiting({ sent, issues, follow_ups }: HostSynced): boolean {
  const open = (status: SyncedFollowUp["status"]) => !["published", "over"].includes(status);
  if (sent.some(({ status }) => status !== "published")) return true;
  return issues.some(({ status }) => status !== "approved") || follow_ups.some(({ status }) => open(status));
}

/** Contract: called by one process at a time. */
async function readHost(
  place: ApprovalPlace,
  isHere: (one: HostPlace) => boolean,
): Promise<{ readonly issues: readonly SyncedIssue[]; readonly pulls: readonly PullFeedback[] }> {
  const { host, ours, at } = place;
  const issues: SyncedIssue[] = [];
  for (const record of listIssueRecords(at).filter(isHere)) {
    if (await isOver(record.run_id, place)) continue;
    const { status, by, refused } = await readApproval(planOfIssue(record, place), place);
    if (status === "over") continue;
    const isNew = status === "approved" && record.approved_by === null;
    if (status === "stale" || isNew)
      await tellOnIssue(record, status === "stale" ? { is: "stale" } : { is: "approved", by: by ?? "a person" }, place);
    issues.push({ run_id: record.run_id, number: record.number, status, by, refused });
  }
  // A later round has an outbox of its own and no pull request of its own.
  const later = new Set(listFollowUps(at).flatMap(({ run_id }: FollowUp) => run_id ?? []));
  const pulls: PullFeedback[] = [];
  for (const outbox of listOutboxes(at).filter(isHere))
    if (!later.has(outbox.run_id)) pulls.push(...(await readFeedback(outbox, host, ours, at)));
  return { issues, pulls };
}

function isOver(runId: string, { context }: ApprovalPlace): Promise<boolean> {
  return withRuns(context.project, async (reader) => (await foldRun(reader, runId)).state.status === "completed");
}
