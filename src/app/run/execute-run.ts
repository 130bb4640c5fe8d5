import { join } from "node:path";
import { carryOut, type LiveRun } from "../../hands/engine/carry-out.js";
import { CoordinatorError } from "../../model/errors.js";
import { RunPolicy as RunPolicySchema } from "../../model/run.js";
import { createIntegrationQueue } from "../../hands/integration/integrate.js";
import { type Git, must } from "../../hands/integration/merge.js";
import { quarantineGit } from "../../hands/integration/merging/quarantine-git.js";
import type { Layout } from "../../mind/run/layout.js";
import { isOver, type RunState } from "../../mind/run/state.js";
import { effectsOf } from "../../mind/run/effects.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { describeMemoryLimit } from "../../hands/sandbox/memory/memory-group.js";
import { BASE_RECORD, PLAN_RECORD, REVIEWS_RECORD } from "../../mind/run/record-names.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { sweepOrphans } from "../../hands/sandbox/kill.js";
import { createWorkspaces } from "../../hands/workspace/workspace.js";
import { workspacesRoot } from "../../hands/workspace/workspaces-root.js";
import { examinedTask } from "../../hands/checks/examined-task.js";
import { guardrailsFor, readBriefRecord } from "./brief.js";
import type { BaseRecord, ExecuteOptions } from "./execute-options.js";
import type { Distributed } from "./distributed.js";
import { readEngineSetting, readStoreSetting } from "../store/store-setting.js";
import { requireSandbox, SHIM, systemClock } from "./machine.js";
import { chooseShownLogins } from "../../hands/attempts/agreed-logins.js";
import { createAttempts } from "../../hands/attempts/run-attempts.js";
import { createSessions, sessionIds } from "../../hands/integration/coordination-session.js";
import { createEffectRunner, type EffectRunnerParts } from "./run-effects.js";
import { removeHomesOf, removeOldHomes } from "../../hands/attempts/homes.js";
import { findEarlierWork } from "../../hands/checks/already-done.js";
import { integratedWork } from "../../hands/integration/integrated-work.js";
import { verdictInputs } from "../../hands/checks/verdict-inputs.js";
import { lateReporter } from "./late-reporter.js";
import { contextsOf, levelOf } from "../../hands/integration/level-records.js";
import { holdAttemptForData, message, orderFor, shimEnvironment } from "./orders.js";
import { sessionAgent, sessionOrder } from "./session-orders.js";
import { conflictResolver } from "../../hands/integration/resolve-conflict.js";
import { rerouteAttempt, withLaterContext } from "../../hands/attempts/prompts/later-context.js";
import { createResolution } from "../../hands/integration/run-resolution.js";
import { paceHere } from "./pace-here.js";
import { placesForWork } from "../../hands/attempts/places-for-work.js";
import { portRanges } from "../../hands/attempts/port-ranges.js";
import { createReviews } from "../../hands/integration/review-level.js";
import { workReviewer } from "../../hands/integration/review-work.js";
import { createRequirementsProof } from "../../hands/checks/on-trees/prove-requirements.js";
import { treeProver } from "../../hands/checks/on-trees/prove-trees.js";
import { openRecords, type RunRecords, sharedRecords } from "../../hands/attempts/run-records.js";
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

export interface Execution {
  readonly run: LiveRun;
  /** The run's branch in the person's repository. */
  readonly branch: string;
  readonly stop: () => Promise<void>;
}

/** Contract: throws SANDBOX_MISSING, REPOSITORY_UNSUITABLE and USAGE before anything is begun. */
export async function executeRun(asked: ExecuteOptions): Promise<Execution> {
  const { runId, configuration, project } = asked;
  const { root: repository, environment } = project;
  const { folder: stateFolder } = project.at;
  const layout = layoutOf(asked);
  const { plan } = layout;
  const abilities = requireSandbox(asked.unsafeNoSandbox);
  const sandboxes = join(stateFolder, "cages");
  await sweepOrphans(sandboxes);
  const quarantine = await openQuarantine({ repository, environment });
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
  const records = openRecords(join(stateFolder, "records", runId), sharedRecords(asked.store, runId));
  const brief = await readBriefRecord(asked, records);
  const options = {
    ...asked,
    withheld: brief?.withheld ?? [],
    guardrails: guardrailsFor(brief, asked.guardrails),
    author: await authorOf(usersGit(repository, environment)),
  };
  const base = await baseOf(records, quarantine);
  const distributed = await openDistributed(options, layout, quarantine, base, brief?.documents ?? []);
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
  const around = { sandboxes, cache, clockMs: () => reporter.state().clock_ms };
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
      await distributed?.publishHead();
    },
  });
  const attempts = createAttempts({
    runId,
    folder,
    spawnShim,
    clock: systemClock,
    records,
    report: reporter.report,
    elsewhere: distributed?.attempts,
    untilMayBegin: distributed === null ? paceHere(stateFolder, options) : undefined,
    places: asked.mostAtOnce === undefined ? undefined : placesForWork(join(stateFolder, "places"), asked.mostAtOnce),
    holdForData: (effect) => {
      const later = reporter.state().rerouted.flatMap(({ documents }) => documents);
      return holdAttemptForData(options, layout, effect, [...(brief?.documents ?? []), ...later]);
    },
    reroute: rerouteAttempt({ brief, reroute: options.reroute, records, state: reporter.state, tell: reporter.ask }),
    orderFor: async (effect) => {
      const now = await withLaterContext(brief, reporter.state().rerouted, records);
      const given = { ...options, withheld: now?.withheld ?? [] };
      return orderFor(given, layout, effect, { ...around, queue, records, brief: now, nextPorts, pristine: base });
    },
  });
  const treeOf = async (commit: string) => (await git.run(["rev-parse", `${commit}^{tree}`])).stdout.trim();
  const runner = createEffectRunner({
    ...(brief === null || brief.spec === null
      ? {}
      : {
          requirements: createRequirementsProof({
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
    prove: async (effect, result, task, waivers, signal) => {
      const from = await treeOf(result.base);
      const to = result.commit === null ? from : await treeOf(result.commit);
      const already_done = await findEarlierWork(task, result.changes.length, {
        plan,
        integrated: (id) => integratedWork(records, attempts.resultOf, id),
        checksOn: async (commit) => check(await treeOf(commit), configuration.checks, true, signal),
      });
      if (distributed !== null) {
        const nothingDue = already_done !== null;
        const work = { effectId: effect.id, attempt: effect.attempt, task, result, waivers, nothingDue, signal };
        const report = await distributed.prove(work);
        return already_done === null ? report : { ...report, already_done };
      }
      const beside = verdictInputs(result, task, waivers);
      const examined = { ...beside, examine: examine(examinedTask(task, result, beside)) };
      if (already_done === null) return prove(from, to, examined, signal);
      return { ...(await prove(from, to, { ...examined, changes_due: false }, signal)), already_done };
    },
    messageFor: (task, attempt, verdict, waivers) => message(options, task, { attempt, verdict, waivers }),
    resolve: createResolution({
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
        landedBetween: (from, to) => integrationsBetween(git, from, to),
        review: workReviewer({ plan, git, sessions, checks, base, reviewer: sessionAgent("review", options) }),
        now: () => performance.now(),
      }),
    ),
  });
  await removeOldHomes(folder, options.state);
  // A process of this run that is not under way by its log is left over, and is stopped.
  await stopStrays(folder, await effectsUnderWay(options.state, records));
  const live = await carryOut(runId, { store: options.store, runner: options.guard(runner), clock: systemClock });
  await reporter.bind(live, {
    type: "sandbox_graded",
    grade: abilities.grade,
    reason: [
      ...abilities.reasons,
      ...(configuration.sandbox.memory_mb === undefined || abilities.grade === "none" ? [] : [describeMemoryLimit()]),
    ].join("; "),
    by_order: options.unsafeNoSandbox,
    records: await recordsGoneBy(records),
    ...chooseShownLogins(
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
      await distributed?.close(isOver(live.state()));
      await workspaces.close();
    },
  };
}

/** The distributed engine where the clone's setting asks for it; it is loaded nowhere else. */
async function openDistributed(
  options: ExecuteOptions,
  layout: Layout,
  quarantine: Quarantine,
  base: string,
  documents: readonly { readonly ref: string }[],
): Promise<Distributed | null> {
  const setting = readEngineSetting(options.project.at);
  if (setting.engine === "local") return null;
  const { distribute } = await import("./distributed.js");
  const store = readStoreSetting(options.project.at);
  return distribute({ options, layout, quarantine, base, documents, store, remote: setting.remote });
}

/** A task whose work was accepted is over: nobody goes on in a session of its attempts. */
function withoutHomes(folder: string, review: EffectRunnerParts["review"]): EffectRunnerParts["review"] {
  return async (effect, task, signal) => {
    const event = await review(effect, task, signal);
    if (event.type === "review_finished" && event.accepted) await removeHomesOf(folder, effect.task_id, effect.attempt);
    return event;
  };
}

function layoutOf({ runId, state }: ExecuteOptions): Layout {
  if (state.layout === null)
    throw new CoordinatorError("USAGE", `${runId} has no frozen plan yet`, {
      fix: "Start a run from a plan: coordinator run --plan DIR",
    });
  return state.layout;
}

/** The effects that the log says are under way, and the sessions that belong to them. */
async function effectsUnderWay(state: RunState, records: RunRecords): Promise<string[]> {
  const effects = effectsOf(state);
  const sessions = await Promise.all(
    effects
      .flatMap((effect) => (effect.kind === "resolve_conflict" || effect.kind === "review_level" ? [effect] : []))
      .map(({ task_id, attempt }) => sessionIds(records, attemptKey(task_id, attempt))),
  );
  return [...effects.map(({ id }) => id), ...sessions.flat()];
}

/** The tasks the branch took between a commit and another one, by what their commits say. */
async function integrationsBetween(
  git: Git,
  from: string,
  to: string,
): Promise<{ task_id: string; attempt: number }[]> {
  const trailer = (name: string) => `%(trailers:key=Coordinator-${name},valueonly=true,separator=%x20)`;
  const format = `--format=${trailer("Attempt")} ${trailer("Task")}`;
  const listed = await must(git, ["log", "--first-parent", format, `${from}..${to}`]);
  return listed.split("\n").flatMap((line) => {
    const [, attempt, task_id] = /^(\d+) (.+)$/.exec(line.trim()) ?? [];
    return attempt === undefined || task_id === undefined ? [] : [{ task_id, attempt: Number(attempt) }];
  });
}

/** The records that this process goes by beside the plan, by checksum: an exchange is noticed from here on. */
async function recordsGoneBy(records: RunRecords): Promise<{ name: string; ref: string }[]> {
  const names = [BASE_RECORD, REVIEWS_RECORD, PLAN_RECORD];
  const refs = await Promise.all(names.map((name) => records.refNow(name)));
  return names.flatMap((name, i) => (refs[i] == null ? [] : [{ name, ref: refs[i] }]));
}

/** Where the run began: said once, and the same for anyone who resumes it. */
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
