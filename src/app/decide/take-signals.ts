import { crashPoint } from "../../foundation/processes/crash-points.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import { BY_PEOPLE_ONLY } from "../../mind/run/decide/forbidden.js";
import { isOver, type RunState } from "../../mind/run/state.js";
import { refusal, step } from "../../mind/run/transition.js";
import { prepareEvents } from "../../hands/store/chain/hash-event.js";
import type { EventReader, EventStore, RunHolder } from "../../hands/store/event-store.js";
import { roleObjection } from "./decide.js";
import { decisionIn } from "./decided.js";
import { foldRun } from "../inspect/fold-run.js";
import type { Signal, SignalVerdict } from "./signal-box.js";
import type { SignalBox } from "./signal-boxes.js";

/** Events a person may send. Nothing else is taken from the box: an outcome is reported by the hand that did the work. */
export const BY_PEOPLE: ReadonlySet<RunEvent["type"]> = new Set([
  ...BY_PEOPLE_ONLY,
  "plan_approved",
  "change_proposed",
  "change_decided",
  "run_cancelled",
  "approval_given",
]);

/** Where a signal goes: a live run, or the log itself when nobody works on it. */
export interface SignalTaker {
  readonly log: EventReader & Pick<EventStore, "redact">;
  readonly state: (runId: string) => Promise<RunState>;
  /** Contract: durable when it resolves with null; otherwise says why it was not taken. */
  readonly take: (runId: string, event: RunEvent) => Promise<string | null>;
}

/**
 * Judge one signal and write the verdict down.
 *
 * Contract: taken exactly once, whatever dies in between. A decision that the log holds already is taken, not refused:
 * the process that took it died before it could say so.
 */
export async function takeSignal(box: SignalBox, signal: Signal, taker: SignalTaker): Promise<SignalVerdict> {
  const verdict = (await box.verdict(signal.signal_id)) ?? (await verdictOn(signal, taker));
  await box.judge(signal, verdict);
  return verdict;
}

async function verdictOn(signal: Signal, taker: SignalTaker): Promise<SignalVerdict> {
  const { run_id, event, roles } = signal;
  if (!BY_PEOPLE.has(event.type))
    return { status: "refused", reason: `${event.type} is not an event that people decide` };
  if ((await taker.log.head(run_id)) === null) return { status: "refused", reason: `there is no run ${run_id}` };
  const before = await placeInLog(signal, taker.log);
  if (before !== null) return { status: "taken", sequence: before };
  const objection = roleObjection(await taker.state(run_id), event, roles);
  if (objection !== null) return { status: "refused", reason: objection };
  const reason = await taker.take(run_id, event);
  crashPoint("signal.taken");
  if (reason !== null)
    return { status: "refused", reason: (await describeEarlierDecision(signal, taker.log)) ?? reason };
  return { status: "taken", sequence: (await placeInLog(signal, taker.log)) ?? signal.after + 1 };
}

/** Two people may decide the same thing at the same moment: one wins, and the message to the other says who. */
async function describeEarlierDecision({ run_id, event, after }: Signal, log: EventReader): Promise<string | null> {
  for await (const logged of log.read(run_id, { from: after + 1 })) {
    const first = decisionIn(logged.event);
    if (first !== null && first.id === decisionIn(event)?.id)
      return `it was decided by ${first.by} already: event ${logged.sequence} of ${run_id}`;
  }
  return null;
}

/** Where this very decision stands in the log, behind what its sender had seen. */
async function placeInLog(
  { run_id, event, after }: Signal,
  log: EventReader & Pick<EventStore, "redact">,
): Promise<number | null> {
  // The log has it as it was written: without secrets.
  const wanted = textOf(log.redact?.(event) ?? event);
  for await (const logged of log.read(run_id, { from: after + 1 }))
    if (logged.event.type === event.type && textOf(logged.event) === wanted) return logged.sequence;
  return null;
}

function textOf(event: RunEvent): string {
  return prepareEvents([{ event, at: "", clock_ms: 0 }])[0]?.text ?? "";
}

/** The log itself as a taker. Contract: the store has claimed the run, and nobody in this process carries it out. */
export function logTaker(store: EventStore, now: () => string): SignalTaker {
  return {
    log: store,
    state: async (runId) => (await foldRun(store, runId)).state,
    take: (runId, event) => applyToLog(store, runId, event, now()),
  };
}

/**
 * Take an event with everything that follows from it, and do nothing: what is to be done then follows from the log, for
 * anyone who carries the run on.
 *
 * Contract: one commit; says why when it is not taken.
 */
async function applyToLog(store: EventStore, runId: string, event: RunEvent, at: string): Promise<string | null> {
  const run = await foldRun(store, runId);
  const why = refusal(run.state, event);
  if (why !== null) return why;
  // Time passed while nobody ran it. A wall clock set back must not turn the run's clock back; that of a run that is over
  // does not run.
  const since = isOver(run.state) ? at : run.last_at;
  const away = since === null ? 0 : Math.max(0, Date.parse(at) - Date.parse(since));
  const clock_ms = Math.round(run.state.clock_ms + away);
  const { events } = step(run.state, store.redact?.(event) ?? event, clock_ms);
  const result = await store.append(
    runId,
    run.sequence,
    events.map((each) => ({ event: each, at, clock_ms })),
  );
  if (result.status === "appended") return null;
  if (result.status === "duplicate") return `event ${result.sequence} says so already`;
  throw new CoordinatorError(
    "STORE_LOCKED",
    `Somebody else writes to run ${runId}: event ${result.actual} is not ours`,
    {
      fix: "End the other process and try again.",
    },
  );
}

/**
 * Judge one signal to a run that no process carries out, straight into its log.
 *
 * Contract: null when it was judged; otherwise the process that carries out the run, which takes it. No run that is live
 * in this process on this store.
 */
export async function takeForLog(
  box: SignalBox,
  signal: Signal,
  store: EventStore,
  now: () => string,
): Promise<RunHolder | null> {
  // A run that nobody began is not made by a signal to it.
  const isKnown = (await store.head(signal.run_id)) !== null;
  if (isKnown) {
    const claim = await store.claim(signal.run_id);
    if (claim.status === "held") return claim.holder;
  }
  try {
    await takeSignal(box, signal, logTaker(store, now));
  } finally {
    if (isKnown) await store.release(signal.run_id);
  }
  return null;
}

/** Judge what is in the box for runs that no process carries out. Contract: no run is live in this process. */
export async function takeAllSignals(box: SignalBox, store: EventStore, now: () => string): Promise<void> {
  await box.sweep(Date.parse(now()));
  for (const signal of await box.left()) await takeForLog(box, signal, store, now);
}
