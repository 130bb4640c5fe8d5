import type { CodeHost } from "../../hands/hosts/code-host.js";
import { HostRefused } from "../../hands/hosts/host-errors.js";
import { isOurs, markerOf } from "../../mind/publish/marker.js";
import { changeEvidence, type PullFacts } from "../../mind/publish/pull-text.js";
import { CoordinatorError } from "../../model/errors.js";
import type { StateFolder } from "../project/state-folder.js";
import { type FollowUp, lastFollowUp, writeFollowUp } from "./follow-up-records.js";
import { tellFollowUp } from "./plan-follow-up.js";
import type { PublishedPart } from "./publish-part.js";
import type { ApprovalPlace } from "./read-approval.js";

/* A later round goes onto the pull request of the run it is about: a second commit, and an answer to each thread. */

/** Contract: throws PUBLISH_REFUSED for a run whose pull request a later run has continued. */
export function refuseEarlier(at: StateFolder, runId: string): void {
  const later = lastFollowUp(at, runId);
  if (later === null) return;
  throw new CoordinatorError(
    "PUBLISH_REFUSED",
    `#${later.pull} of ${runId} was continued by ${later.run_id ?? ""}, planned from the remarks on it`,
    { fix: `Publish that one: coordinator publish ${later.run_id ?? ""}` },
  );
}

/** Say on the pull request what became of a round. Contract: done again, it says nothing twice. */
export async function tellPublished(
  record: FollowUp,
  { head, notes }: PublishedPart,
  facts: PullFacts,
  place: ApprovalPlace,
): Promise<PublishedPart["notes"]> {
  const pushed = { ...record, head };
  writeFollowUp(place.at, pushed);
  const by = record.approved_by ?? facts.approved ?? "a person";
  await tellFollowUp(pushed, { is: "done", by, head, evidence: changeEvidence(facts) }, place);
  const missed = [];
  for (const { thread } of record.threads) {
    const isAnswered = await answerThread(place, record, thread, head);
    if (!isAnswered) missed.push(`the thread ${thread} is not there any more, so it has no answer`);
  }
  writeFollowUp(place.at, { ...pushed, over: "published", notes: missed });
  return [...notes, ...missed];
}

async function answerThread(
  { host, ours }: { readonly host: CodeHost; readonly ours: number },
  { pull, run_id }: FollowUp,
  thread: string,
  head: string,
): Promise<boolean> {
  const marker = markerOf(run_id ?? "", `thread-${thread}`);
  const said = (await host.listRemarks(pull)).filter((one) => one.thread === thread);
  if (said.length === 0) return false;
  if (said.some((one) => isOurs(one, marker, ours))) return true;
  const body = `Changed in ${head} by run \`${run_id ?? ""}\`. Whether that settles it is yours to say.\n\n${marker}\n`;
  try {
    await host.replyToRemark(pull, thread, body);
    return true;
  } catch (error) {
    if (error instanceof HostRefused && error.status === 404) return false;
    throw error;
  }
}
