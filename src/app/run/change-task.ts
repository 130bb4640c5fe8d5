import { randomBytes } from "node:crypto";
import { type BoardState, boardMemory, type ProposedEdit } from "../../hands/board/board-state.js";
import { permitChange, requireAction } from "../../mind/contract/permit.js";
import { agentSettings } from "../../hands/attempts/agents-of.js";
import type { RunEvent } from "../../model/event.js";
import type { Decider, TaskChange } from "../../model/run.js";
import { foldRun } from "../inspect/fold-run.js";
import { findRun } from "../inspect/find.js";
import { describeChange } from "../inspect/open-entries.js";
import { nameHolder } from "../decide/send-decision.js";
import { sendSignal } from "../decide/send-signal.js";
import { newSignalId } from "../decide/signal-box.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { boardAt, warnInstead } from "../inspect/board.js";
import { wakeServer } from "../serve/wake-server.js";
import { findTask } from "./find-task.js";
import { withRuns } from "../inspect/runs-at.js";
import { currentUser } from "../decide/current-user.js";

export interface ChangeArguments {
  readonly run: string;
  readonly task: string;
  readonly change: TaskChange;
  /** The person who asks for it approves it too. */
  readonly approve: boolean;
  readonly by: string | undefined;
  readonly waitMs: number;
  /** How they said so, where it was not by the command. */
  readonly via?: Decider["via"] | undefined;
}

/**
 * Ask for a change of a task. By the contract it waits for approval in the inbox, or takes effect at once; either way it
 * is an event of the run. A task that is being worked on is not changed.
 *
 * Contract: throws what the contract forbids, and NOT_FOUND for an agent that is not configured, before anything is
 * recorded; otherwise as `decideEntry`.
 */
export function changeTask(args: ChangeArguments, context: CommandContext): Promise<Finished> {
  const { parts, project, approved } = context;
  const by = currentUser(args.by, context.project);
  return withRuns(context.project, async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const folded = await foldRun(reader, runId);
    const found = findTask(folded.state, args.task);
    if ("exitCode" in found) return found;
    const { task_id } = found.task;
    const { configuration } = await project.settings();
    // Refused here and not by the run: an order that nobody can carry out must not stand in its log.
    if (args.change.action === "reassign_task") agentSettings(args.change.agent, configuration, []);
    const inForce = await project.contractInForce(approved);
    const allowed = permitChange(inForce.contract, args.change.action);
    if (allowed.status === "forbidden") requireAction(inForce, args.change.action);
    const decider: Decider = { by, how: "person", via: args.via ?? "command" };
    const change_id = `chg_${randomBytes(5).toString("hex")}`;
    const decided: RunEvent[] =
      allowed.status === "allowed"
        ? [{ type: "change_decided", change_id, approved: true, decider: { by: "contract", how: "rule" }, reason: "" }]
        : args.approve
          ? [{ type: "change_decided", change_id, approved: true, decider, reason: "" }]
          : [];
    const proposed: RunEvent = {
      type: "change_proposed",
      change_id,
      task_id,
      change: args.change,
      decider,
    };
    const approvals = { actions: ["manage_queue"] as const, after: folded.sequence, by };
    await recordApprovals(at, runId, approvals, context);
    const about = { run_id: runId, id: change_id, decided: describeChange(task_id, args.change), by };
    let last: Awaited<ReturnType<typeof sendSignal>> | null = null;
    for (const event of [proposed, ...decided]) {
      const now = parts.now();
      const signal = { signal_id: newSignalId(Date.parse(now)), run_id: runId, event, roles: [by], sent_at: now };
      await project.registerKeys();
      last = await sendSignal(at, { ...signal, after: folded.sequence }, { waitMs: args.waitMs, now: parts.now });
      if (last.status === "refused") break;
    }
    const board = boardAt({ context, configuration, inForce }, reader);
    await warnInstead(() => board?.refresh(), context.warn);
    if (last?.status === "taken") await wakeServer(runId, context);
    const waits = decided.length === 0 && last?.status !== "refused";
    const next = waits ? [`coordinator approve ${change_id}`] : [`coordinator tasks --run ${runId}`];
    return finish(last?.status === "refused" ? EXIT.refused : waits ? EXIT.waiting : EXIT.done, {
      type: "decision",
      ...about,
      decided: `${waits ? "asked for approval to " : ""}${about.decided}`,
      status: last?.status ?? "left",
      sequence: last?.status === "taken" ? last.sequence : null,
      reason: last?.status === "refused" ? last.reason : null,
      ...(last?.status === "left" ? nameHolder(last.holder) : { left_for: null, left_on: null }),
      kept: false,
      next,
    });
  });
}

export interface EditsArguments {
  /** Null for all of them. */
  readonly id: string | null;
  readonly what: "adopt" | "discard";
  readonly approve: boolean;
  readonly by: string | undefined;
  readonly waitMs: number;
}

/**
 * Take up, or leave, what somebody wrote into the work queue by hand.
 *
 * Contract: each edit is settled as `changeTask` would, and is proposed no more then. The exit code is that of the last
 * one that was not taken.
 */
export async function settleEdits(
  { id, what, approve, by, waitMs }: EditsArguments,
  context: CommandContext,
): Promise<Finished> {
  const memory = await withRuns(context.project, async (_, at) => boardMemory(at.folder));
  const state = await memory.read();
  const chosen = state.proposed.filter((edit) => id === null || edit.id === id || edit.id === `chg_${id}`);
  if (chosen.length === 0)
    return fail(
      EXIT.invalid,
      "NOT_FOUND",
      id === null ? "Nothing is proposed" : `Nothing with the id ${id} is proposed`,
      {
        fix: "coordinator tasks --proposed lists what is.",
      },
    );
  const done: { readonly edit: ProposedEdit; readonly outcome: string }[] = [];
  let exit: Finished["exitCode"] = EXIT.done;
  for (const edit of chosen) {
    if (what === "discard") done.push({ edit, outcome: "discarded" });
    else {
      const { run, task, change } = edit;
      const sent = await changeTask({ run, task, change, approve, by, waitMs }, context);
      if (sent.exitCode !== EXIT.done) exit = sent.exitCode;
      done.push({ edit, outcome: outcomeOf(sent) });
    }
    await forget(memory, edit);
  }
  return finish(exit, { type: "edits", what, done });
}

function outcomeOf({ exitCode, report }: Finished): string {
  if (report.type === "error") return `refused: ${report.message}`;
  if (report.type !== "decision") return "unknown";
  if (report.status === "refused") return `refused: ${report.reason ?? ""}`;
  return exitCode === EXIT.waiting ? `waits for approval: ${report.next[0] ?? ""}` : "done";
}

async function forget(memory: ReturnType<typeof boardMemory>, { id }: ProposedEdit): Promise<void> {
  await memory.inTurn(async () => {
    const state: BoardState = await memory.read();
    await memory.write({ ...state, proposed: state.proposed.filter((edit) => edit.id !== id) });
  });
}
