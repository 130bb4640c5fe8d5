import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import type { VerdictReport } from "../../model/settings/check.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Brief } from "../../model/intent-spec.js";
import { CONTEXT_FILES } from "../../model/routing.js";
import type { RunTask } from "../../model/run.js";
import type { Scope, ScopeAddition } from "../../model/scope.js";
import { plainTitle } from "../../mind/publish/host-text.js";
import type { Layout } from "../../mind/run/layout.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { attemptRecord } from "../../mind/run/record-names.js";
import type { Waiver } from "../../mind/run/task-record.js";
import { describeAccepted, describeProvenBy } from "../../mind/run/describe-proof.js";
import type { IntegrationQueue } from "../../hands/integration/integrate.js";
import { workerOf } from "../../hands/attempts/configured-workers.js";
import { dataOf, holdForData, unseenPaths } from "../../hands/attempts/data-class.js";
import { agentSettings, inRole, keyVariables } from "../../hands/attempts/agents-of.js";
import type { StartEffect } from "../../hands/attempts/run-attempts.js";
import { type AttemptOrder, AttemptResult } from "../../hands/attempts/attempt-order.js";
import { contextOf } from "./brief.js";
import type { ExecuteOptions } from "./execute-options.js";
import { intentText } from "../../hands/attempts/prompts/intent-text.js";
import { seenLevels } from "../../hands/integration/level-context.js";
import { contextFor } from "../../hands/integration/level-records.js";
import { waivedGuardrails, waivedTests, describeLetGo, describeWaived } from "../../hands/checks/waived.js";
import type { NextPorts } from "../../hands/attempts/port-ranges.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";
import { compileVisibility } from "../../hands/workspace/view.js";
import { narrowScope } from "../../mind/scope/narrow-scope.js";
import { iterationsOf, promiseOf, taskPrompt } from "../../hands/attempts/prompts/task-prompt.js";
import { trailers } from "../../hands/attempts/trailers.js";
import { PINNED_MANAGERS } from "../../hands/checks/unattended.js";

/* The orders to the shims of a run: which agent, where, with what prompt, scope and context. */

export interface OrderParts {
  readonly queue: IntegrationQueue;
  readonly records: RunRecords;
  /** The brief that the run was begun with, if there is one. */
  readonly brief: Brief | null;
  readonly sandboxes: string;
  readonly cache: string;
  readonly nextPorts: NextPorts;
  readonly clockMs: () => number;
  /** The commit the run began with. */
  readonly pristine: string;
}

export async function orderFor(
  options: ExecuteOptions,
  layout: Layout,
  effect: StartEffect,
  parts: OrderParts,
): Promise<AttemptOrder> {
  const { configuration, runId } = options;
  const task = layout.plan.tasks[layout.indexOf.get(effect.task_id) ?? -1] as RunTask;
  const wanted = effect.scope ?? task.scope;
  if (wanted === undefined)
    throw new CoordinatorError("USAGE", `${effect.task_id} has no scope, and nothing may be done without one`);
  // INVARIANT: what people added to a scope is within the routing policy's bounds too.
  const { bounds } = layout.plan;
  const scope = bounds === undefined ? wanted : narrowScope(wanted, bounds.child_scope);
  const builder = options.builders.find(({ id }) => id === task.builder) ?? null;
  const before = effect.goes_on === null ? null : await earlierAttempt(parts.records, effect.task_id, effect.goes_on);
  const common = commonOrder(options, parts, effect.agent, effect.model);
  const isSeen = compileVisibility({ read: scope.read, hidden: common.hidden, withheld: common.withheld });
  const schedule = options.state.policy?.schedule ?? "dataflow";
  const levels = seenLevels(await contextFor(layout, task, parts.records, schedule), isSeen);
  const prompt = taskPrompt({
    task,
    builder,
    intent: parts.brief?.spec == null ? null : intentText(parts.brief.spec.spec),
    scope,
    checks: configuration.checks,
    criteria: (layout.plan.criteria ?? []).flatMap(({ criterion, check }) => (check === null ? [criterion] : [])),
    levels,
    guidance: effect.guidance,
    alternative: effect.alternative,
    allowed: before === null ? null : additionTo(task.scope, scope),
  });
  return {
    ...common,
    agent: inRole(common.agent, builder),
    name: { runId, taskId: effect.task_id, attemptId: String(effect.attempt) },
    base: await parts.queue.tip(),
    prompt,
    context: contextOf(parts.brief),
    scope,
    ...(before === null ? {} : { goes_on: before }),
    budget: effect.reserved,
    loop: {
      promise: promiseOf(task, builder),
      iterations: iterationsOf(task),
      checks: configuration.checks,
      pristine: parts.pristine,
      state_folder: options.project.at.folder,
      env: await parts.nextPorts(),
    },
    env: {
      ...PINNED_MANAGERS,
      COORDINATOR_RUN: runId,
      COORDINATOR_TASK: effect.task_id,
      COORDINATOR_ATTEMPT: String(effect.attempt),
      ...(await parts.nextPorts()),
    },
    message: withoutSecrets(
      `${commitTitle(task)}\n\n${trailers({ "Coordinator-Run": runId, "Coordinator-Task": effect.task_id, "Coordinator-Attempt": String(effect.attempt), "Assisted-by": effect.agent })}`,
    ),
    ...(options.author == null ? {} : { author: options.author }),
  };
}

/** Why the agent of an attempt may not be shown the data of its task, as the question that is put to a person. */
export function holdAttemptForData(
  { configuration, models }: Pick<ExecuteOptions, "configuration" | "models">,
  layout: Layout,
  { task_id, agent, model }: Pick<StartEffect, "task_id" | "agent" | "model">,
  /** Everything it will be given, also what routing gave later. */
  documents: readonly { readonly ref: string }[],
): ReturnType<typeof holdForData> {
  const task = layout.plan.tasks[layout.indexOf.get(task_id) ?? -1] as RunTask;
  const { settings } = agentSettings(agent, configuration, models, model);
  const worker = workerOf(agent, settings, model, configuration, models);
  return holdForData(worker, dataOf(task, documents, configuration));
}

/** The work and session that an earlier attempt left; null when its record is gone. */
async function earlierAttempt(
  records: RunRecords,
  taskId: string,
  attempt: number,
): Promise<AttemptOrder["goes_on"] | null> {
  const read = AttemptResult.safeParse(await records.read(attemptRecord(attemptKey(taskId, attempt))));
  if (!read.success) return null;
  const { commit, session_id, home } = read.data;
  return { commit, session_id, home };
}

/** The additions of people to a scope. */
function additionTo(before: Scope | undefined, { write, commands, network }: Scope): ScopeAddition {
  const more = (now: readonly string[], was: readonly string[] = []) => now.filter((one) => !was.includes(one));
  return {
    write: more(write, before?.write),
    commands: more(commands, before?.commands),
    network: more(network, before?.network),
  };
}

export type CommonOrder = Omit<
  AttemptOrder,
  "name" | "base" | "prompt" | "context" | "scope" | "goes_on" | "budget" | "message" | "output_schema"
>;

/** INVARIANT: the context registry is shown to no child, and neither is a document that was not given. */
export function describeWithheld(withheld: readonly string[]): string[] {
  return [...new Set([...withheld, ...CONTEXT_FILES])];
}

/** Everything of an order that does not depend on what it is about. */
export function commonOrder(
  options: Pick<ExecuteOptions, "configuration" | "project" | "models" | "guardrails" | "unsafeNoSandbox" | "withheld">,
  { cache, sandboxes, clockMs }: Pick<OrderParts, "cache" | "sandboxes" | "clockMs">,
  agent: string,
  model: string | null = null,
): CommonOrder {
  const { configuration, models } = options;
  const chosen = agentSettings(agent, configuration, models, model);
  const worker = workerOf(agent, chosen.settings, model, configuration, models);
  return {
    repository: options.project.root,
    workspaces: configuration.workspace.folder,
    hidden: [...configuration.workspace.hidden, ...unseenPaths(worker, configuration)],
    withheld: describeWithheld(options.withheld ?? []),
    agent: chosen,
    checks: configuration.checks.map(({ run }) => run),
    guardrails: [...options.guardrails],
    overrides: [],
    env: {},
    setup: configuration.workspace.setup,
    tools: [...configuration.workspace.tools],
    inner_hosts: [...configuration.hosts],
    setup_cache: cache,
    sandbox: configuration.sandbox,
    unsafe_no_sandbox: options.unsafeNoSandbox,
    cage_records: sandboxes,
    clock_offset_ms: clockMs() - Date.now(),
  };
}

interface Judged {
  readonly attempt: number;
  readonly verdict: VerdictReport;
  readonly waivers: readonly Waiver[];
}

/** The message a change is taken onto the branch with. */
export function message(
  { runId, state }: ExecuteOptions,
  task: RunTask,
  { attempt, verdict: { verdict, proven_by, accepted }, waivers }: Judged,
): string {
  const people = [
    describeLetGo(waivedTests(waivers)),
    describeWaived(waivedGuardrails(waivers)),
    ...accepted.map(describeAccepted),
  ];
  const proven = proven_by.map(describeProvenBy).join("; ");
  const known = inCommit([proven, ...people].filter((said) => said !== "").join(", "));
  const marks = {
    "Coordinator-Run": runId,
    "Coordinator-Task": task.task_id,
    "Coordinator-Attempt": String(attempt),
    "Coordinator-Plan": state.layout?.plan.plan_checksum ?? "",
    "Coordinator-Verdict": `${verdict}${known === "" ? "" : ` (${known})`}`,
    "Assisted-by": task.agent,
  };
  return withoutSecrets(`${commitTitle(task)}\n\n${trailers(marks)}`);
}

/** Words of people and agents in a commit: hosts would close issues, mention people and skip checks for them. */
const inCommit = (words: string) => plainTitle(words, 2000);
const commitTitle = ({ title, task_id }: RunTask) => inCommit(title) || task_id;

/** The variables of this process that a shim gets: the few it needs, and the keys that agents are configured with. */
export function shimEnvironment({
  project: { environment },
  configuration,
  builders,
}: Pick<ExecuteOptions, "project" | "configuration"> & Partial<Pick<ExecuteOptions, "builders">>): Record<
  string,
  string
> {
  const names = ["PATH", "HOME", "LANG", "XDG_STATE_HOME", "TMPDIR", ...keyVariables(configuration, builders)];
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
