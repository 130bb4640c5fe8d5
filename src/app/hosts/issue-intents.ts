import { join } from "node:path";
import { z } from "zod";
import type { HostPlace } from "../../hands/hosts/addresses.js";
import { UserRequest } from "../../model/request.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, removeOwnJson, writeOwnJson } from "../serve/own-json.js";
import { IssueRecord } from "./issue-records.js";
import { keyOf } from "./one-writer.js";

/*
 * An issue that is being planned: what it said, and the request that was made of it. It is durable before the planning
 * begins, so that a run that was begun just before a crash is found by its request and not planned a second time.
 */

const IssueIntent = z.object({
  schema_version: z.literal("1.0.0"),
  request: UserRequest,
  /** The record of the issue, as far as it is known before there is a run. */
  issue: IssueRecord.omit({
    schema_version: true,
    run_id: true,
    plan_checksum: true,
    risk: true,
    comment: true,
    told_at: true,
    approved_by: true,
    approval: true,
  }),
});
export type IssueIntent = z.infer<typeof IssueIntent>;

function intentFile({ folder }: StateFolder, place: HostPlace, issue: number): string {
  return join(folder, "hosts", `planning-${keyOf(place)}-${issue}.json`);
}

/** Null when nothing was left unfinished. */
export function readIssueIntent(at: StateFolder, place: HostPlace, issue: number): IssueIntent | null {
  return readOwnJson(intentFile(at, place, issue), IssueIntent);
}

/** Contract: durable when it returns. */
export function writeIssueIntent(at: StateFolder, intent: IssueIntent): void {
  makeStateFolder(at);
  writeOwnJson(intentFile(at, intent.issue, intent.issue.number), intent);
}

export function removeIssueIntent(at: StateFolder, place: HostPlace, issue: number): void {
  removeOwnJson(intentFile(at, place, issue));
}
