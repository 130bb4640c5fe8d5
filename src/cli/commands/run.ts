import { join } from "node:path";
import { guardHands, requireDeeds } from "../../contract/guard-hands.js";
import { type InForce, requireAction } from "../../contract/permit.js";
import { loadConfiguration } from "../../configuration/load-configuration.js";
import { agentForBuilder, agentSettings } from "../../execute/agents-of.js";
import { type Execution, executeRun, requireSandbox } from "../../execute/execute-run.js";
import { BRIEF_RECORD } from "../../execute/brief.js";
import { makeFirstCommit, missingGround, uncommittedFiles } from "../../execute/first-commit.js";
import { openRecords } from "../../execute/run-records.js";
import type { Configuration } from "../../model/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RequestOpening } from "../../model/opening.js";
import type { Amounts, RunPolicy, RunTask } from "../../model/run.js";
import type { LoadedRegistry } from "../../registry/load-registry.js";
import { foldRun } from "../../runs/fold-run.js";
import { findRun } from "../../runs/find.js";
import { overviewOf } from "../../runs/overview.js";
import { writeRuns } from "../../runs/open-runs.js";
import type { RunOverview } from "../../runs/overview.js";
import type { Equip } from "../../runs/plan-ref.js";
import { closeUnclear } from "../../runs/record-request.js";
import { serveSignals } from "../../runs/serve-signals.js";
import { newRunId, startRun } from "../../runs/start-run.js";
import { findRoot, type StateFolder, stateFolder } from "../../runs/state-folder.js";
import { adrIn, takenAdrs } from "../../runs/taken-adrs.js";
import { scopedTask, scopeOf, withNetwork } from "../../scope/scope-of.js";
import type { EventStore } from "../../store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { failed, finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { contractAt, queueFull, requireConcurrency, roomInQueue } from "./contract.js";
import { openingOf } from "./plan-words.js";
import { readBriefFile } from "./read-brief.js";
import { inputFailure, loadProjectRegistry, readScopePolicy, registryFailure } from "./project.js";
import { rememberRuns } from "./learning.js";
import { respondHere } from "./response.js";
import { nextCommands } from "./status.js";
import { beginSession } from "./session.js";
import { type Watcher, watchRun } from "./watch.js";
import { whoDecides } from "./who.js";

export interface RunArguments {
  readonly plan?: string;
  readonly brief?: string;
  /** The plan is not approved by being carried out: the run stands until somebody approves it. */
  readonly waits?: boolean;
  /** A person has agreed to a first commit where there is none. */
  readonly mayCommit?: boolean;
  /** A decision record that was carried out before, unchanged, is carried out once more. */
  readonly again?: boolean;
  readonly resume?: string;
  readonly last?: boolean;
  readonly agent?: string;
  readonly maxConcurrent?: number;
  readonly schedule?: RunPolicy["schedule"];
  readonly coordinatorMode?: RunPolicy["coordinator_mode"];
  readonly unsafeNoSandbox?: boolean;
}

/** Start a run from a frozen plan, or go on with one, until it is over, waits on people, or is interrupted. */
export async function carryOutPlan(
  args: RunArguments,
  surroundings: Surroundings,
  watcher: Watcher,
  interrupted: AbortSignal,
  environment: NodeJS.ProcessEnv,
): Promise<Finished> {
  if (args.brief !== undefined && args.plan === undefined)
    return failed(EXIT.invalid, "USAGE", "A brief is given when a run begins", {
      fix: "coordinator run --plan DIR --brief FILE; a run that is gone on with keeps the one it has.",
    });
  const wanted = [args.plan, args.resume, args.last === true ? "" : undefined].filter((one) => one !== undefined);
  if (wanted.length !== 1)
    return failed(EXIT.invalid, "USAGE", "Say what to carry out", {
      fix: 'coordinator run "what you want", or --adr FILE, --plan DIR, --resume RUN, --last.',
    });
  const at = stateFolder(findRoot("."));
  const loaded = await loadConfiguration(at.root, environment);
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const registry = await loadProjectRegistry([]);
  const broken = registryFailure(registry);
  if (broken !== null) return broken;
  if (args.plan !== undefined) {
    const ground = await firstCommit(at, args, environment, surroundings.progress);
    if (ground !== null) return ground;
  }
  // Before a run is begun that could only stand and wait.
  requireSandbox(args.unsafeNoSandbox === true);
  const opened = await writeRuns(at);
  if (opened.status === "locked")
    throw new CoordinatorError(
      "STORE_LOCKED",
      `Process ${opened.holder?.pid ?? "?"} works on the runs of this project already`,
      {
        fix: "coordinator watch follows it; what you answer reaches it.",
      },
    );
  const { store } = opened;
  try {
    const inForce = await contractAt(at.root, surroundings.approved);
    requireDeeds(inForce);
    const { configuration } = loaded;
    const ready: Ready = { args, at, store, configuration, inForce, registry, surroundings, environment };
    const begun = args.plan === undefined ? await resumed(ready) : await begin(ready, args.plan);
    if (typeof begun !== "string") return begun;
    if (args.waits === true) return await waitingFor(store, begun);
    return await answered(ready, begun, await work(ready, begun, watcher, interrupted));
  } finally {
    await store.close();
  }
}

/** See to it that there is a commit to build on. Contract: makes one only in an empty folder, and when it may. */
async function firstCommit(
  { root }: StateFolder,
  { plan, mayCommit }: RunArguments,
  environment: NodeJS.ProcessEnv,
  progress: Surroundings["progress"],
): Promise<Finished | null> {
  const missing = await missingGround(root, environment);
  if (missing === null) return null;
  const what = missing === "repository" ? "This folder is no git repository" : "This repository has no commit";
  const files = await uncommittedFiles(root);
  if (files.length > 0)
    return failed(
      EXIT.invalid,
      "REPOSITORY_UNSUITABLE",
      `${what}, and there are files in it: ${files.slice(0, 3).join(", ")}`,
      {
        fix: `Agents see only what is committed. ${missing === "repository" ? "git init && " : ""}git add -A && git commit -m Begin`,
      },
    );
  const why = `${what}: a first, empty commit has to be made before anything is built`;
  const fix = `Agree to it: coordinator run --plan ${plan ?? "DIR"} --yes`;
  if (mayCommit !== true) return failed(EXIT.waiting, "FIRST_COMMIT", why, { fix });
  const commit = await makeFirstCommit(root, missing, environment);
  progress(`Made a first, empty commit: ${commit}`);
  return null;
}

interface Ready {
  readonly args: RunArguments;
  readonly at: StateFolder;
  readonly store: EventStore;
  readonly configuration: Configuration;
  readonly inForce: InForce;
  readonly registry: LoadedRegistry;
  readonly surroundings: Surroundings;
  readonly environment: NodeJS.ProcessEnv;
}

/** Nobody is asked here, and nothing is done before somebody has approved. */
async function waitingFor(store: EventStore, runId: string): Promise<Finished> {
  const overview = overviewOf(await foldRun(store, runId), (await store.runs()).length === 1);
  return finished(EXIT.waiting, { type: "watched", overview });
}

function resumed({ args, store }: Ready): Promise<string> {
  return findRun(store, args.resume ?? "last");
}

async function begin(ready: Ready, folder: string): Promise<string | Finished> {
  const { args, store, configuration, inForce, surroundings } = ready;
  requireAction(inForce, "create_task");
  const given = args.brief === undefined ? null : await readBriefFile(args.brief);
  if (given !== null && !given.ok) return inputFailure(given.problems);
  const files = await surroundings.parts.plans.read(folder);
  const before = await openingOf(ready.at, files);
  const taken = before === null || args.again === true ? null : await carriedOutBefore(store, before);
  if (taken !== null) return taken;
  const equip = await equipment(ready, before?.minutes ?? null);
  const verification = await surroundings.coordinator.verify(folder);
  const policy: RunPolicy = {
    ...configuration.run,
    ...(args.maxConcurrent === undefined ? {} : { max_concurrent_tasks: args.maxConcurrent }),
    ...(args.schedule === undefined ? {} : { schedule: args.schedule }),
    ...(args.coordinatorMode === undefined ? {} : { coordinator_mode: args.coordinatorMode }),
  };
  requireConcurrency(inForce, policy);
  const mostTasks = await roomInQueue(inForce, store);
  const brief = given?.value ?? before?.brief ?? null;
  const request = brief?.request ?? `Carry out the plan in ${folder}`;
  const { now } = surroundings.parts;
  const runId = newRunId(now());
  const records = openRecords(join(ready.at.folder, "records", runId));
  // Before the run is in the log: a run never begins without what it goes by.
  if (brief !== null) await records.write(BRIEF_RECORD, brief);
  const opening = before === null ? {} : { before };
  const started = await startRun(
    store,
    { verification, files },
    { request, policy, now, equip, runId, mostTasks, ...opening },
  );
  if (started.status === "started" && before !== null) await closeUnclear(store, before.request, now());
  if (started.status === "refused" && started.too_many !== undefined)
    throw queueFull(inForce, mostTasks, started.too_many);
  if (started.status === "refused")
    return failed(EXIT.invalid, "PLAN_CHANGED", `The plan in ${folder} cannot be carried out: ${started.reason}`, {
      fix: started.fix,
    });
  // The log holds no reviews that no task waits for; whoever merges has to know of them.
  await records.write("reviews before merge", started.reviews_before_merge);
  return started.run_id;
}

/** Contract: the caller holds the store, so that no record is taken twice. */
async function carriedOutBefore(store: EventStore, { messages }: RequestOpening): Promise<Finished | null> {
  const wanted = adrIn(messages);
  if (wanted === null) return null;
  for (const { run_id, adr } of await takenAdrs(store)) {
    if (adr.label !== wanted.label || adr.checksum !== wanted.checksum) continue;
    if ((await foldRun(store, run_id)).state.status === "failed") continue;
    return failed(EXIT.refused, "ADR_TAKEN", `${wanted.label} is carried out by ${run_id} already`, {
      fix: `coordinator run --resume ${run_id} goes on with it; --again carries it out once more.`,
    });
  }
  return null;
}

/** Who does a task, and what they may do: by the configuration, the registry and the scope policy. */
async function equipment({ args, configuration, registry }: Ready, most: number | null): Promise<Equip> {
  const policy = await readScopePolicy();
  const checks = configuration.checks.map(({ run }) => run);
  return (node, task) => {
    const owner = registry.registry.agents.find(({ id }) => id === node.metadata.owner);
    const type = node.metadata.task?.type ?? owner?.builder;
    const agent = agentForBuilder(type, configuration, args.agent);
    if (agent === null)
      throw new CoordinatorError("USAGE", "No agent is configured, so nobody can carry out the plan", {
        fix: "Name one: --agent claude; or add agents to coordinator.yaml. coordinator doctor says which are there.",
      });
    agentSettings(agent, configuration, registry.registry.models);
    const { writes } = scopedTask(node, owner, null);
    const room = setAside(task, writes, configuration);
    // What was asked to take so long at most is not set aside for longer.
    const estimate = most === null ? room : { ...room, minutes: Math.min(room.minutes, most) };
    const { scope } = scopeOf(scopedTask(node, owner, estimate), policy, []);
    const commands = [...new Set([...scope.commands, ...checks, ...configuration.scope.commands])];
    const reached = withNetwork(scope, configuration.scope.network);
    return { agent, estimate, scope: { ...reached, commands, read: [...configuration.scope.read] } };
  };
}

/** A pattern may stand for any number of files; a path stands for one. */
const FILES_OF_PATTERN = 50;

/** What an attempt may use before it is stopped: its estimate and some room, for no estimate is exact. */
function setAside(
  { estimate }: RunTask,
  writes: readonly string[],
  { headroom, calls_per_attempt }: Configuration,
): Amounts {
  const files = writes.reduce((sum, path) => sum + (/[*?{]/.test(path) ? FILES_OF_PATTERN : 1), 0);
  return {
    ...estimate,
    tokens: estimate.tokens * headroom,
    cost_usd: estimate.cost_usd * headroom,
    minutes: Math.max(10, estimate.minutes * headroom),
    files,
    api_calls: calls_per_attempt,
  };
}

async function work(ready: Ready, runId: string, watcher: Watcher, interrupted: AbortSignal): Promise<Finished> {
  const { args, at, store, configuration, registry, surroundings, environment } = ready;
  const { state, sequence } = await foldRun(store, runId);
  // Whoever goes on with a run has been told what was before.
  const from = args.plan === undefined ? sequence + 1 : 1;
  if (state.layout === null) return watchRun({ run: runId, from, idleMs: 0 }, surroundings, watcher);
  const place = { at, reader: store, configuration, inForce: ready.inForce, environment, now: surroundings.parts.now };
  const session = await beginSession(runId, { ...place, tell: surroundings.progress });
  const execution = await executeRun({
    runId,
    state,
    root: at.root,
    stateFolder: at.folder,
    store,
    configuration,
    builders: registry.registry.agents,
    guardrails: [...registry.guardrails, ...session.guardrails],
    models: registry.registry.models,
    environment,
    unsafeNoSandbox: args.unsafeNoSandbox === true,
    guard: guardHands(ready.inForce),
    agent: args.agent,
  }).catch(async (error: unknown) => {
    await session.giveUp();
    throw error;
  });
  const unwatched = new AbortController();
  const signals = serveSignals(execution.run, { runId, at, store, now: surroundings.parts.now });
  try {
    if (args.plan !== undefined && !state.plan_approved && ready.inForce.contract.behaviors.auto_assign_tasks)
      await execution.run.signal({ type: "plan_approved", decider: { by: whoDecides(undefined), how: "person" } });
    const watching = watchRun({ run: runId, from, idleMs: 600_000 }, surroundings, watcher, unwatched.signal);
    watching.catch(() => undefined);
    return await Promise.race([watching, untilInterrupted(interrupted, runId), untilBroken(execution)]);
  } finally {
    // Whoever still watched would keep this process for as long as the run is not over.
    unwatched.abort();
    await signals.stop();
    await execution.stop();
    await session.end(interrupted.aborted);
  }
}

/** What is told last to whoever asked: what was delivered, what it cost, what to do next. */
async function answered(
  { at, store, environment, surroundings }: Ready,
  runId: string,
  ended: Finished,
): Promise<Finished> {
  if (ended.report.type !== "watched") return ended;
  if (isOver(ended.report.overview)) await rememberRuns(store, at, surroundings.parts, surroundings.progress);
  const { response } = await respondHere(store, at, runId, environment);
  if (response === null) return ended;
  const told = nextCommands(ended.report.overview, false);
  return finished(ended.exitCode, { type: "response", run_id: runId, response, told });
}

function isOver({ status }: RunOverview): boolean {
  return status === "completed" || status === "failed";
}

async function untilInterrupted(signal: AbortSignal, runId: string): Promise<Finished> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return finished(EXIT.interrupted, { type: "interrupted", run_id: runId });
}

/** A run whose store fails is not watched for ever. */
async function untilBroken({ run }: Execution): Promise<Finished> {
  return run.settled().then(
    () => new Promise<Finished>(() => undefined),
    (error: unknown) => Promise.reject(error as Error),
  );
}
