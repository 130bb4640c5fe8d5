import { createHash } from "node:crypto";
import { z } from "zod";
import type { CodeHost, Discussion, HostComment, HostKind, HostUser } from "../../hands/hosts/code-host.js";
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

/* Approvals by comment. Everything that counts is read from the host at this moment: the comment, the issue's text, the right. */

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

/** A plan that was told on a host, and where. */
export interface ToldPlan {
  readonly run_id: string;
  readonly plan_checksum: string;
  /** An approval is later. */
  readonly told_at: string;
  readonly on: Discussion;
  /** Whose wish it is; null when nobody is known. */
  readonly requester: number | null;
  readonly approved_by: string | null;
  /** Whether what it was made of was changed since. */
  readonly isStale: () => Promise<boolean>;
  /** Contract: durable when it returns. */
  readonly keep: (approval: { readonly approved_by: string; readonly approval: ApprovalSeen }) => void;
}

/** The comment that approved a plan, and the right its author had. */
export const ApprovalSeen = z.object({
  comment: z.int(),
  checksum: z.string(),
  right: z.string(),
  read_at: z.string(),
});
export type ApprovalSeen = z.infer<typeof ApprovalSeen>;

export async function readApproval(plan: ToldPlan, place: ApprovalPlace): Promise<ReadApproval> {
  const { host, ours, settings } = place;
  const run = await withRuns(place.context.project, (reader) => foldRun(reader, plan.run_id));
  if (!run.state.inbox.some(({ kind }) => kind === "plan_approval"))
    return { status: run.state.plan_approved ? "approved" : "over", by: plan.approved_by, refused: [] };
  if (await plan.isStale()) return { status: "stale", by: null, refused: [] };
  const known = knownAccounts(settings, host.kind);
  const refused: string[] = [];
  for (const comment of await host.listComments(plan.on)) {
    const judged = judgeComment(comment, {
      plan_checksum: plan.plan_checksum,
      told_at: plan.told_at,
      ours,
      requester: plan.requester,
      other_approver: settings.other_approver,
      known,
      kind: host.kind,
    });
    if (judged.status === "refused") refused.push(judged.why);
    if (judged.status !== "approves") continue;
    const right = await rightToWrite(host, { id: judged.author, login: judged.login });
    if (right === null) {
      refused.push(`${judged.login}: has no right to write to ${host.repository} at this moment`);
      continue;
    }
    const objection = await approve(run, plan, comment, right, place);
    if (objection === null) return { status: "approved", by: nameOf(settings, host.kind, judged.author), refused };
    refused.push(`${judged.login}: ${objection}`);
  }
  return { status: "waiting", by: null, refused };
}

/** The numbers of the accounts of this kind of host that the settings know. */
export function knownAccounts({ people }: CodeHostSettings, kind: HostKind): ReadonlySet<number> {
  const own = Object.keys(people).filter((key) => key.startsWith(`${kind}:`));
  return new Set(own.map((key) => Number(key.slice(kind.length + 1))));
}

/** The right of a person who may write at this moment; null for anyone else. */
export async function rightToWrite(host: CodeHost, account: Pick<HostUser, "id" | "login">): Promise<string | null> {
  const { user, right } = await host.readRight(account);
  // A name may have gone to somebody else since: the number counts.
  const isTheirs = user !== null && user.id === account.id && !user.isBot;
  return isTheirs && (right === "write" || right === "admin") ? right : null;
}

function nameOf({ people }: CodeHostSettings, kind: HostKind, id: number): string {
  return `${people[`${kind}:${id}`]?.name ?? "somebody"} (${kind}:${id})`;
}

/** Null when the approval stands in the log. */
async function approve(
  run: FoldedRun,
  plan: ToldPlan,
  comment: HostComment,
  right: string,
  { at, host, settings, context }: ApprovalPlace,
): Promise<string | null> {
  const { parts } = context;
  const id = comment.author?.id ?? 0;
  const by = nameOf(settings, host.kind, id);
  const person = settings.people[`${host.kind}:${id}`];
  const now = parts.now();
  // The evidence is there before the decision.
  const checksum = createHash("sha256").update(comment.body).digest("hex");
  plan.keep({ approved_by: by, approval: { comment: comment.id, checksum, right, read_at: now } });
  const event = { type: "plan_approved", decider: { by, how: "person", via: "comment" } } as const;
  const roles = [by, ...(person === undefined ? [] : [person.name, ...person.roles.flatMap(formsOf)])];
  const signal = {
    signal_id: newSignalId(Date.parse(now)),
    run_id: plan.run_id,
    event,
    roles,
    after: run.sequence,
    sent_at: now,
  };
  const sent = await sendSignal(at, signal, { waitMs: 5000, now: parts.now });
  if (sent.status === "refused") return sent.reason;
  if (sent.status === "taken") await afterEffect(at, plan.run_id, context);
  return null;
}
