import { builtProgram } from "../../foundation/processes/built-program.js";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { carryOut, type LiveRun } from "../../hands/engine/carry-out.js";
import type { EngineClock, Hands } from "../../hands/engine/hands.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { AgentEntry, GuardrailEntry, ModelEntry } from "../../model/plan/registry.js";
import { RunPolicy as RunPolicySchema } from "../../model/run.js";
import { createIntegrationQueue } from "../../hands/integration/integrate.js";
import { type Git, must } from "../../hands/integration/merge.js";
import { type Author, quarantineGit } from "../../hands/integration/merging/quarantine-git.js";
import type { Layout } from "../../mind/run/layout.js";
import { effectsOf } from "../../mind/run/effects.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { tellMemoryLimit } from "../../hands/sandbox/memory/memory-group.js";
import { BASE_RECORD, PLAN_RECORD, REVIEWS_RECORD } from "../../mind/run/record-names.js";
import type { RunState } from "../../mind/run/state.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { temporaryDirectory } from "../../hands/workspace/places.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { type Abilities, findAbilities } from "../../hands/sandbox/grade.js";
import { sweepOrphans } from "../../hands/sandbox/kill.js";
import { createWorkspaces } from "../../hands/workspace/workspace.js";
import { workspacesRoot } from "../../hands/workspace/workspaces-root.js";
import { examinedTask } from "../../hands/checks/examined-task.js";
import { guardrailsFor, keptBrief } from "./brief.js";
import { loginsShown } from "../../hands/attempts/agreed.js";
import { createAttempts } from "../../hands/attempts/attempt-deed.js";
import { createSessions, sessionIds } from "../../hands/integration/coordination-session.js";
import { createHands, type HandsParts } from "./hands.js";
import { removeHomesOf, removeOldHomes } from "../../hands/attempts/homes.js";
import { doneEarlier } from "../../hands/checks/already-done.js";
import { integratedWork } from "../../hands/integration/integrated-work.js";
import { verdictInputs } from "../../hands/checks/verdict-inputs.js";
import { lateReporter } from "./late-reporter.js";
import { contextsOf, levelOf } from "../../hands/integration/level-records.js";
import { heldFor, message, orderFor, shimEnvironment } from "./orders.js";
import { sessionAgent, sessionOrder } from "./session-orders.js";
import { conflictResolver } from "../../hands/integration/resolve-conflict.js";
import { type Reroute, rerouteAttempt, withLaterContext } from "../../hands/attempts/later-context.js";
import { resolveDeed } from "../../hands/integration/resolve-deed.js";
import { placesForWork } from "../../hands/attempts/places-for-work.js";
import { portRanges } from "../../hands/attempts/port-ranges.js";
import { createReviews } from "../../hands/integration/review-deed.js";
import { workReviewer } from "../../hands/integration/review-work.js";
import { requirementsDeed } from "../../hands/checks/on-trees/prove-requirements.js";
import { treeProver } from "../../hands/checks/on-trees/prove-trees.js";
import { openRecords, type RunRecords } from "../../hands/attempts/run-records.js";
import { shimSpawner } from "../../hands/attempts/shim/spawn-shim.js";
import { sessionBudget } from "../../hands/integration/session-budget.js";
import { stopStrays } from "../../hands/attempts/shim/stop.js";
import { authorOf, usersGit } from "../../hands/git/users-git.js";
import { headRef } from "../../hands/workspace/names-of-refs.js";

/*
 * Carrying out a frozen plan on a repository: everything a run needs is opened here, and closed again when it stops.
 * Nothing but the log says where the run is; the next process to open it continues from there. Other runs of the
 * project may be carried out by other processes at the same time.
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
  /** What lets deeds through: nothing is done but what passes it. */
  readonly guard: (hands: Hands) => Hands;
  /** Who plays everybody, when a person has ordered that for this run. */
  readonly agent?: string | undefined;
  /** How many tasks may be worked on at once over all runs of the project; absent when nothing limits it. */
  readonly mostAtOnce?: number | undefined;
  /** Documents that are in no workspace. */
  readonly withheld?: readonly string[];
  /** How routing is evaluated again; absent where nobody can. */
  readonly reroute?: Reroute;
  /** Whose work the commits are; null where git does not name the person. */
  readonly author?: Author | null;
}

export interface Execution {
  readonly run: LiveRun;
  /** The run's branch in the person's repository. */
  readonly branch: string;
  readonly stop: () => Promise<void>;
}

export const systemClock: EngineClock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal });
  },
};

export const SHIM = builtProgram(new URL("../../hands/attempts/shim-main.js", import.meta.url));

/** Contract: throws SANDBOX_MISSING, REPOSITORY_UNSUITABLE and USAGE before anything is begun. */
export async function executeRun(asked: ExecuteOptions): Promise<Execution> {
  const { runId, configuration, environment, stateFolder } = asked;
  const layout = layoutOf(asked);
  const { plan } = layout;
  const abilities = requireSandbox(asked.unsafeNoSandbox);
  const cages = join(stateFolder, "cages");
  await sweepOrphans(cages);
  const quarantine = await openQuarantine({ repository: asked.root, environment });
  const workspaces = await createWorkspaces({
    quarantine,
    root: await workspacesRoot(quarantine, configuration.workspace.folder, environment),
    limits: {
      count: configuration.workspace.most_workspaces,
      bytes: configuration.workspace.most_gigabytes * 1024 ** 3,
    },
    now: systemClock.now,
  });
  await workspaces.recover();
  const records = openRecords(join(stateFolder, "records", runId));
  const brief = await keptBrief(asked, records);
  const options = {
    ...asked,
    withheld: brief?.withheld ?? [],
    guardrails: guardrailsFor(brief, asked.guardrails),
    author: await authorOf(usersGit(asked.root, environment)),
  };
  const base = await baseOf(records, quarantine);
  const { author } = options;
  const git = quarantineGit(quarantine.git, quarantine.gitDir, join(quarantine.directory, "temporary"), author);
  const cache = join(stateFolder, "setup");
  const nextPorts = portRanges(configuration.workspace.ports, join(stateFolder, "ports"));
  const stopped = new AbortController();
  const { prove, check, examine } = await treeProver({
    runId,
    quarantine,
    workspaces,
    configuration,
    stateFolder,
    environment,
    base,
    unsafeNoSandbox: options.unsafeNoSandbox,
    nextPorts,
    stopped: stopped.signal,
  });
  const branch = headRef(runId);
  const folder = join(stateFolder, "attempts", runId);
  const reporter = lateReporter(options);
  const spawnShim = shimSpawner({ argv: [process.execPath, SHIM], env: shimEnvironment(options) });
  const around = { cages, cache, clockMs: () => reporter.state().clock_ms };
  const policy = options.state.policy ?? RunPolicySchema.parse({});
  const checks = configuration.checks.map((check) => check.run);
  const sessions = createSessions({
    runId,
    folder,
    spawnShim,
    clock: systemClock,
    records,
    configuration,
    bounds: layout.plan.bounds,
    orderBase: (request) => sessionOrder(request, options, around),
    reserve: sessionBudget(reporter),
    count: reporter.count,
  });
  const queue = createIntegrationQueue({
    git,
    branch,
    base,
    verify: (from, to, may_go, accepted) => prove(from, to, { may_go, accepted }, new AbortController().signal),
    publish: async () => {
      const { refused } = await quarantine.publish([branch]);
      if (refused !== null)
        throw new CoordinatorError("WORKSPACE_FAILED", `The branch of the run cannot be published: ${refused}`);
    },
  });
  const attempts = createAttempts({
    runId,
    folder,
    spawnShim,
    clock: systemClock,
    records,
    report: reporter.report,
    places: asked.mostAtOnce === undefined ? undefined : placesForWork(join(stateFolder, "places"), asked.mostAtOnce),
    heldFor: (deed) => {
      const later = reporter.state().rerouted.flatMap(({ documents }) => documents);
      return heldFor(options, layout, deed, [...(brief?.documents ?? []), ...later]);
    },
    reroute: rerouteAttempt({ brief, reroute: options.reroute, records, state: reporter.state, tell: reporter.ask }),
    orderFor: async (deed) => {
      const now = await withLaterContext(brief, reporter.state().rerouted, records);
      const given = { ...options, withheld: now?.withheld ?? [] };
      return orderFor(given, layout, deed, { ...around, queue, records, brief: now, nextPorts, pristine: base });
    },
  });
  const treeOf = async (commit: string) => (await git.run(["rev-parse", `${commit}^{tree}`])).stdout.trim();
  const hands = createHands({
    ...(brief === null || brief.spec === null
      ? {}
      : {
          requirements: requirementsDeed({
            git,
            records,
            spec: brief.spec,
            checks: configuration.checks,
            run: check,
            tip: queue.tip,
          }),
        }),
    layout,
    attempts,
    records,
    queue,
    prove: async (result, task, lifts, signal) => {
      const from = await treeOf(result.base);
      const to = result.commit === null ? from : await treeOf(result.commit);
      const already_done = await doneEarlier(task, result.changes.length, {
        plan,
        integrated: (id) => integratedWork(records, attempts.resultOf, id),
        checksOn: async (commit) => check(await treeOf(commit), configuration.checks, true, signal),
      });
      const beside = verdictInputs(result, task, lifts);
      const examined = { ...beside, examine: examine(examinedTask(task, result, beside)) };
      if (already_done === null) return prove(from, to, examined, signal);
      return { ...(await prove(from, to, { ...examined, changes_due: false }, signal)), already_done };
    },
    messageFor: (task, attempt, verdict, lifts) => message(options, task, { attempt, verdict, lifts }),
    resolve: resolveDeed({
      git,
      resultOf: attempts.resultOf,
      resolve: conflictResolver({
        plan,
        git,
        records,
        sessions,
        mode: policy.coordinator_mode,
        checks,
        levelOf: (task) => levelOf(layout, task),
        levelsOf: (ids) => contextsOf(new Set(ids), plan, records),
      }),
    }),
    review: withoutHomes(
      folder,
      createReviews({
        layout,
        policy,
        records,
        state: reporter.state,
        resultOf: attempts.resultOf,
        landedBetween: (from, to) => landedBetween(git, from, to),
        review: workReviewer({ plan, git, sessions, checks, base, reviewer: sessionAgent("review", options) }),
        now: () => performance.now(),
      }),
    ),
  });
  await removeOldHomes(folder, options.state);
  // Whatever runs for this run and is not under way by its log is nobody's any more.
  await stopStrays(folder, await deedsUnderWay(options.state, records));
  const live = await carryOut(runId, { store: options.store, hands: options.guard(hands), clock: systemClock });
  await reporter.bind(live, {
    type: "sandbox_graded",
    grade: abilities.grade,
    reason: [
      ...abilities.reasons,
      ...(configuration.sandbox.memory_mb === undefined || abilities.grade === "none" ? [] : [tellMemoryLimit()]),
    ].join("; "),
    by_order: options.unsafeNoSandbox,
    records: await recordsGoneBy(records),
    ...loginsShown(
      [
        ...plan.tasks.map(({ agent }) => agent),
        sessionAgent("conflict resolution", options),
        sessionAgent("review", options),
      ],
      options.configuration,
    ),
  });
  return {
    run: live,
    branch,
    stop: async () => {
      stopped.abort();
      await live.stop();
      await removeOldHomes(folder, live.state());
      await workspaces.close();
    },
  };
}

/** A task whose work was accepted is over: nobody goes on in a session of its attempts. */
function withoutHomes(folder: string, review: HandsParts["review"]): HandsParts["review"] {
  return async (deed, task, signal) => {
    const event = await review(deed, task, signal);
    if (event.type === "review_finished" && event.accepted) await removeHomesOf(folder, deed.task_id, deed.attempt);
    return event;
  };
}

/** Contract: throws SANDBOX_MISSING where there is none and nobody ordered to go on without, WORKSPACE_FAILED where no cage has room. */
export function requireSandbox(unsafeNoSandbox: boolean): Abilities {
  temporaryDirectory();
  const abilities = findAbilities();
  if (abilities.grade === "none" && !unsafeNoSandbox)
    throw new CoordinatorError(
      "SANDBOX_MISSING",
      `There is no sandbox on this machine: ${abilities.reasons.join("; ")}`,
      {
        fix: `${abilities.fix.join("; ")}, or order this run to go on without one: --unsafe-no-sandbox`,
      },
    );
  return abilities;
}

function layoutOf({ runId, state }: ExecuteOptions): Layout {
  if (state.layout === null)
    throw new CoordinatorError("USAGE", `${runId} has no frozen plan yet`, {
      fix: "Start a run from a plan: coordinator run --plan DIR",
    });
  return state.layout;
}

/** The deeds that the log says are under way, and the sessions that belong to them. */
async function deedsUnderWay(state: RunState, records: RunRecords): Promise<string[]> {
  const effects = effectsOf(state);
  const sessions = await Promise.all(
    effects
      .flatMap((effect) => (effect.kind === "resolve_conflict" || effect.kind === "review_level" ? [effect] : []))
      .map(({ task_id, attempt }) => sessionIds(records, attemptKey(task_id, attempt))),
  );
  return [...effects.map(({ id }) => id), ...sessions.flat()];
}

/** The tasks the branch took between a commit and another one, by what their commits say. */
async function landedBetween(git: Git, from: string, to: string): Promise<{ task_id: string; attempt: number }[]> {
  const trailer = (name: string) => `%(trailers:key=Coordinator-${name},valueonly=true,separator=%x20)`;
  const format = `--format=${trailer("Attempt")} ${trailer("Task")}`;
  const listed = await must(git, ["log", "--first-parent", format, `${from}..${to}`]);
  return listed.split("\n").flatMap((line) => {
    const [, attempt, task_id] = /^(\d+) (.+)$/.exec(line.trim()) ?? [];
    return attempt === undefined || task_id === undefined ? [] : [{ task_id, attempt: Number(attempt) }];
  });
}

/** What this process goes by beside the plan, by checksum: from here on nobody exchanges it unnoticed. */
async function recordsGoneBy(records: RunRecords): Promise<{ name: string; ref: string }[]> {
  const names = [BASE_RECORD, REVIEWS_RECORD, PLAN_RECORD];
  const refs = await Promise.all(names.map((name) => records.refNow(name)));
  return names.flatMap((name, i) => (refs[i] == null ? [] : [{ name, ref: refs[i] }]));
}

/** Where the run began, and on which branch the person stood then. */
export interface BaseRecord {
  readonly commit: string;
  readonly branch?: string | null;
}

/** Where the run began: said once, and the same for whoever goes on with it. */
async function baseOf(records: RunRecords, quarantine: Quarantine): Promise<string> {
  const known = (await records.read(BASE_RECORD)) as BaseRecord | null;
  if (known !== null) return known.commit;
  const commit = await quarantine.resolve("HEAD");
  await quarantine.holdBase(commit);
  const { code, stdout } = await quarantine.git.call({
    args: ["symbolic-ref", "--quiet", "--short", "HEAD"],
    cwd: quarantine.checkout,
  });
  const record: BaseRecord = { commit, branch: code === 0 ? stdout.toString("utf8").trim() : null };
  await records.write(BASE_RECORD, record);
  return commit;
}
