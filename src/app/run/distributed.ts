import { resolveAgent } from "../../hands/agents/resolve-agent.js";
import { agentSettings } from "../../hands/attempts/agents-of.js";
import { AttemptResult, type AttemptOrder } from "../../hands/attempts/attempt-order.js";
import { dataOf, mostSensitive } from "../../hands/attempts/data-class.js";
import { programOf } from "../../hands/attempts/missing-programs.js";
import type { AttemptsElsewhere, StartEffect } from "../../hands/attempts/run-attempts.js";
import type { EffectEnd } from "../../hands/attempts/shim/adopt.js";
import { openConnections } from "../../hands/store/postgres/connection.js";
import { parseAddress } from "../../hands/store/postgres/address.js";
import { passwordFrom } from "../../hands/store/postgres/store-password.js";
import { openDistributor, valueOf } from "../../hands/workers/distributor.js";
import { gitRemote } from "../../hands/workers/git-remote.js";
import { openRunOnRemote } from "../../hands/workers/head-on-remote.js";
import { fetchResult, patiently } from "../../hands/workers/result-refs.js";
import type { Pace } from "../../hands/workers/offers.js";
import type { Needs } from "../../hands/workers/work-order.js";
import { attemptRef } from "../../hands/workspace/names-of-refs.js";
import type { Quarantine } from "../../hands/workspace/quarantine.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import type { Layout } from "../../mind/run/layout.js";
import type { Waiver } from "../../mind/run/task-record.js";
import type { AgentSettings } from "../../model/settings/agent-config.js";
import type { RunTask } from "../../model/run.js";
import { VerdictReport } from "../../model/settings/check.js";
import type { ExecuteOptions } from "./execute-options.js";

/*
 * The distributed engine of a run: attempts and checks are done by workers, everything else by this process. The set of running effects
 * follows from the log; this is only the way in which it is done.
 */

export interface Distributed {
  readonly attempts: AttemptsElsewhere;
  readonly prove: (work: {
    readonly effectId: string;
    readonly task: RunTask;
    readonly attempt: number;
    readonly result: AttemptResult;
    readonly waivers: readonly Waiver[];
    readonly nothingDue: boolean;
    readonly signal: AbortSignal;
  }) => Promise<VerdictReport>;
  readonly publishHead: () => Promise<void>;
  /** `over`: nobody asks for anything of the run any more. */
  readonly close: (over: boolean) => Promise<void>;
}

export interface DistributedParts {
  readonly options: ExecuteOptions;
  readonly layout: Layout;
  readonly quarantine: Quarantine;
  /** The commit the run began with. */
  readonly base: string;
  readonly documents: readonly { readonly ref: string }[];
  readonly store: string;
  readonly remote: string;
}

/** Contract: throws what the store and the remote throw before anything is begun; brings here what others did for the run. */
export async function distribute(parts: DistributedParts): Promise<Distributed> {
  const { options, layout, quarantine, base } = parts;
  const { runId, project, configuration } = options;
  const remote = gitRemote({ remote: parts.remote, gitDir: quarantine.gitDir, environment: project.environment });
  const onRemote = await openRunOnRemote(runId, base, quarantine, remote);
  const stored = { address: parseAddress(parts.store), password: passwordFrom(project.environment) };
  const connections = await openConnections(stored);
  const distributor = await openDistributor(runId, connections, stored).catch(async (error: unknown) => {
    await connections.close();
    throw error;
  });
  const stopped = new AbortController();
  const needs = (programs: readonly string[]): Needs => ({
    labels: [...configuration.worker_labels],
    data: classOfRun(parts),
    sandbox: !options.unsafeNoSandbox,
    programs: [...programs],
  });
  /** The effects with the longest way still to go first. */
  const priorityOf = (taskId: string) => {
    const rank = layout.rank[layout.indexOf.get(taskId) ?? -1] ?? 0;
    return Math.max(1, 1_000_000 - Math.round(rank * 10));
  };

  async function run(
    effect: StartEffect,
    orderOf: () => Promise<AttemptOrder>,
    { signal, onNote, waits }: Parameters<AttemptsElsewhere["run"]>[2],
  ): Promise<EffectEnd> {
    const { task_id, attempt } = effect;
    const { settings } = agentSettings(effect.agent, configuration, options.models, effect.model);
    const end = await distributor.request({
      effect,
      needs: needs([resolveAgent(effect.agent, settings).argv[0]]),
      priority: priorityOf(task_id),
      pace: paceOf(effect.agent, settings),
      signal,
      onNote,
      waits,
      work: async () => {
        const order = withoutSecrets(await orderOf());
        const { goes_on, loop } = order;
        const commits = [order.base, loop?.pristine ?? base, goes_on?.commit ?? base];
        await patiently(() => onRemote.offerCommits(commits), signal, waits);
        return { kind: "attempt", order };
      },
    });
    if (end.status === "failed") return { status: "crashed", crashed: 1, message: end.message };
    if (end.status !== "on_ref") return { status: "stopped", crashed: 0 };
    const name = { runId, taskId: task_id, attemptId: String(attempt) };
    const found = await patiently(() => fetchResult(quarantine, remote, name), signal, waits);
    if (found === null)
      return { status: "crashed", crashed: 1, message: `${end.ref} is not on ${remote.name} any more` };
    const { refused } = await quarantine.publish(found.refs);
    if (refused !== null) return { status: "crashed", crashed: 1, message: `its commits cannot be taken: ${refused}` };
    return checkAgainstRef(
      found.value,
      (await quarantine.refs("quarantine", attemptRef(name))).get(attemptRef(name)) ?? null,
    );
  }

  return {
    attempts: { run, stop: (id) => distributor.cancel(id), goesOn: (id) => distributor.goesOn(id) },
    async prove({ effectId, task, attempt, result, waivers, nothingDue, signal }) {
      const end = await distributor.request({
        effect: { id: effectId },
        needs: needs(configuration.checks.flatMap(({ run: command }) => programOf(command))),
        priority: priorityOf(task.task_id),
        signal,
        onNote: () => undefined,
        waits: () => undefined,
        work: async () => {
          await patiently(() => onRemote.offerCommits([result.base, base]), signal);
          const { awaiting_trust: _, project_agents: __, ...settings } = configuration;
          return withoutSecrets({
            kind: "proof" as const,
            run_id: runId,
            attempt,
            task,
            result,
            waivers: [...waivers],
            configuration: settings,
            pristine: base,
            nothing_due: nothingDue,
            unsafe_no_sandbox: options.unsafeNoSandbox,
          });
        },
      });
      return VerdictReport.parse(valueOf(end));
    },
    publishHead: () => patiently(() => onRemote.publishHead(), stopped.signal),
    async close(over) {
      stopped.abort();
      try {
        if (!over) return;
        await distributor.forget();
        // Refs that stay on the remote do no harm.
        await onRemote.forget().catch(() => undefined);
      } finally {
        await distributor.close();
        await connections.close();
      }
    },
  };
}

function paceOf(agent: string, { starts_per_minute }: AgentSettings): Pace | null {
  return starts_per_minute === undefined ? null : { agent, perMinute: starts_per_minute };
}

/** INVARIANT: a result counts for the commit that stands on its ref, whatever it says of itself. */
function checkAgainstRef(value: unknown, onRef: string | null): EffectEnd {
  const end = value as EffectEnd;
  if (end.status !== "done") return end;
  const read = AttemptResult.safeParse(end.value);
  if (!read.success || read.data.commit === onRef || read.data.commit === null) return end;
  return { status: "crashed", crashed: 1, message: "its result names another commit than the one on its ref" };
}

/**
 * How sensitive a run is for the machines that work on it: each has the whole tree, so the most sensitive of its tasks counts, and
 * what the settings say of files.
 */
function classOfRun({ options: { configuration }, layout, documents }: DistributedParts) {
  const { confidential, restricted } = configuration.data_paths;
  return mostSensitive([
    ...layout.plan.tasks.map((task) => dataOf(task, documents, configuration).sensitivity),
    ...(confidential.length > 0 ? ["confidential" as const] : []),
    ...(restricted.length > 0 ? ["restricted" as const] : []),
  ]);
}
