import { join } from "node:path";
import type { EngineClock } from "../engine/effect-runner.js";
import { type AttemptOrder, AttemptResult, shimOrder } from "../attempts/attempt-order.js";
import { whyNotBegun } from "../attempts/attempt-endings.js";
import { adoptOrVoid, type EffectEnd } from "../attempts/shim/adopt.js";
import { effectFolder } from "../attempts/shim/instance-folder.js";
import { shimSpawner } from "../attempts/shim/spawn-shim.js";
import { examinedTask } from "../checks/examined-task.js";
import { treeProver } from "../checks/on-trees/prove-trees.js";
import { verdictInputs } from "../checks/verdict-inputs.js";
import { portRanges } from "../attempts/port-ranges.js";
import type { Workspaces } from "../workspace/workspace.js";
import { attemptRef } from "../workspace/names-of-refs.js";
import { agentHere, keysOf, type OwnSettings, workspaceHere } from "./own-terms.js";
import { givesBack, watchMachine } from "./machine-trouble.js";
import { fetchCommits, fetchResult, patiently, publishResult, resultRef } from "./result-refs.js";
import type { AttemptWork, ProofWork, Work, WorkEnd } from "./work-order.js";
import type { WorkerPlace } from "./worker-place.js";

/* One piece of work on a worker: what is needed is fetched, the same code as on one machine does it, and its result is published. */

export interface PerformParts {
  readonly place: WorkerPlace;
  readonly workspaces: Workspaces;
  readonly own: OwnSettings;
  readonly clock: EngineClock;
  /** The program of the shim. */
  readonly shim: string;
  /** Told what keeps it waiting. */
  readonly told: (message: string) => void;
}

export interface PerformOptions {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly onNote: (note: unknown) => void;
}

export function perform(work: Work, parts: PerformParts, options: PerformOptions): Promise<WorkEnd> {
  return work.kind === "attempt" ? attempt(work, parts, options) : proof(work, parts, options);
}

async function attempt({ order }: AttemptWork, parts: PerformParts, options: PerformOptions): Promise<WorkEnd> {
  const { place, told } = parts;
  const { key, signal } = options;
  const { quarantine, remote } = place;
  const { name } = order;
  const onRef: WorkEnd = { status: "on_ref", ref: resultRef(name) };
  const before = givesBack("before");
  // Somebody who is taken for dead may have done it.
  if ((await patiently(() => remote.list([resultRef(name)]), signal, told, before)).size > 0) return onRef;
  await patiently(
    () => fetchCommits(quarantine, remote, [order.base, ...pristineOf(order), ...earlierOf(order)]),
    signal,
    told,
    before,
  );
  const here = orderHere(order, parts);
  const { value: end, trouble } = await watchMachine(place.folder, () =>
    adoptOrVoid(effectFolder(join(place.stateFolder, "attempts", name.runId), key), {
      order: shimOrder(here),
      spawnShim: shimSpawner({ argv: [process.execPath, parts.shim], env: shimEnvironment(here, place) }),
      limit: 1,
      signal,
      clock: parts.clock,
      onNote: options.onNote,
    }),
  );
  if (end.status === "stopped" || signal.aborted) return { status: "stopped" };
  const value = stripLocal(end);
  const result = value.status === "done" ? AttemptResult.safeParse(value.value) : null;
  const outcome = result?.data?.outcome;
  // A disk that was full for a moment only may not have been seen by who looks at it from time to time.
  const why = outcome === undefined ? trouble : (whyNotBegun(outcome) ?? trouble);
  if (why !== null && outcome?.kind !== "completed") return { status: "given_back", message: why };
  const left = {
    name,
    value,
    commit: result?.data?.ref === attemptRef(name) ? result.data.commit : null,
    salvage: result?.data?.salvage ?? null,
  };
  await patiently(() => publishResult(quarantine, remote, left), signal, told, givesBack("after"));
  return onRef;
}

const pristineOf = ({ loop }: AttemptOrder) => (loop === undefined ? [] : [loop.pristine]);
const earlierOf = ({ goes_on }: AttemptOrder) => (goes_on?.commit == null ? [] : [goes_on.commit]);

/** The order in the places of this machine and with what its own settings give. */
function orderHere(order: AttemptOrder, { place, own }: PerformParts): AttemptOrder {
  const { loop, goes_on } = order;
  return workspaceHere(
    {
      ...order,
      repository: place.repository,
      state_directory: join(place.folder, "quarantine"),
      workspaces: undefined,
      agent: agentHere(order.agent, own),
      inner_hosts: [...own.hosts],
      setup_cache: join(place.stateFolder, "setup"),
      cage_records: join(place.stateFolder, "cages"),
      ...(loop === undefined ? {} : { loop: { ...loop, state_folder: place.stateFolder } }),
      // The session of an earlier attempt is on the machine that made it.
      ...(goes_on == null ? {} : { goes_on: { commit: goes_on.commit, session_id: null, home: null } }),
    },
    own,
  );
}

/** The part of an end that means something elsewhere: homes stay on the machine that has them. */
function stripLocal(end: EffectEnd): EffectEnd {
  if (end.status !== "done") return end;
  const read = AttemptResult.safeParse(end.value);
  return read.success ? { ...end, value: { ...read.data, home: null, session_id: null } } : end;
}

function shimEnvironment({ agent }: AttemptOrder, { environment }: WorkerPlace): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "XDG_STATE_HOME", "TMPDIR", ...keysOf(agent)];
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function proof(work: ProofWork, parts: PerformParts, { signal }: PerformOptions): Promise<WorkEnd> {
  const { place, workspaces, own, told } = parts;
  const { quarantine, remote, stateFolder, environment } = place;
  const { result, task, waivers, pristine } = work;
  const name = { runId: work.run_id, taskId: task.task_id, attemptId: String(work.attempt) };
  await patiently(
    async () => {
      await fetchCommits(quarantine, remote, [result.base, pristine]);
      if (result.commit !== null) await fetchResult(quarantine, remote, name);
    },
    signal,
    told,
    givesBack("before"),
  );
  const configuration = { ...work.configuration, hosts: [...own.hosts] };
  const { prove, examine } = await treeProver({
    runId: work.run_id,
    quarantine,
    workspaces,
    configuration: { ...configuration, workspace: workspaceHere(configuration.workspace, own) },
    stateFolder,
    environment,
    base: pristine,
    unsafeNoSandbox: work.unsafe_no_sandbox,
    nextPorts: portRanges(configuration.workspace.ports, join(stateFolder, "ports")),
    stopped: signal,
  });
  const treeOf = async (commit: string) =>
    (
      await quarantine.git.must("Reading a commit", {
        gitDir: quarantine.gitDir,
        args: ["rev-parse", `${commit}^{tree}`],
      })
    )
      .toString("latin1")
      .trim();
  const from = await treeOf(result.base);
  const to = result.commit === null ? from : await treeOf(result.commit);
  const beside = verdictInputs(result, task, waivers);
  const examined = { ...beside, examine: examine(examinedTask(task, result, beside)) };
  const due = work.nothing_due ? { changes_due: false } : {};
  const { value, trouble } = await watchMachine(place.folder, () => prove(from, to, { ...examined, ...due }, signal));
  if (trouble !== null && value.verdict !== "PASS") return { status: "given_back", message: trouble };
  return { status: "value", value };
}
