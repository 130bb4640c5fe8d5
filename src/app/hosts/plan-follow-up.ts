import { join } from "node:path";
import { openRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import { followUpMarker, type PlanStanding } from "../../mind/publish/plan-comment.js";
import { followUpWords } from "../../mind/publish/follow-up.js";
import { BASE_RECORD } from "../../mind/run/record-names.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import type { Finished } from "../report.js";
import type { RequestContext } from "../request/plan-and-run.js";
import { runOfRequest } from "../request/record-request.js";
import type { RequestOptions } from "../request/request-options.js";
import { prepareRequest, runFromWords } from "../request/run-words.js";
import type { BaseRecord } from "../run/execute-options.js";
import type { RunArguments } from "../run/run-arguments.js";
import { type FollowUp, writeFollowUp } from "./follow-up-records.js";
import { keepComment } from "./keep-comment.js";
import { planText } from "./plan-text.js";
import type { ApprovalPlace, ToldPlan } from "./read-approval.js";
import { openThreads, type PullFeedback } from "./read-feedback.js";

/* One round of remarks: planned as a change that begins at the head of the pull request, and told there. */

export interface FollowUpRequest {
  readonly asking: Omit<RequestOptions, "out">;
  readonly run: RunArguments;
  readonly around: RequestContext;
}

/** The remarks that are to be planned. Contract: a record without a planner yet asks nobody. */
export async function beginFollowUp(
  { run_id: of, part, pull, head, threads, checks }: PullFeedback,
  round: number,
  { host, at, context }: ApprovalPlace,
  { asking, run }: FollowUpRequest,
): Promise<FollowUp | Finished> {
  const words = followUpWords(pull.number, { remarks: threads, checks });
  const whole = await prepareRequest({ ...asking, words, again: "coordinator sync", type: "technical" }, run, context);
  if ("exitCode" in whole) return whole;
  const unknown = { run_id: null, plan_checksum: null, risk: null, comment: null, told_at: null, approved_by: null };
  const record: FollowUp = {
    schema_version: "1.0.0",
    of,
    part,
    server: host.server,
    repository: host.repository,
    pull: pull.number,
    branch: pull.head.branch,
    base: pull.base,
    round,
    from: head,
    read_at: context.parts.now(),
    threads: threads.map(({ thread, checksum }) => ({ thread, checksum })),
    checks: checks.map(({ name }) => name),
    removed: threads.flatMap(({ removed }) => removed),
    request: whole.request,
    ...unknown,
    approval: null,
    head: null,
    over: null,
    notes: [],
  };
  writeFollowUp(at, record);
  return record;
}

/** Plan it, unless a run was begun for it before. Contract: its record says what became of it. */
export async function planFollowUp(record: FollowUp, place: ApprovalPlace, asked: FollowUpRequest): Promise<FollowUp> {
  const { project } = place.context;
  const { request } = record;
  const findBegunRun = () =>
    withRuns(
      project,
      (reader) => runOfRequest(reader, request.request_id, record.read_at),
      () => null,
    );
  let run_id = await findBegunRun();
  let risk: string | null = null;
  if (run_id === null) {
    const { report } = await runFromWords(
      {
        ...asked.asking,
        words: request.user_request,
        again: "coordinator sync",
        type: "technical",
        request,
        now: request.timestamp,
      },
      asked.run,
      { given: false, required: true, ask: null, answer: null },
      asked.around,
    );
    run_id = await findBegunRun();
    if (report.type === "plan") risk = report.outcome.risk?.overall_risk ?? null;
    if (run_id === null) {
      const why = report.type === "error" ? report.message : "no plan could be made of it: plan it by hand";
      return keepFollowUp(place, { ...record, over: "unplanned", notes: [why] });
    }
  }
  const runId = run_id;
  const plan_checksum = await withRuns(project, async (reader) => {
    // It goes on from what was remarked on, not from where the person stands.
    const records = openRecords(join(place.at.folder, "records", runId), sharedRecords(reader, runId));
    const base: BaseRecord = { commit: record.from, branch: record.base };
    if ((await records.read(BASE_RECORD)) === null) await records.write(BASE_RECORD, base);
    return (await foldRun(reader, runId)).state.layout?.plan.plan_checksum ?? "";
  });
  return keepFollowUp(place, { ...record, run_id: runId, plan_checksum, risk });
}

function keepFollowUp({ at }: ApprovalPlace, record: FollowUp): FollowUp {
  writeFollowUp(at, record);
  return record;
}

/** The comment of a round, as it should be now. */
export async function tellFollowUp(record: FollowUp, state: PlanStanding, place: ApprovalPlace) {
  const { run_id, plan_checksum, pull, round, risk, removed } = record;
  const marker = followUpMarker(pull, round);
  const about = `Plan for the remarks, round ${round}`;
  const facts = { run_id: run_id ?? "", plan_checksum: plan_checksum ?? "", risk, removed, marker, about, state };
  const text = await planText(facts, place.context);
  return keepComment(place.host, place.ours, { kind: "pull", number: pull }, { text, marker });
}

export async function tellFollowUpWaits(record: FollowUp, place: ApprovalPlace): Promise<FollowUp> {
  const comment = await tellFollowUp(record, { is: "waiting" }, place);
  return keepFollowUp(place, { ...record, comment: comment.id, told_at: comment.updated_at });
}

export function planOfPull(record: FollowUp, { at, host, ours }: ApprovalPlace): ToldPlan {
  const { run_id, plan_checksum, approved_by, pull, from, threads } = record;
  return {
    run_id: run_id ?? "",
    plan_checksum: plan_checksum ?? "",
    approved_by,
    told_at: record.told_at ?? record.read_at,
    on: { kind: "pull", number: pull },
    requester: null,
    isStale: async () => {
      const now = await host.readPull(pull);
      if (now.state === "closed" || now.head.commit !== from) return true;
      const open = new Map(openThreads(await host.listRemarks(pull), ours).map((one) => [one.thread, one.checksum]));
      return threads.some(({ thread, checksum }) => open.get(thread) !== checksum);
    },
    keep: (seen) => writeFollowUp(at, { ...record, ...seen }),
  };
}
