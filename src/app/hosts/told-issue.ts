import { commentMarker, type PlanStanding } from "../../mind/publish/plan-comment.js";
import { checksumOfIssue } from "./issue-snapshot.js";
import { type IssueRecord, writeIssueOfRun } from "./issue-records.js";
import { keepComment } from "./keep-comment.js";
import { planText } from "./plan-text.js";
import type { ApprovalPlace, ToldPlan } from "./read-approval.js";

/* The plan of an issue, as it is told there. */

export function planOfIssue(record: IssueRecord, { at, host }: ApprovalPlace): ToldPlan {
  const { run_id, plan_checksum, approved_by, number, checksum } = record;
  return {
    run_id,
    plan_checksum,
    approved_by,
    told_at: record.told_at ?? record.read_at,
    on: { kind: "issue", number },
    requester: record.author?.id ?? null,
    isStale: async () => checksumOfIssue(await host.readIssue(number)) !== checksum,
    keep: (seen) => writeIssueOfRun(at, { ...record, ...seen }),
  };
}

export async function tellOnIssue(record: IssueRecord, state: PlanStanding, { host, ours, context }: ApprovalPlace) {
  const { number, run_id, plan_checksum, risk, removed } = record;
  const marker = commentMarker(number);
  const text = await planText({ run_id, plan_checksum, risk, removed, marker, about: "Plan", state }, context);
  return keepComment(host, ours, { kind: "issue", number }, { text, marker });
}

/** Tell a plan that waits, and keep when that was. */
export async function tellWaiting(record: IssueRecord, place: ApprovalPlace): Promise<IssueRecord> {
  const comment = await tellOnIssue(record, { is: "waiting" }, place);
  const told = { ...record, comment: comment.id, told_at: comment.updated_at };
  writeIssueOfRun(place.at, told);
  return told;
}
