import { createHash } from "node:crypto";
import type { CodeHost, HostComment } from "../../hands/hosts/code-host.js";
import { judgeComment } from "../../mind/publish/approval.js";
import type { CodeHostSettings } from "../../model/settings/code-host.js";
import type { CommandContext } from "../command-context.js";
import { formsOf } from "../decide/roles.js";
import { sendSignal } from "../decide/send-signal.js";
import { newSignalId } from "../decide/signal-box.js";
import { foldRun, type FoldedRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import type { StateFolder } from "../project/state-folder.js";
import { afterEffect } from "../prove/record.js";
import { type IssueRecord, writeIssueOfRun } from "./issue-records.js";
import { checksumOfIssue } from "./issue-snapshot.js";

/* Approvals by comment. What counts is asked at the host at this moment: the comment, the issue's text, the right. */

export interface ReadApproval {
  readonly status: "waiting" | "approved" | "stale" | "over";
  readonly by: string | null;
  /** Comments that ordered it and do not count, and why. */
  readonly refused: readonly string[];
}

export interface ApprovalPlace {
  readonly at: StateFolder;
  readonly host: CodeHost;
  readonly ours: number;
  readonly settings: CodeHostSettings;
  readonly context: CommandContext;
}

export async function readApproval(record: IssueRecord, place: ApprovalPlace): Promise<ReadApproval> {
  const { host, ours, settings } = place;
  const run = await withRuns(place.context.project, (reader) => foldRun(reader, record.run_id));
  if (!run.state.inbox.some(({ kind }) => kind === "plan_approval"))
    return { status: run.state.plan_approved ? "approved" : "over", by: record.approved_by, refused: [] };
  if (checksumOfIssue(await host.readIssue(record.number)) !== record.checksum)
    return { status: "stale", by: null, refused: [] };
  const known = new Set(Object.keys(settings.people).map((key) => Number(key.slice("github:".length))));
  const refused: string[] = [];
  for (const comment of await host.listComments(record.number)) {
    const judged = judgeComment(comment, {
      plan_checksum: record.plan_checksum,
      told_at: record.told_at ?? record.read_at,
      ours,
      requester: record.author?.id ?? null,
      other_approver: settings.other_approver,
      known,
    });
    if (judged.status === "refused") refused.push(judged.why);
    if (judged.status !== "approves") continue;
    const { user, right } = await host.readRight(judged.login);
    // A name may have gone to somebody else since: the number counts.
    if (user?.id !== judged.author || (right !== "write" && right !== "admin")) {
      refused.push(`${judged.login}: has no right to write to ${record.repository} at this moment`);
      continue;
    }
    const objection = await approve(run, record, comment, right, place);
    if (objection === null) return { status: "approved", by: nameOf(settings, judged.author), refused };
    refused.push(`${judged.login}: ${objection}`);
  }
  return { status: "waiting", by: null, refused };
}

function nameOf({ people }: CodeHostSettings, id: number): string {
  return `${people[`github:${id}`]?.name ?? "somebody"} (github:${id})`;
}

/** Null when the approval stands in the log. */
async function approve(
  run: FoldedRun,
  record: IssueRecord,
  comment: HostComment,
  right: string,
  { at, settings, context }: ApprovalPlace,
): Promise<string | null> {
  const { parts } = context;
  const id = comment.author?.id ?? 0;
  const by = nameOf(settings, id);
  const person = settings.people[`github:${id}`];
  const now = parts.now();
  // The evidence is there before the decision.
  const hash = createHash("sha256").update(comment.body).digest("hex");
  writeIssueOfRun(at, {
    ...record,
    approved_by: by,
    approval: { comment: comment.id, checksum: hash, right, read_at: now },
  });
  const event = { type: "plan_approved", decider: { by, how: "person", via: "comment" } } as const;
  const roles = [by, ...(person === undefined ? [] : [person.name, ...person.roles.flatMap(formsOf)])];
  const signal = {
    signal_id: newSignalId(Date.parse(now)),
    run_id: record.run_id,
    event,
    roles,
    after: run.sequence,
    sent_at: now,
  };
  const sent = await sendSignal(at, signal, { waitMs: 5000, now: parts.now });
  if (sent.status === "refused") return sent.reason;
  if (sent.status === "taken") await afterEffect(at, record.run_id, context);
  return null;
}
