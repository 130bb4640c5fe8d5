import { join } from "node:path";
import { loadConfiguration } from "../../configuration/load-configuration.js";
import { agentForBuilder, agentSettings } from "../../execute/agents-of.js";
import { type Execution, executeRun, requireSandbox } from "../../execute/execute-run.js";
import { openRecords } from "../../execute/run-records.js";
import type { Configuration } from "../../model/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Amounts, RunPolicy, RunTask } from "../../model/run.js";
import type { LoadedRegistry } from "../../registry/load-registry.js";
import { foldRun } from "../../runs/fold-run.js";
import { findRun } from "../../runs/find.js";
import { writeRuns } from "../../runs/open-runs.js";
import type { Equip } from "../../runs/plan-ref.js";
import { serveSignals } from "../../runs/serve-signals.js";
import { startRun } from "../../runs/start-run.js";
import { findRoot, type StateFolder, stateFolder } from "../../runs/state-folder.js";
import { scopedTask, scopeOf } from "../../scope/scope-of.js";
import type { EventStore } from "../../store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { failed, finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { inputFailure, loadProjectRegistry, readScopePolicy, registryFailure } from "./project.js";
import { type Watcher, watchRun } from "./watch.js";
import { whoDecides } from "./who.js";

export interface RunArguments {
  readonly plan?: string;
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
  const wanted = [args.plan, args.resume, args.last === true ? "" : undefined].filter((one) => one !== undefined);
  if (wanted.length !== 1)
    return failed(EXIT.invalid, "USAGE", "Say what to carry out", {
      fix: "coordinator run --plan DIR, or --resume RUN, or --last.",
    });
  const at = stateFolder(findRoot("."));
  const loaded = await loadConfiguration(at.root, environment);
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const registry = await loadProjectRegistry([]);
  const broken = registryFailure(registry);
  if (broken !== null) return broken;
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
    const ready: Ready = { args, at, store, configuration: loaded.configuration, registry, surroundings, environment };
    const begun = args.plan === undefined ? await resumed(ready) : await begin(ready, args.plan);
    if (typeof begun !== "string") return begun;
    return await work(ready, begun, watcher, interrupted);
  } finally {
    await store.close();
  }
}

interface Ready {
  readonly args: RunArguments;
  readonly at: StateFolder;
  readonly store: EventStore;
  readonly configuration: Configuration;
  readonly registry: LoadedRegistry;
  readonly surroundings: Surroundings;
  readonly environment: NodeJS.ProcessEnv;
}

function resumed({ args, store }: Ready): Promise<string> {
  return findRun(store, args.resume ?? "last");
}

async function begin(ready: Ready, folder: string): Promise<string | Finished> {
  const { args, store, configuration, surroundings } = ready;
  const equip = await equipment(ready);
  const files = await surroundings.parts.plans.read(folder);
  const verification = await surroundings.coordinator.verify(folder);
  const policy: RunPolicy = {
    ...configuration.run,
    ...(args.maxConcurrent === undefined ? {} : { max_concurrent_tasks: args.maxConcurrent }),
    ...(args.schedule === undefined ? {} : { schedule: args.schedule }),
    ...(args.coordinatorMode === undefined ? {} : { coordinator_mode: args.coordinatorMode }),
  };
  const request = `Carry out the plan in ${folder}`;
  const started = await startRun(
    store,
    { verification, files },
    { request, policy, now: surroundings.parts.now, equip },
  );
  if (started.status === "refused")
    return failed(EXIT.invalid, "PLAN_CHANGED", `The plan in ${folder} cannot be carried out: ${started.reason}`, {
      fix: started.fix,
    });
  // The log holds no reviews that no task waits for; whoever merges has to know of them.
  const records = openRecords(join(ready.at.folder, "records", started.run_id));
  await records.write("reviews before merge", started.reviews_before_merge);
  return started.run_id;
}

/** Who does a task, and what they may do: by the configuration, the registry and the scope policy. */
async function equipment({ args, configuration, registry }: Ready): Promise<Equip> {
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
    const estimate = setAside(task, writes, configuration);
    const { scope } = scopeOf(scopedTask(node, owner, estimate), policy, []);
    const commands = [...new Set([...scope.commands, ...checks, ...configuration.scope.commands])];
    return { agent, estimate, scope: { ...scope, commands, read: [...configuration.scope.read] } };
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
  const execution = await executeRun({
    runId,
    state,
    root: at.root,
    stateFolder: at.folder,
    store,
    configuration,
    builders: registry.registry.agents,
    guardrails: registry.guardrails,
    models: registry.registry.models,
    environment,
    unsafeNoSandbox: args.unsafeNoSandbox === true,
    agent: args.agent,
  });
  const unwatched = new AbortController();
  const signals = serveSignals(execution.run, { runId, at, store, now: surroundings.parts.now });
  try {
    if (args.plan !== undefined && !state.plan_approved)
      await execution.run.signal({ type: "plan_approved", decider: { by: whoDecides(undefined), how: "person" } });
    const watching = watchRun({ run: runId, from, idleMs: 600_000 }, surroundings, watcher, unwatched.signal);
    watching.catch(() => undefined);
    return await Promise.race([watching, untilInterrupted(interrupted, runId), untilBroken(execution)]);
  } finally {
    // Whoever still watched would keep this process for as long as the run is not over.
    unwatched.abort();
    await signals.stop();
    await execution.stop();
  }
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
