import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readdirSync } from "../../foundation/files/read-files.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";
import { ApprovalSeen } from "./read-approval.js";

/* Which issue a run came from, and what the issue said at that moment. Evidence, and never read to decide what is done. */

export const IssueRecord = z.object({
  schema_version: z.literal("1.0.0"),
  run_id: z.string(),
  server: z.string(),
  repository: z.string(),
  number: z.int().min(1),
  issue_id: z.int(),
  author: z.object({ id: z.int(), login: z.string() }).nullable(),
  title: z.string(),
  body: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  read_at: z.string(),
  /** Of title and body as the host gave them. */
  checksum: z.string(),
  removed: z.array(z.string()),
  plan_checksum: z.string(),
  /** Our comment; null before it is known to be there. */
  comment: z.int().nullable(),
  /** When the comment first told this plan: an approval is later. */
  told_at: z.string().nullable(),
  risk: z.string().nullable(),
  approved_by: z.string().nullable(),
  approval: ApprovalSeen.nullable(),
});
export type IssueRecord = z.infer<typeof IssueRecord>;

function issueFile({ folder }: StateFolder, runId: string): string {
  return join(folder, "hosts", `issue-${runId}.json`);
}

/** Null for a run that came from no issue. */
export function readIssueOfRun(at: StateFolder, runId: string): IssueRecord | null {
  return readOwnJson(issueFile(at, runId), IssueRecord);
}

/** The records of an issue, newest first; of all issues when none is named. */
export function listIssueRecords(
  at: StateFolder,
  of?: { readonly server: string; readonly repository: string; readonly number: number },
): IssueRecord[] {
  const folder = join(at.folder, "hosts");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => /^issue-(.+)\.json$/.exec(name)?.[1] ?? [])
    .flatMap((runId) => readIssueOfRun(at, runId) ?? [])
    .filter(
      ({ server, repository, number }) =>
        of === undefined || (server === of.server && repository === of.repository && number === of.number),
    )
    .sort((a, b) => (a.read_at < b.read_at ? 1 : -1));
}

/** Contract: durable when it returns. */
export function writeIssueOfRun(at: StateFolder, record: IssueRecord): void {
  makeStateFolder(at);
  writeOwnJson(issueFile(at, record.run_id), record);
}
