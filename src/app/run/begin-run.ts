import { join, resolve } from "node:path";
import { requireAction } from "../../mind/contract/permit.js";
import { BRIEF_RECORD } from "./brief.js";
import { openRecords, PLAN_RECORD, REVIEWS_RECORD, sharedRecords } from "../../hands/attempts/run-records.js";
import { ExecutionGraph } from "../../model/plan/graph.js";
import type { RequestOrigin } from "../../model/request-origin.js";
import type { RunPolicy } from "../../model/run.js";
import { foldRun } from "../inspect/fold-run.js";
import { closeUnclear, endWithRun } from "../request/record-request.js";
import { narrowBounds } from "../../mind/scope/narrow-bounds.js";
import { newRunId, startRun } from "./start-run.js";
import { adrIn, readRunsOfAdrs } from "../inspect/taken-adrs.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { inTurn } from "../../hands/store/sqlite/turn.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import { concurrencyWithin, queueFull, roomInQueue } from "../project/contract.js";
import { readOrigin } from "../request/origin-file.js";
import { inputFailure } from "../project/input-failure.js";
import { readBriefFile } from "../request/read-brief.js";
import { findTaken } from "./queue/queue-request.js";
import { readPlanCuts, refuseEmptyTasks } from "../request/plan-bounds.js";
import type { RunContext } from "./run-arguments.js";
import { currentBounds, withinBounds } from "../request/routing-bounds.js";
import { equipment } from "./run-equipment.js";

/** Runs begin one after the other: how many tasks are open, and which records are carried out, is looked at before. */
const TURN_MS = 600_000;

/** Put a run into the log, from the plan in a folder: its id, or why there is none. */
export async function beginRun(ready: RunContext, folder: string): Promise<string | Finished> {
  const { args, store, configuration, inForce, context } = ready;
  const { project } = context;
  requireAction(inForce, "create_task");
  const given = args.brief === undefined ? null : await readBriefFile(args.brief, context.cwd);
  if (given !== null && !given.ok) return inputFailure(given.problems);
  const files = await context.parts.plans.read(folder);
  const before = await readOrigin(project.at, files);
  const inForceNow = await currentBounds(context.cwd);
  if ("problems" in inForceNow) return inputFailure(inForceNow.problems);
  const bounds = before?.bounds === undefined ? inForceNow : narrowBounds(before.bounds, inForceNow);
  const most = { minutes: before?.minutes ?? null, api_calls: before?.api_calls ?? null };
  const equip = await equipment(ready, most, bounds);
  const verification = await (await context.coordinator()).verify(folder);
  const { agents } = ready.registry.registry;
  const graph = verification.passed ? graphIn(files) : null;
  const cuts = await readPlanCuts(graph, {
    project,
    bounds,
    agents,
    hosts: configuration.scope.network,
  });
  const refused = refuseEmptyTasks(cuts);
  if (refused !== null) return refused;
  for (const cut of cuts.told) context.warn(cut);
  const policy: RunPolicy = {
    ...withinBounds(configuration.run, bounds),
    max_concurrent_tasks: concurrencyWithin(inForce, configuration.run.max_concurrent_tasks, args.maxConcurrent),
    ...(args.schedule === undefined ? {} : { schedule: args.schedule }),
    ...(args.coordinatorMode === undefined ? {} : { coordinator_mode: args.coordinatorMode }),
  };
  const brief = given?.value ?? before?.brief ?? null;
  const request = brief?.request ?? `Carry out the plan in ${folder}`;
  const { now } = context.parts;
  const runId = newRunId(now());
  const records = openRecords(join(project.at.folder, "records", runId), sharedRecords(store, runId));
  // Before the run is in the log: a run never begins without what it goes by.
  if (brief !== null) await records.write(BRIEF_RECORD, brief);
  const opening = before === null ? {} : { before };
  const shownBy = { criteria: configuration.criteria, checks: configuration.checks.map(({ name }) => name) };
  const begun = await inTurn(join(project.at.folder, "begin.db"), TURN_MS, async () => {
    const taken = before === null || args.again === true ? null : await findEarlierRunOfRecord(store, before);
    if (taken !== null) return taken;
    const queued = before?.queue === undefined ? null : await readQueueTasks(before.queue, graph, ready);
    if (queued !== null) return queued;
    const mostTasks = await roomInQueue(inForce, store);
    const eachAssignment = !inForce.contract.behaviors.auto_assign_tasks;
    const options = { request, policy, now, equip, runId, mostTasks, eachAssignment, shownBy, bounds, ...opening };
    return { ...(await startRun(store, { verification, files }, options)), mostTasks };
  });
  if ("exitCode" in begun) return begun;
  const { mostTasks, ...started } = begun;
  if (started.status === "started") {
    if (args.request !== undefined) await endWithRun(store, args.request, runId, now());
    if (before !== null) await closeUnclear(store, before.request, now());
  }
  if (started.status === "refused" && started.too_many !== undefined)
    throw queueFull(inForce, mostTasks, started.too_many);
  if (started.status === "refused")
    return fail(EXIT.invalid, "PLAN_CHANGED", `The plan in ${folder} cannot be carried out: ${started.reason}`, {
      fix: started.fix,
    });
  // The log holds no reviews that no task waits for; anyone who merges has to know of them.
  await records.write(REVIEWS_RECORD, started.reviews_before_merge);
  await records.write(PLAN_RECORD, { folder: resolve(context.cwd, folder) });
  return started.run_id;
}

/** Contract: called by one process at a time, so that no task of a queue is carried out twice. */
async function readQueueTasks(
  file: string,
  graph: ExecutionGraph | null,
  { context, args }: RunContext,
): Promise<Finished | null> {
  const ids = (graph?.nodes ?? []).flatMap((node) =>
    node.node_type === "action_proposal" && node.metadata.task !== undefined ? [node.metadata.task.id] : [],
  );
  const taken = args.again === true ? null : await findTaken(ids, context.project.at);
  if (taken === null) return null;
  return fail(EXIT.refused, "QUEUE_TAKEN", `${taken.id} of ${file} is carried out by ${taken.run} already`, {
    fix: `coordinator run --resume ${taken.run} resumes it; coordinator run --queue takes what is still open.`,
  });
}

function graphIn(files: ReadonlyMap<string, { readonly text: string }>): ExecutionGraph | null {
  const read = ExecutionGraph.safeParse(JSON.parse(files.get("graph.json")?.text ?? "null"));
  return read.success ? read.data : null;
}

/** Contract: called by one process at a time, so that no record is taken twice. */
async function findEarlierRunOfRecord(store: EventStore, { messages }: RequestOrigin): Promise<Finished | null> {
  const wanted = adrIn(messages);
  if (wanted === null) return null;
  for (const { run_id, adr } of await readRunsOfAdrs(store)) {
    if (adr.checksum !== wanted.checksum) continue;
    if ((await foldRun(store, run_id)).state.status === "failed") continue;
    return fail(EXIT.refused, "ADR_TAKEN", `${wanted.label} is carried out by ${run_id} already`, {
      fix: `coordinator run --resume ${run_id} resumes it; --again carries it out once more.`,
    });
  }
  return null;
}
