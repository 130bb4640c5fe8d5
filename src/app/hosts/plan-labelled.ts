import { addressOfIssue, type HostPlace } from "../../hands/hosts/addresses.js";
import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import { CoordinatorError } from "../../model/errors.js";
import type { PlannedIssue } from "../host-reports.js";
import type { Finished } from "../report.js";
import { isDaySpent, listTried, type Tried, writeTried } from "./automatic-plans.js";
import { listIssueRecords } from "./issue-records.js";
import { checksumOfIssue } from "./issue-snapshot.js";
import type { FollowUpRequest } from "./plan-follow-up.js";
import type { ApprovalPlace } from "./read-approval.js";
import { planOrContinue } from "./run-issue.js";

/**
 * Plan open issues that have the label which the person's settings name. A label starts a plan and never approves one: it names
 * no content, and may have been set by a template of issues.
 *
 * Contract: each text of an issue is tried once, issues of programs and of ourselves never.
 */
export async function planLabelled(
  place: ApprovalPlace,
  repository: HostPlace,
  { asking, run, around }: FollowUpRequest,
): Promise<readonly PlannedIssue[]> {
  const { at, host, ours, settings, context } = place;
  const { plan_label, plans_a_day } = settings;
  if (plan_label === undefined) return [];
  const planned: PlannedIssue[] = [];
  for (const issue of await host.listIssues(plan_label)) {
    const { number, author } = issue;
    const checksum = checksumOfIssue(issue);
    const tried = listTried(at, repository);
    if (author === null || author.isBot || author.id === ours) continue;
    if (listIssueRecords(at, { ...repository, number }).length > 0) continue;
    if (tried.some((one) => one.number === number && one.checksum === checksum && one.is_done)) continue;
    const now = context.parts.now();
    if (isDaySpent(at, repository, plans_a_day, now)) {
      const reason = `${plans_a_day} plans were started by labels and remarks in 24 hours, which is the most (code_host.plans_a_day)`;
      planned.push({ number, status: "held", reason });
      continue;
    }
    const attempt: Tried = { number, checksum, at: now, is_done: false };
    writeTried(at, repository, [...tried, attempt]);
    const address = addressOfIssue(host.kind, repository, number);
    const order = { address, again: false, planOnly: true };
    const reason = await planOrContinue(number, repository, order, place, asking, run, around).then(
      whyUnplanned,
      (error: unknown) => {
        if (!(error instanceof CoordinatorError) || error instanceof HostUnavailable) throw error;
        return error.message;
      },
    );
    writeTried(at, repository, [...tried, { ...attempt, is_done: true }]);
    planned.push({ number, status: reason === null ? "planned" : "unplanned", reason });
  }
  return planned;
}

/** Null for an issue that has a plan. */
function whyUnplanned(ended: Finished | { readonly resume: string }): string | null {
  if (!("exitCode" in ended) || ended.report.type === "issue") return null;
  const { report } = ended;
  if (report.type === "error") return report.message;
  if (report.type === "intake") return report.decision.reason;
  return "no plan could be made of it: coordinator plan --issue says why";
}
