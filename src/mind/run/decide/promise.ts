import type { EventOf } from "../../../model/event.js";
import type { Objection, Promised } from "../../../model/run.js";
import { COMPLETION_PROMISE } from "./escalate.js";
import { allWaiversOf, indexOf, type RunState } from "../state.js";
import type { TaskRecord } from "../task-record.js";

/*
 * No promise, no completion: a result whose agent was asked for a completion promise and did not give it is held, whatever
 * its checks say, until a person accepts it without one.
 */

/** The name of the objection, by which people waive it. */
const PROMISE = { kind: "unfinished", id: COMPLETION_PROMISE } as const;

/** The objection to a result without its promise; null where the promise was given, or none was asked for. */
export function missingPromise(promise: Promised | null | undefined): Objection | null {
  if (promise == null || promise.given) return null;
  const why = promise.reason === "" ? "" : `: ${promise.reason}`;
  return { ...PROMISE, message: `the agent did not give its completion promise ${promise.text}${why}`.slice(0, 2000) };
}

/** INVARIANT: no result goes on without its promise, or a person who accepts it so. */
export function isProven(state: RunState, { task_id, verdict }: EventOf<"verification_finished">): boolean {
  return verdict === "PASS" && !lacksPromise(state, state.tasks.get(indexOf(state, task_id)));
}

function lacksPromise(state: RunState, record: TaskRecord): boolean {
  const { turns, attempts } = record;
  if (turns?.attempt !== attempts || missingPromise(turns.promise) === null) return false;
  const isPromise = ({ kind, id }: Objection) => kind === PROMISE.kind && id === PROMISE.id;
  return !allWaiversOf(state, record).some(({ objections }) => objections.some(isPromise));
}
