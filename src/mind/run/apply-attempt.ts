import type { EventOf } from "../../model/event.js";
import type { Amounts } from "../../model/run.js";
import { type Breaker, onFailure, onRelease, onStart, onSuccess, speaksOfAgent } from "./decide/breaker.js";
import { failureSignature } from "./decide/failure.js";
import { plus } from "./amounts.js";
import { attemptKey, bookedAmounts, overrun, progress, reservationOf, reserve, settle } from "./ledger.js";
import { retryAtMs, shouldRetry } from "./decide/retry.js";
import { alter, breakerOf, findFailedAlike, indexOf, type RunState, taskAt, taskLimit } from "./state.js";
import { isBudgetEntry, scopeRequestId } from "./inbox-entry.js";
import type { TaskRecord, TaskState } from "./task-record.js";
import { dequeue, inStage, makeReady, moveRecord, withRecord, withTask } from "./tasks.js";
import { withEntry } from "./inbox.js";

/* Applies the events of attempts to the state of a run. */

export function applyAttemptStart(state: RunState, event: EventOf<"attempt_started">): RunState {
  const index = indexOf(state, event.task_id);
  const key = attemptKey(event.task_id, event.attempt);
  const reserved = reserve(
    state.ledger,
    { task_id: event.task_id, attempt: event.attempt, phase: taskAt(state, index).phase },
    event.reserved,
  );
  const record = moveRecord(state.tasks.get(index), inStage("attempt"));
  record.agent = event.agent;
  record.model = event.model ?? null;
  record.attempts = event.attempt;
  const next = withRecord(state, index, record);
  next.ready = dequeue(state, index);
  // The budget carries something after all: whatever it did not carry is asked about again when nothing else is left.
  if (state.inbox.some(isBudgetEntry)) next.inbox = state.inbox.filter((entry) => !isBudgetEntry(entry));
  next.running++;
  if (reserved.ok) next.ledger = reserved.ledger;
  if (state.policy !== null) {
    const started = onStart(breakerOf(state, event.agent), state.clock_ms, state.policy.failure, key);
    next.breakers = withBreaker(state, event.agent, started);
  }
  return next;
}

/**
 * INVARIANT: budgets are hard in mid-run. The first report beyond what an attempt may use puts it into `stopping`; from
 * then on its only effect is to be stopped.
 */
export function applyAttemptProgress(
  before: RunState,
  { task_id, attempt, usage }: EventOf<"attempt_progressed">,
): RunState {
  const index = indexOf(before, task_id);
  const key = attemptKey(task_id, attempt);
  const state = alter(before, { ledger: progress(before.ledger, key, usage) });
  const task = state.tasks.get(index).state;
  const over = overrun(state.ledger, key, taskLimit(state, index));
  if (over === null || task.status !== "in_progress" || task.stage !== "attempt") return state;
  return withTask(state, index, { state: { status: "in_progress", stage: "stopping", until_ms: null, over } });
}

/** The usage of a turn is in the reports of its attempt already: here it is only kept how far the agent has come. */
export function applyIterationEnd(
  state: RunState,
  { type: _, task_id, attempt, ...last }: EventOf<"iteration_finished">,
): RunState {
  return withTask(state, indexOf(state, task_id), { turns: { attempt, last, promise: null } });
}

export function applyAttemptEnd(before: RunState, event: EventOf<"attempt_finished">): RunState {
  const index = indexOf(before, event.task_id);
  const key = attemptKey(event.task_id, event.attempt);
  const record = withPromise(before.tasks.get(index), event);
  const used = countUsed(before, record, key, event);
  const { outcome } = event;
  const ledger = settle(before.ledger, key, event.usage);
  const breakers = breakersAfter(before, record, key, outcome);
  if (outcome.kind === "completed") {
    const verified = moveRecord(record, inStage("verify"));
    verified.used = used;
    const next = withRecord(before, index, verified);
    next.ledger = ledger;
    next.breakers = breakers;
    return next;
  }
  const state = alter(before, { ledger, breakers, signatures: signaturesAfter(before, event) });
  const freed = alter(state, { running: state.running - 1 });
  const { policy } = state;
  if (policy !== null && shouldRetry(policy.failure, outcome, record.retries, state.clock_ms)) {
    const until_ms = retryAtMs(policy.failure, outcome, {
      retry: record.retries,
      now: state.clock_ms,
      seed: state.seed,
      key,
    });
    const waiting: TaskState = { status: "in_progress", stage: "waiting", until_ms };
    const retried = withTask(freed, index, { used, turns: record.turns, retries: record.retries + 1, state: waiting });
    return alter(retried, { waiting: freed.waiting + 1 });
  }
  const blocked = withTask(freed, index, { used, turns: record.turns, state: { status: "blocked", on: key } });
  // There is more for this child than it was given: a new instance gets it, and nobody is asked.
  if (outcome.kind === "clarification" && isDispatchedAgain(before, event)) return makeReady(blocked, index);
  if (outcome.kind !== "scope_request") return blocked;
  const { task_id, attempt } = event;
  const { request, message } = outcome;
  return withEntry(blocked, { kind: "scope_request", id: scopeRequestId(key), task_id, attempt, request, message });
}

/** The record with what the attempt says of its completion promise. */
function withPromise(record: TaskRecord, { attempt, promise }: EventOf<"attempt_finished">): TaskRecord {
  if (promise === undefined) return record;
  const last = record.turns?.attempt === attempt ? record.turns.last : null;
  return { ...record, turns: { attempt, last, promise } };
}

function isDispatchedAgain({ rerouted }: RunState, { task_id, attempt }: EventOf<"attempt_finished">): boolean {
  return rerouted.some((one) => one.outcome === "dispatched" && one.task_id === task_id && one.attempt === attempt);
}

/** The sum of what the ended attempts of a task used. An attempt without a reservation was settled before. */
function countUsed(
  { ledger }: RunState,
  { used }: TaskRecord,
  key: string,
  event: EventOf<"attempt_finished">,
): Amounts {
  const reservation = reservationOf(ledger, key);
  return reservation === undefined
    ? used
    : plus(used, bookedAmounts(reservation.amounts, event.usage, reservation.in_flight));
}

/** The breakers after the end of an attempt. */
function breakersAfter(
  state: RunState,
  { agent }: TaskRecord,
  key: string,
  outcome: EventOf<"attempt_finished">["outcome"],
): RunState["breakers"] {
  const breaker = breakerOf(state, agent);
  const says = speaksOfAgent(outcome);
  const next =
    says === "success"
      ? onSuccess(breaker, key)
      : says === "neither" || state.policy === null
        ? onRelease(breaker, key)
        : onFailure(breaker, state.clock_ms, state.policy.failure, key);
  return withBreaker(state, agent, next);
}

function withBreaker(state: RunState, agent: string, next: Breaker): RunState["breakers"] {
  const { breakers } = state;
  return Object.hasOwn(breakers, agent) && breakers[agent] === next ? breakers : { ...breakers, [agent]: next };
}

/** The signatures of failures that tasks have in common, with this one. */
function signaturesAfter(state: RunState, { outcome, task_id }: EventOf<"attempt_finished">): RunState["signatures"] {
  const signature = failureSignature(outcome);
  if (signature === null) return state.signatures;
  const known = findFailedAlike(state, signature);
  return known.includes(task_id) ? state.signatures : { ...state.signatures, [signature]: [...known, task_id] };
}
