import type { HostPlace } from "../../hands/hosts/addresses.js";
import { refuseRound } from "../../mind/publish/follow-up.js";
import { EXIT } from "../exit-codes.js";
import type { SyncedFollowUp } from "../host-reports.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import type { CommandContext } from "../command-context.js";
import { carryOutHere } from "../run/run-here.js";
import { isDaySpent } from "./automatic-plans.js";
import { type FollowUp, listFollowUps, writeFollowUp } from "./follow-up-records.js";
import { asOnlyPlanner, asOnlyWriter } from "./one-writer.js";
import {
  type FollowUpRequest,
  beginFollowUp,
  planFollowUp,
  tellFollowUp,
  tellFollowUpWaits,
  planOfPull,
} from "./plan-follow-up.js";
import { publishRun } from "./publish.js";
import { type ApprovalPlace, knownAccounts, readApproval, rightToWrite } from "./read-approval.js";
import type { PullFeedback } from "./read-feedback.js";

/*
 * Rounds of remarks. Whether they are planned at all is the person's setting; whether a plan of them is carried out is decided
 * by an approval, as for an issue. Three rounds a pull request, and none after a person pushed to it.
 */

type Kept = FollowUp & { readonly standing?: SyncedFollowUp["status"] };

/** Begin, tell, approve, carry out and publish what can be. Contract: not called while the repository is being written to. */
export async function continueFollowUps(
  pulls: readonly PullFeedback[],
  place: ApprovalPlace,
  repository: HostPlace,
  asked: FollowUpRequest,
): Promise<Kept[]> {
  const done: Kept[] = [];
  const { at } = place;
  for (const pull of pulls) {
    const one = await asOnlyPlanner(at, repository, pull.pull.number, () => nextRound(pull, place, repository, asked));
    if (one !== null) done.push(await carryOutFollowUp(one, place, asked));
  }
  return done;
}

export function followUpReport(record: Kept): SyncedFollowUp {
  const { run_id, of, pull, round, plan_checksum, head, notes, over, standing } = record;
  const status = standing ?? (over === "ended" ? "over" : (over ?? "waiting"));
  return { run_id, of, pull, round, status, plan_checksum, head, notes };
}

/** The round that is under way, or a new one where there is something new to plan; null when there is neither. */
async function nextRound(
  feedback: PullFeedback,
  place: ApprovalPlace,
  repository: HostPlace,
  asked: FollowUpRequest,
): Promise<Kept | null> {
  const { at, settings } = place;
  const rounds = listFollowUps(at).filter(({ of, pull }) => of === feedback.run_id && pull === feedback.pull.number);
  let open = rounds.find(({ over }) => over === null) ?? null;
  if (open === null) {
    const { state } = feedback.pull;
    if (settings.follow_up !== "plan") return null;
    if (refuseRound({ state, isOurHead: feedback.isOurHead }, rounds.length) !== null) return null;
    const said = await newlySaid(feedback, rounds, place);
    if (said.threads.length + said.checks.length === 0) return null;
    // A remark that is not planned today stays in the inbox.
    if (isDaySpent(at, repository, settings.plans_a_day, place.context.parts.now())) return null;
    const begun = await beginFollowUp(said, rounds.length + 1, place, asked);
    if ("exitCode" in begun) return null;
    open = begun;
  }
  let record = open;
  if (record.run_id === null) record = await planFollowUp(record, place, asked);
  if (record.over !== null) return record;
  return asOnlyWriter(at, repository, async () => {
    if (record.told_at === null) record = await tellFollowUpWaits(record, place);
    return readFollowUpApproval(record, place);
  });
}

/** Remarks that nobody planned yet, by people whose right is asked now: planning costs something. */
async function newlySaid(
  feedback: PullFeedback,
  rounds: readonly FollowUp[],
  { host, settings }: ApprovalPlace,
): Promise<PullFeedback> {
  const known = knownAccounts(settings, host.kind);
  const planned = new Set(
    rounds.flatMap(({ threads }) => threads.map(({ thread, checksum }) => `${thread} ${checksum}`)),
  );
  const threads = [];
  for (const one of feedback.threads) {
    if (planned.has(`${one.thread} ${one.checksum}`) || !known.has(one.author.id)) continue;
    if ((await rightToWrite(host, one.author)) !== null) threads.push(one);
  }
  const tried = new Set(rounds.filter(({ from }) => from === feedback.head).flatMap(({ checks }) => checks));
  return { ...feedback, threads, checks: feedback.checks.filter(({ name }) => !tried.has(name)) };
}

async function readFollowUpApproval(record: FollowUp, place: ApprovalPlace): Promise<Kept> {
  const { status, by, refused } = await readApproval(planOfPull(record, place), place);
  const kept = listFollowUps(place.at).find(({ run_id }) => run_id === record.run_id) ?? record;
  const over = (why: NonNullable<FollowUp["over"]>): FollowUp => {
    const next = { ...kept, over: why };
    writeFollowUp(place.at, next);
    return next;
  };
  switch (status) {
    case "waiting":
      return { ...kept, notes: [...refused] };
    case "stale":
      await tellFollowUp(kept, { is: "stale" }, place);
      return over("stale");
    case "over":
      return over("ended");
    case "approved":
      if (kept.head === null) await tellFollowUp(kept, { is: "approved", by: by ?? "a person" }, place);
      return { ...kept, standing: "working" };
  }
}

/** Carry out what is approved, and put its commit onto the pull request. */
async function carryOutFollowUp(
  record: Kept,
  { at, context }: ApprovalPlace,
  { run, around }: FollowUpRequest,
): Promise<Kept> {
  const { run_id } = record;
  if (record.standing !== "working" || run_id === null) return record;
  if (await isOpen(run_id, context)) {
    const ended = await carryOutHere({ ...run, resume: run_id }, null, around);
    if (ended.exitCode !== EXIT.done)
      return { ...record, notes: [`it is not done: coordinator status ${run_id} says why`] };
  }
  const order = { run: run_id, perTask: false, ready: false, dryRun: false, partial: false };
  const { exitCode, report } = await publishRun({ ...order, into: undefined, branch: undefined }, context);
  const now = listFollowUps(at).find((one) => one.run_id === run_id) ?? record;
  if (exitCode === EXIT.done) return now;
  const why = report.type === "published" ? (report.waits?.reason ?? "it waits") : "it could not be published";
  return { ...now, standing: "working", notes: [why] };
}

function isOpen(runId: string, { project }: CommandContext): Promise<boolean> {
  return withRuns(project, async (reader) => (await foldRun(reader, runId)).state.status !== "completed");
}
