import { join } from "node:path";
import { z } from "zod";
import type { StateFolder } from "../project/state-folder.js";
import { readOwnJson } from "../serve/own-json.js";

/* Which issue a run came from, and what the issue said at that moment. Evidence, and never read to decide what is done. */

const IssueRecord = z.object({
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
});
type IssueRecord = z.infer<typeof IssueRecord>;

function issueFile({ folder }: StateFolder, runId: string): string {
  return join(folder, "hosts", `issue-${runId}.json`);
}

/** Null for a run that came from no issue. */
export function readIssueOfRun(at: StateFolder, runId: string): IssueRecord | null {
  return readOwnJson(issueFile(at, runId), IssueRecord);
}
