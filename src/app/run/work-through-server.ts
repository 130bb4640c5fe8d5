import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../foundation/processes/process-identity.js";
import { z } from "zod";
import type { RunEvent } from "../../model/event.js";
import { CoordinatorError } from "../../model/errors.js";
import { approvalsOfRun } from "../decide/approvals.js";
import { currentUser } from "../decide/current-user.js";
import { sendSignal } from "../decide/send-signal.js";
import { newSignalId } from "../decide/signal-box.js";
import { EXIT } from "../exit-codes.js";
import { foldRun } from "../inspect/fold-run.js";
import { type Watcher, watchRun } from "../inspect/watch.js";
import { fail, finish, type Finished } from "../report.js";
import { askServer } from "../serve/ask-server.js";
import { projectId } from "../serve/project-id.js";
import { WorkTrouble } from "../serve/work-trouble.js";
import { type ServerRecord, serverOf } from "../serve/server-file.js";
import type { CommandContext } from "../command-context.js";
import type { RunContext } from "./run-arguments.js";
import { approverOf } from "./work-on-run.js";

/*
 * While a server works on the runs of a project, a command gives it the run and follows: Ctrl-C leaves the run with the
 * server. When the server dies, the command goes on by itself.
 */

const LOOK_MS = 1000;

/** The server that takes the runs of this command; null when it works alone. */
export function serverFor({ server, project }: CommandContext): ServerRecord | null {
  return server === undefined ? null : serverOf(project.root, project.environment);
}

/**
 * Have a server carry out a run, and follow it until it is over or waits on people.
 *
 * Contract: what this command approved stands in the log before the server has the run. Null when the server died or does
 * not answer: the caller works on the run then.
 */
export async function workThroughServer(
  ready: RunContext,
  runId: string,
  server: ServerRecord,
  watcher: Watcher,
  interrupted: AbortSignal,
): Promise<Finished | null> {
  const { args, store, context } = ready;
  const { state, sequence } = await foldRun(store, runId);
  await recordBegin(ready, runId, state.plan_approved, sequence);
  try {
    await askServer(server, "POST", `/projects/${projectId(ready.context.project.at.root)}/runs/${runId}/resume`, {
      ...(args.agent === undefined ? {} : { agent: args.agent }),
      ...(args.unsafeNoSandbox === true ? { unsafe_no_sandbox: true } : {}),
    });
  } catch (error) {
    if (!(error instanceof CoordinatorError) || error.code !== "SERVER_UNREACHABLE") throw error;
    context.warn(`${error.message}; this command works on ${runId} by itself`);
    return null;
  }
  context.progress(`The server at ${server.url} works on ${runId}; Ctrl-C leaves it there.`);
  if (context.server !== undefined) context.server.following = server.url;
  const ended = new AbortController();
  const left = AbortSignal.any([ended.signal, interrupted]);
  const end = untilGivenUp(server, ready.context.project.at.root, runId, ended.signal);
  try {
    const from = args.plan === undefined ? sequence + 1 : 1;
    const watching = watchRun({ run: runId, from, idleMs: 600_000 }, context, watcher, left);
    const first = await Promise.race([watching.then(() => "watched" as const), end]);
    ended.abort();
    const followed = await watching;
    if (interrupted.aborted) {
      context.warn(`The server at ${server.url} goes on with ${runId}: coordinator watch ${runId}`);
      return finish(EXIT.interrupted, { type: "interrupted", run_id: runId });
    }
    if (first === "watched") return followed;
    if (first !== null) return first;
    context.warn(`The server at ${server.url} has ended; this command goes on with ${runId}`);
    return null;
  } finally {
    ended.abort();
    if (context.server !== undefined) context.server.following = null;
  }
}

/** The events that carrying out the run in this process would put into the log first. */
async function recordBegin(ready: RunContext, runId: string, isApproved: boolean, after: number): Promise<void> {
  const { args, inForce, context, firstCommit } = ready;
  const { at } = context.project;
  const begins = args.plan !== undefined;
  const by = currentUser(undefined, context.project);
  const events: RunEvent[] = [
    ...approvalsOfRun(inForce, by, begins),
    ...(firstCommit === null ? [] : [firstCommit]),
    ...(begins && !isApproved ? [{ type: "plan_approved" as const, decider: approverOf(ready) }] : []),
  ];
  for (const event of events) {
    const now = context.parts.now();
    const signal = { signal_id: newSignalId(Date.parse(now)), run_id: runId, event, roles: [by], after, sent_at: now };
    await sendSignal(at, signal, { waitMs: 5000, now: context.parts.now });
  }
}

const Standing = z.object({ served: z.boolean(), trouble: WorkTrouble.nullable() });

/** Resolves to null when the process has ended, and to why when it could not work on the run. */
async function untilGivenUp(
  server: ServerRecord,
  root: string,
  runId: string,
  signal: AbortSignal,
): Promise<Finished | null> {
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (!isAlive(server)) return null;
    const found = await askServer(server, "GET", `/projects/${projectId(root)}/runs/${runId}`).catch(() => null);
    const standing = Standing.safeParse(found);
    if (!standing.success || standing.data.served || standing.data.trouble === null) continue;
    const { code, message, fix } = standing.data.trouble;
    return fail(EXIT.failed, code, message, { fix: fix ?? undefined });
  }
  return null;
}
