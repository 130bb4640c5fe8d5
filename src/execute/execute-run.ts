import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { carryOut, type LiveRun } from "../engine/carry-out.js";
import type { EngineClock } from "../engine/hands.js";
import type { VerdictReport } from "../model/check.js";
import type { Configuration } from "../model/configuration.js";
import { CoordinatorError } from "../model/errors.js";
import type { RunEvent } from "../model/event.js";
import type { AgentEntry, GuardrailEntry, ModelEntry } from "../model/registry.js";
import type { PlanRef, RunTask } from "../model/run.js";
import { createIntegrationQueue, type IntegrationQueue } from "../review/integrate.js";
import { quarantineGit } from "../review/quarantine-git.js";
import { effectsOf } from "../run/effects.js";
import type { RunState } from "../run/state.js";
import type { EventStore } from "../store/event-store.js";
import { verify } from "../verify/verify.js";
import { openQuarantine, type Quarantine } from "../workspace/quarantine.js";
import { findAbilities } from "../workspace/sandbox/grade.js";
import { sweepOrphans } from "../workspace/sandbox/kill.js";
import { createWorkspaces } from "../workspace/workspace.js";
import { agentSettings, keyVariables } from "./agents-of.js";
import { createAttempts, type StartDeed } from "./attempt-deed.js";
import type { AttemptOrder, AttemptResult } from "./attempt-order.js";
import { checkTrees, knownResults } from "./check-trees.js";
import { contextFor, createHands } from "./hands.js";
import { openRecords, type RunRecords } from "./run-records.js";
import { shimSpawner } from "./shim/spawn-shim.js";
import { stopStrays } from "./shim/stop.js";
import { taskPrompt } from "./task-prompt.js";
import { trailers } from "./trailers.js";

/*
 * Carrying out a frozen plan on a repository: everything a run needs is opened here, and closed again when it stops.
 * Nothing but the log says where the run is; whoever opens it next goes on from there.
 */

export interface ExecuteOptions {
  readonly runId: string;
  /** The run as its log has it; its plan is frozen. */
  readonly state: RunState;
  /** The root of the project, and the folder its runs are kept in. */
  readonly root: string;
  readonly stateFolder: string;
  readonly store: EventStore;
  readonly configuration: Configuration;
  readonly builders: readonly AgentEntry[];
  readonly guardrails: readonly GuardrailEntry[];
  readonly models: readonly ModelEntry[];
  readonly environment: NodeJS.ProcessEnv;
  readonly unsafeNoSandbox: boolean;
}

export interface Execution {
  readonly run: LiveRun;
  /** The run's branch in the person's repository. */
  readonly branch: string;
  readonly stop: () => Promise<void>;
}

const systemClock: EngineClock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal });
  },
};

const SHIM = fileURLToPath(new URL("./shim-main.js", import.meta.url)).replace(
  /([/\\])src([/\\]execute[/\\]shim-main\.js)$/,
  "$1dist$2",
);

/** Contract: throws SANDBOX_MISSING, REPOSITORY_UNSUITABLE and USAGE before anything is begun. */
export async function executeRun(options: ExecuteOptions): Promise<Execution> {
  const { runId, configuration, environment, stateFolder } = options;
  const plan = planOf(options);
  const abilities = findAbilities();
  if (abilities.grade === "none" && !options.unsafeNoSandbox)
    throw new CoordinatorError(
      "SANDBOX_MISSING",
      `There is no sandbox on this machine: ${abilities.reasons.join("; ")}`,
      {
        fix: `${abilities.fix.join("; ")}, or order this run to go on without one: --unsafe-no-sandbox`,
      },
    );
  const cages = join(stateFolder, "cages");
  await sweepOrphans(cages);
  const quarantine = await openQuarantine({ repository: options.root, environment });
  const workspaces = await createWorkspaces({
    quarantine,
    limits: {
      count: configuration.workspace.most_workspaces,
      bytes: configuration.workspace.most_gigabytes * 1024 ** 3,
    },
    now: systemClock.now,
  });
  await workspaces.recover();
  const records = openRecords(join(stateFolder, "records", runId));
  const base = await baseOf(records, quarantine);
  const git = quarantineGit(quarantine.git, quarantine.gitDir, join(quarantine.directory, "temporary"));
  const pristineTree = (await git.run(["rev-parse", `${base}^{tree}`])).stdout.trim();
  const cage = { records: cages, unsafeNoSandbox: options.unsafeNoSandbox };
  const cache = join(stateFolder, "setup");
  const run = checkTrees({ runId, quarantine, workspaces, configuration, cage, cache, pristineTree });
  const known = knownResults(openRecords(join(stateFolder, "baselines")), configuration);
  const prove = (base_tree: string, tree: string, more: Partial<Parameters<typeof verify>[0]>, signal: AbortSignal) =>
    verify(
      {
        base_tree,
        tree,
        checks: configuration.checks,
        changed_files: 1,
        changes_due: false,
        blocked: [],
        may_go: new Set(),
        ...more,
        signal,
      },
      run,
      known,
    );
  const branch = `refs/coord/${runId}/head`;
  const queue = createIntegrationQueue({
    git,
    branch,
    base,
    verify: (from, to) => prove(from, to, {}, new AbortController().signal),
    publish: async () => {
      const { refused } = await quarantine.publish([branch]);
      if (refused !== null)
        throw new CoordinatorError("WORKSPACE_FAILED", `The branch of the run cannot be published: ${refused}`);
    },
  });
  const folder = join(stateFolder, "attempts", runId);
  const reporter = lateReporter();
  const attempts = createAttempts({
    runId,
    folder,
    spawnShim: shimSpawner({ argv: [process.execPath, SHIM], env: shimEnvironment(options) }),
    clock: systemClock,
    records,
    report: reporter.report,
    orderFor: (deed) => orderFor(options, deed, { queue, records, cages, cache, clockMs: reporter.clockMs }),
  });
  const treeOf = async (commit: string) => (await git.run(["rev-parse", `${commit}^{tree}`])).stdout.trim();
  const hands = createHands({
    plan,
    attempts,
    records,
    queue,
    checks: configuration.checks,
    prove: async (result, task, signal) => {
      const from = await treeOf(result.base);
      const to = result.commit === null ? from : await treeOf(result.commit);
      return prove(from, to, judged(result, task), signal);
    },
    messageFor: (task, attempt, verdict) => message(options, task, attempt, verdict),
    now: () => performance.now(),
  });
  // Whatever runs for this run and is not under way by its log is nobody's any more.
  await stopStrays(
    folder,
    effectsOf(options.state).map(({ id }) => id),
  );
  const live = await carryOut(runId, { store: options.store, hands, clock: systemClock });
  await reporter.bind(live, {
    type: "sandbox_graded",
    grade: abilities.grade,
    reason: abilities.reasons.join("; "),
    by_order: options.unsafeNoSandbox,
  });
  return {
    run: live,
    branch,
    stop: async () => {
      await live.stop();
      await workspaces.close();
    },
  };
}

function planOf({ runId, state }: ExecuteOptions): PlanRef {
  if (state.layout === null)
    throw new CoordinatorError("USAGE", `${runId} has no frozen plan yet`, {
      fix: "Start a run from a plan: coordinator run --plan DIR",
    });
  return state.layout.plan;
}

/** What a result's verdict depends on beside its checks. */
function judged(result: AttemptResult, task: RunTask) {
  const findings =
    result.gate?.verdict === "blocked" ? result.gate.findings.filter(({ lifted }) => lifted === undefined) : [];
  return {
    changed_files: result.changes.length,
    changes_due: (task.scope?.write.length ?? 0) > 0,
    blocked: findings.map(
      ({ rule_id, path, line, reason, override }) =>
        `${rule_id} ${path}${line === undefined ? "" : `:${line}`}: ${reason} (${override} may lift it)`,
    ),
  };
}

/** Where the run began: said once, and the same for whoever goes on with it. */
async function baseOf(records: RunRecords, quarantine: Quarantine): Promise<string> {
  const known = (await records.read("base")) as { commit: string } | null;
  if (known !== null) return known.commit;
  const commit = await quarantine.resolve("HEAD");
  await quarantine.holdBase(commit);
  await records.write("base", { commit });
  return commit;
}

interface OrderParts {
  readonly queue: IntegrationQueue;
  readonly records: RunRecords;
  readonly cages: string;
  readonly cache: string;
  readonly clockMs: () => number;
}

async function orderFor(options: ExecuteOptions, deed: StartDeed, parts: OrderParts): Promise<AttemptOrder> {
  const { configuration, runId } = options;
  const plan = planOf(options);
  const task = plan.tasks.find(({ task_id }) => task_id === deed.task_id) as RunTask;
  const scope = deed.scope ?? task.scope;
  if (scope === undefined)
    throw new CoordinatorError("USAGE", `${deed.task_id} has no scope, and nothing may be done without one`);
  const builder = options.builders.find(({ id }) => id === task.builder) ?? null;
  const levels = await contextFor(plan, task, parts.records);
  const prompt = taskPrompt({
    task,
    builder,
    intent: null,
    scope,
    checks: configuration.checks,
    levels,
    guidance: deed.guidance,
  });
  return {
    repository: options.root,
    name: { runId, taskId: deed.task_id, attemptId: String(deed.attempt) },
    base: await parts.queue.tip(),
    hidden: [...configuration.workspace.hidden],
    agent: agentSettings(deed.agent, configuration, options.models),
    prompt,
    context: [],
    scope,
    budget: deed.reserved,
    message: `${task.title}\n\n${trailers({ "Coordinator-Run": runId, "Coordinator-Task": deed.task_id, "Coordinator-Attempt": String(deed.attempt) })}`,
    guardrails: [...options.guardrails],
    overrides: [],
    setup: configuration.workspace.setup,
    setup_cache: parts.cache,
    sandbox: configuration.sandbox,
    unsafe_no_sandbox: options.unsafeNoSandbox,
    cage_records: parts.cages,
    clock_offset_ms: parts.clockMs() - Date.now(),
  };
}

function message(
  { runId, state, configuration }: ExecuteOptions,
  task: RunTask,
  attempt: number,
  { verdict, pre_existing }: VerdictReport,
): string {
  const known = pre_existing.length === 0 ? "" : `, ${pre_existing.length} failed before`;
  const marks = {
    "Coordinator-Run": runId,
    "Coordinator-Task": task.task_id,
    "Coordinator-Attempt": String(attempt),
    "Coordinator-Plan": state.layout?.plan.plan_checksum ?? "",
    "Coordinator-Verdict": `${verdict}${configuration.checks.length === 0 ? " (no checks are configured)" : known}`,
    "Assisted-by": task.agent,
  };
  return `${task.title}\n\n${trailers(marks)}`;
}

/** What a shim gets of this process's environment: the little it needs, and the keys that agents are configured with. */
function shimEnvironment({ environment, configuration }: ExecuteOptions): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "XDG_STATE_HOME", "TMPDIR", ...keyVariables(configuration)];
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Attempts that are adopted may speak before the run is there to hear them. */
function lateReporter() {
  let live: LiveRun | null = null;
  const early: RunEvent[] = [];
  // What comes too late is refused; a store that fails is told by the run itself.
  const send = (to: LiveRun, event: RunEvent) => void to.signal(event).catch(() => undefined);
  return {
    report: (event: RunEvent) => void (live === null ? early.push(event) : send(live, event)),
    clockMs: () => live?.state().clock_ms ?? 0,
    bind: async (to: LiveRun, first: RunEvent) => {
      await to.signal(first);
      live = to;
      for (const event of early.splice(0)) send(to, event);
    },
  };
}
