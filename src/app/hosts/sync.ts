import type { CodeHost } from "../../hands/hosts/code-host.js";
import { cleanHostText } from "../../mind/publish/host-text.js";
import { isOurs, markerOf } from "../../mind/publish/marker.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import type { RunFeedback, SyncedIssue } from "../host-reports.js";
import { inputFailure } from "../project/input-failure.js";
import { finished, type Finished } from "../report.js";
import { listIssueRecords } from "./issue-records.js";
import { asOnlyWriter } from "./one-writer.js";
import { openHost, placeOfProject } from "./open-host.js";
import { listOutboxes, type Outbox } from "./outbox.js";
import { type ApprovalPlace, readApproval } from "./read-approval.js";
import { commentFacts } from "./run-issue.js";
import { tellPlan } from "./tell-plan.js";

/**
 * Read what people and checks said on the host: approvals of plans, which go into the log, and remarks and red checks on
 * heads of ours, which are told.
 *
 * Contract: nothing is pushed, and no remark is obeyed.
 */
export async function syncHost(context: CommandContext): Promise<Finished> {
  const { project } = context;
  const loaded = await project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const settings = loaded.configuration.code_host;
  const repository = await placeOfProject(project.root, settings, project.environment);
  const isHere = (one: { readonly server: string; readonly repository: string }) =>
    one.server === repository.server && one.repository === repository.repository;
  const { host } = await openHost(repository, settings, project.environment);
  const ours = (await host.readUser()).id;
  const place: ApprovalPlace = { at: project.at, host, ours, settings, context };
  return asOnlyWriter(project.at, repository, () => readHost(place, isHere));
}

async function readHost(
  place: ApprovalPlace,
  isHere: (one: { readonly server: string; readonly repository: string }) => boolean,
): Promise<Finished> {
  const { host, ours, context } = place;
  const { project } = context;
  const issues: SyncedIssue[] = [];
  for (const record of listIssueRecords(project.at).filter(isHere)) {
    const { status, by, refused } = await readApproval(record, place);
    if (status === "over") continue;
    const isNew = status === "approved" && record.approved_by === null;
    if (status === "stale" || isNew) {
      const state =
        status === "stale" ? ({ is: "stale" } as const) : ({ is: "approved", by: by ?? "a person" } as const);
      await tellPlan(host, ours, await commentFacts(record, context, state));
    }
    issues.push({ run_id: record.run_id, number: record.number, status, by, refused });
  }
  const runs: RunFeedback[] = [];
  for (const outbox of listOutboxes(project.at).filter(isHere)) runs.push(...(await readFeedback(outbox, host, ours)));
  const isWaiting = issues.some(({ status }) => status === "waiting" || status === "stale");
  return finished(isWaiting ? EXIT.waiting : EXIT.done, { type: "synced", repository: host.repository, issues, runs });
}

const RED = new Set(["failure", "timed_out", "action_required", "startup_failure"]);

async function readFeedback({ run_id, parts }: Outbox, host: CodeHost, ours: number): Promise<RunFeedback[]> {
  const found: RunFeedback[] = [];
  for (const { part, pull: number, head } of parts) {
    if (number === null) continue;
    const pull = await host.readPull(number);
    if (pull.state === "closed" || !isOurs(pull, markerOf(run_id, part), ours)) continue;
    // After a person's push the branch is theirs: what is said of it is not about our work any more.
    const isOurHead = pull.head.commit === head;
    const said = isOurHead ? await host.listRemarks(number) : [];
    const answered = new Set(said.filter(({ author }) => author?.id === ours).map(({ thread }) => thread));
    const remarks = said
      .filter(({ author, thread }) => author !== null && author.id !== ours && !author.isBot && !answered.has(thread))
      .map(({ author, path, line, body, address }) => ({
        by: author?.login ?? "",
        path,
        line,
        text: cleanHostText(body).text.slice(0, 2000),
        address,
      }));
    const checks = (isOurHead ? await host.listChecks(head) : [])
      .filter(({ conclusion }) => conclusion !== null && RED.has(conclusion))
      .map(({ name, conclusion, summary, address }) => ({
        name,
        conclusion: conclusion ?? "",
        summary: cleanHostText(summary).text.slice(0, 2000),
        address,
      }));
    found.push({ run_id, part, pull: number, address: pull.address, is_our_head: isOurHead, remarks, checks });
  }
  return found;
}
