import { recordGuardrails } from "../../hands/board/protect-records.js";
import { trustedRoles } from "../../hands/settings/trust/in-effect.js";
import { guardEffects } from "./guard-effects.js";
import { type Execution, executeRun } from "./execute-run.js";
import type { Decider } from "../../model/run.js";
import { foldRun } from "../inspect/fold-run.js";
import { readRunsOfAdrs } from "../inspect/taken-adrs.js";
import { serveSignals } from "../decide/serve-signals.js";
import { heldError } from "../../hands/store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import { approvalsOfRun } from "../decide/approvals.js";
import { mostAtOnce } from "../project/contract.js";
import { rerouteIn } from "../request/reroute.js";
import type { RunContext } from "./run-arguments.js";
import { beginSession } from "./session.js";
import { followTelemetry } from "../telemetry/follow-telemetry.js";
import { type Watcher, watchRun } from "../inspect/watch.js";
import { currentUser } from "../decide/current-user.js";

/** Work on a run until it is over, waits on people, or is interrupted. */
export async function workOnRun(
  ready: RunContext,
  runId: string,
  watcher: Watcher,
  interrupted: AbortSignal,
): Promise<Finished> {
  const { args, store, configuration, trust, registry, context } = ready;
  const { project } = context;
  const { at } = project;
  // Before anything of it is touched: what another process has under way would be taken for what a dead one left.
  const claim = await store.claim(runId);
  if (claim.status === "held") throw heldError(claim.holder);
  const { state, sequence } = await foldRun(store, runId);
  // Anyone who goes on with a run has been told what was before.
  const from = args.plan === undefined ? sequence + 1 : 1;
  if (state.layout === null) return watchRun({ run: runId, from, idleMs: 0 }, context, watcher);
  const records = (await readRunsOfAdrs(store)).map(({ adr }) => adr.file);
  const session = await beginSession(runId, ready);
  const execution = await executeRun({
    runId,
    state,
    project,
    store,
    configuration,
    builders: trustedRoles(registry.registry.agents, trust),
    guardrails: [...registry.guardrails, ...session.guardrails, ...recordGuardrails(records)],
    models: registry.registry.models,
    unsafeNoSandbox: args.unsafeNoSandbox === true,
    guard: guardEffects(ready.inForce),
    mostAtOnce: mostAtOnce(ready.inForce),
    agent: args.agent,
    reroute: rerouteIn(at.root, context.cwd, state.request_id),
  }).catch(async (error: unknown) => {
    await session.giveUp();
    throw error;
  });
  const telemetry = await followTelemetry(
    { runId, stateFolder: at.folder, reader: store },
    { environment: project.environment, now: context.parts.now, warn: context.warn },
  );
  const unwatched = new AbortController();
  const signals = serveSignals(execution.run, { runId, at, store, now: context.parts.now });
  try {
    for (const event of approvalsOfRun(ready.inForce, currentUser(undefined, context.project), args.plan !== undefined))
      await execution.run.signal(event);
    if (ready.firstCommit !== null) await execution.run.signal(ready.firstCommit);
    if (args.plan !== undefined && !state.plan_approved)
      await execution.run.signal({ type: "plan_approved", decider: approverOf(ready) });
    session.bind(execution.run);
    const watching = watchRun({ run: runId, from, idleMs: 600_000 }, context, watcher, unwatched.signal);
    watching.catch(() => undefined);
    return await Promise.race([watching, waitForInterrupt(interrupted, runId), untilBroken(execution)]);
  } finally {
    // Anyone who still watched would keep this process for as long as the run is not over.
    unwatched.abort();
    await signals.stop();
    await execution.stop();
    await session.end(interrupted.aborted);
    await telemetry.stop();
  }
}

export function approverOf({ args, context, inForce }: RunContext): Decider {
  if (args.standing === "contract")
    return { by: `contract ${inForce.contract.version}: auto_assign_tasks`, how: "rule" };
  const via = context.approved ? "yes" : args.asked === true ? "terminal" : "command";
  return { by: currentUser(undefined, context.project), how: "person", via };
}

async function waitForInterrupt(signal: AbortSignal, runId: string): Promise<Finished> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return finish(EXIT.interrupted, { type: "interrupted", run_id: runId });
}

/** A run whose store fails is not watched for ever. */
async function untilBroken({ run }: Execution): Promise<Finished> {
  return run.settled().then(
    () => new Promise<Finished>(() => undefined),
    (error: unknown) => Promise.reject(error as Error),
  );
}
