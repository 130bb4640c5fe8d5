import { ACTIONS_OF_EFFECTS } from "../run/guard-effects.js";
import { listApprovedByPerson, type InForce } from "../../mind/contract/permit.js";
import type { ContractAction } from "../../model/settings/contract.js";
import type { EventOf } from "../../model/event.js";
import { sendSignal } from "./send-signal.js";
import { newSignalId } from "./signal-box.js";
import type { StateFolder } from "../project/state-folder.js";
import type { CommandContext } from "../command-context.js";
import { currentUser } from "./current-user.js";

/*
 * Approvals that a person gives with --yes are in the log of their run: who, when, and what required the approval.
 * Where nothing requires approval, --yes confirms nothing and nothing is written.
 */

type Approved = EventOf<"approval_given">;

const approvalEvent = (action: string, clause: string, by: string): Approved => ({
  type: "approval_given",
  action,
  clause,
  decider: { by, how: "person", via: "yes" },
});

/** Lists what --yes approved of carrying out a run. Contract: pure. */
export function approvalsOfRun(inForce: InForce, by: string, begins: boolean): Approved[] {
  const actions: ContractAction[] = [
    "carry_out_run",
    ...(begins ? (["create_task"] as const) : []),
    ...ACTIONS_OF_EFFECTS,
  ];
  return listApprovedByPerson(inForce, actions).map(({ action, clause }) => approvalEvent(action, clause, by));
}

/** A first commit was made because a person had agreed to it. Contract: pure. */
export function approveFirstCommit(by: string, via: "yes" | "terminal", commit: string): Approved {
  const event = approvalEvent("first_commit", `there was no commit to build on; ${commit} was made`, by);
  return { ...event, decider: { by, how: "person", via } };
}

/** Write into a run's log what --yes approved, before it is done. Contract: nothing is sent where nothing was approved. */
export async function recordApprovals(
  at: StateFolder,
  runId: string,
  { actions, after, by }: { readonly actions: readonly ContractAction[]; readonly after: number; readonly by?: string },
  context: CommandContext,
): Promise<void> {
  const { parts, approved: yes } = context;
  if (!yes) return;
  const inForce = await context.project.contractInForce(yes);
  for (const { action, clause } of listApprovedByPerson(inForce, actions)) {
    const now = parts.now();
    const event = approvalEvent(action, clause, currentUser(by, context.project));
    const roles = [event.decider.by];
    const signal = { signal_id: newSignalId(Date.parse(now)), run_id: runId, event, roles, after, sent_at: now };
    await sendSignal(at, signal, { waitMs: 5000, now: parts.now });
  }
}
