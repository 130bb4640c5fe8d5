import { requireEffectActions } from "./guard-effects.js";
import { requireSandbox } from "./machine.js";
import { requireRepository } from "./check-repository.js";
import { foldRun } from "../inspect/fold-run.js";
import { findRun } from "../inspect/find.js";
import { lastWordsOf, overviewOf, type RunOverview } from "../inspect/overview.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { beginRun } from "./begin-run.js";
import { readyRepository } from "./ready-repository.js";
import { rememberRuns } from "../request/learning.js";
import { inputFailure } from "../project/input-failure.js";
import { registryFailure } from "../project/project-registry.js";
import { bringUpToDate } from "../prove/record.js";
import { respondHere } from "../inspect/response.js";
import type { RunArguments, RunContext } from "./run-arguments.js";
import { nextCommands } from "../inspect/status.js";
import { warnWithoutEffect } from "../project/describe-trust.js";
import type { Watcher } from "../inspect/watch.js";
import { workOnRun } from "./work-on-run.js";
import { serverFor, workThroughServer } from "./work-through-server.js";

/** Start a run from a frozen plan, or go on with one, until it is over, waits on people, or is interrupted. */
export async function carryOutPlan(
  args: RunArguments,
  context: CommandContext,
  watcher: Watcher,
  interrupted: AbortSignal,
): Promise<Finished> {
  if (args.brief !== undefined && args.plan === undefined)
    return fail(EXIT.invalid, "USAGE", "A brief is given when a run begins", {
      fix: "coordinator run --plan DIR --brief FILE; a run that is resumed keeps the one it has.",
    });
  const wanted = [args.plan, args.resume, args.last === true ? "" : undefined].filter((one) => one !== undefined);
  if (wanted.length !== 1)
    return fail(EXIT.invalid, "USAGE", "Say what to carry out", {
      fix: 'coordinator run "what you want", or --adr FILE, --plan DIR, --resume RUN, --last.',
    });
  const { project } = context;
  const { at, environment } = project;
  const loaded = await project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  warnWithoutEffect(loaded.trust, context.warn);
  const registry = await project.registry();
  const broken = registryFailure(registry);
  if (broken !== null) return broken;
  const firstCommit = args.plan === undefined ? null : await readyRepository(at, args, environment, context);
  if (firstCommit !== null && "exitCode" in firstCommit) return firstCommit;
  // Before a run is begun that could only stand and wait.
  requireSandbox(args.unsafeNoSandbox === true);
  if (args.plan !== undefined) await requireRepository(at.root, environment);
  const store = await project.openRuns();
  try {
    const inForce = await project.contractInForce(context.approved);
    requireEffectActions(inForce);
    const { configuration, trust } = loaded;
    const work = { args, store, configuration, trust, inForce, firstCommit, registry };
    const ready: RunContext = { ...work, context };
    const begun = args.plan === undefined ? await findRunToResume(ready) : await beginRun(ready, args.plan);
    if (typeof begun !== "string") return begun;
    if (args.waits === true) {
      await bringUpToDate(begun, ready);
      return await reportWaiting(store, begun);
    }
    return await reportRunResponse(ready, begun, await workOrFollow(ready, begun, watcher, interrupted));
  } finally {
    await store.close();
  }
}

/** By the server of the project where one runs, and else in this process. */
async function workOrFollow(
  ready: RunContext,
  runId: string,
  watcher: Watcher,
  interrupted: AbortSignal,
): Promise<Finished> {
  const server = serverFor(ready.context);
  const followed = server === null ? null : await workThroughServer(ready, runId, server, watcher, interrupted);
  if (server === null) return workOnRun(ready, runId, watcher, interrupted);
  if (followed !== null) return followed;
  // The approvals stand in the log by now.
  const { agent, unsafeNoSandbox = false } = ready.args;
  return workOnRun(
    { ...ready, firstCommit: null, args: { resume: runId, agent, unsafeNoSandbox } },
    runId,
    watcher,
    interrupted,
  );
}

/** Nobody is asked here, and nothing is done before somebody has approved. */
async function reportWaiting(store: EventStore, runId: string): Promise<Finished> {
  const overview = overviewOf(await foldRun(store, runId), (await store.runs()).length === 1);
  return finish(EXIT.waiting, { type: "watched", overview });
}

function findRunToResume({ args, store }: RunContext): Promise<string> {
  return findRun(store, args.resume ?? "last");
}

/** The last message to the person who asked: deliveries, costs, and what to do next. */
async function reportRunResponse({ store, context }: RunContext, runId: string, ended: Finished): Promise<Finished> {
  if (ended.report.type !== "watched") return ended;
  if (isOver(ended.report.overview)) await rememberRuns(store, context.project.at, context.parts, context.progress);
  const { response, run } = await respondHere(store, context.project, runId);
  const estimated_usd = run.state.ledger.run.estimated.cost_usd;
  if (response === null) return ended;
  const told = nextCommands(ended.report.overview, false);
  const words = lastWordsOf(run);
  return finish(ended.exitCode, { type: "response", run_id: runId, response, told, words, estimated_usd });
}

function isOver({ status }: RunOverview): boolean {
  return status === "completed" || status === "failed";
}
