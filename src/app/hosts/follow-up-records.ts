import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readdirSync } from "../../foundation/files/read-files.js";
import { UserRequest } from "../../model/request.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";
import { ApprovalSeen } from "./read-approval.js";

/*
 * A round of remarks on a pull request: what was said, and the run that was planned of it. The record is durable before the
 * planning, so that a run that was begun just before a crash is found by its request.
 */

const FollowUp = z.object({
  schema_version: z.literal("1.0.0"),
  /** The run that opened the pull request, and which of its parts that is. */
  of: z.string(),
  part: z.string(),
  server: z.string(),
  repository: z.string(),
  pull: z.int(),
  branch: z.string(),
  base: z.string(),
  round: z.int().min(1),
  /** The commit that was remarked on: the change goes on from there. */
  from: z.string(),
  read_at: z.string(),
  threads: z.array(z.object({ thread: z.string(), checksum: z.string() })),
  checks: z.array(z.string()),
  removed: z.array(z.string()),
  request: UserRequest,
  /** Null before there is a run. */
  run_id: z.string().nullable(),
  plan_checksum: z.string().nullable(),
  risk: z.string().nullable(),
  comment: z.int().nullable(),
  told_at: z.string().nullable(),
  approved_by: z.string().nullable(),
  approval: ApprovalSeen.nullable(),
  /** Its commit, when that is on the pull request. */
  head: z.string().nullable(),
  /** Why nothing more is done about it; null while it is not over. */
  over: z.enum(["published", "stale", "unplanned", "ended"]).nullable(),
  notes: z.array(z.string()),
});
export type FollowUp = z.infer<typeof FollowUp>;

function followUpFile({ folder }: StateFolder, { of, pull, round }: Pick<FollowUp, "of" | "pull" | "round">): string {
  return join(folder, "hosts", `follow-${of}-${pull}-${round}.json`);
}

/** Contract: durable when it returns. */
export function writeFollowUp(at: StateFolder, record: FollowUp): void {
  makeStateFolder(at);
  writeOwnJson(followUpFile(at, record), record);
}

/** All rounds, in the order in which they were planned. */
export function listFollowUps(at: StateFolder): FollowUp[] {
  const folder = join(at.folder, "hosts");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /^follow-.+\.json$/.test(name))
    .flatMap((name) => readOwnJson(join(folder, name), FollowUp) ?? [])
    .sort((a, b) => a.pull - b.pull || a.round - b.round);
}

/** The round a run was planned for; null for a run of its own. */
export function followUpOfRun(at: StateFolder, runId: string): FollowUp | null {
  return listFollowUps(at).find(({ run_id }) => run_id === runId) ?? null;
}

/** The last round of a run whose commit is on the pull request. */
export function lastFollowUp(at: StateFolder, of: string, pull?: number): FollowUp | null {
  const rounds = listFollowUps(at).filter((one) => one.of === of && (pull === undefined || one.pull === pull));
  return rounds.findLast(({ head }) => head !== null) ?? null;
}
