import type { RunEvent } from "../model/event.js";
import type { RunGate } from "../model/run.js";
import { onFailure, onRelease, onStart, onSuccess, speaksOfAgent } from "./breaker.js";
import { Chunked } from "./chunked.js";
import { taskOfEffect } from "./effects.js";
import { failureSignature } from "./escalate.js";
import { attemptKey, openLedger, raiseBudget, reserve, settle } from "./ledger.js";
import { retryAtMs, shouldRetry } from "./retry.js";
import {
  breakerOf,
  failedAlike,
  type InboxEntry,
  indexOf,
  isOver,
  layOut,
  type RunState,
  type TaskRecord,
  taskAt,
  type TaskState,
} from "./state.js";

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/**
 * The state after an event. The only function that changes a run.
 *
 * Contract: pure; the event has been accepted. It says what is so now, never what should follow: that is decided on the
 * state by `transition.ts`, and comes back as further events.
 */
export function apply(before: RunState, event: RunEvent, clock_ms: number): RunState {
  const state = { ...before, clock_ms: Math.max(clock_ms, before.clock_ms) };
  return withStatus(applied(state, event));
}

function applied(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "request_received":
      return { ...state, request_id: event.request_id, seed: event.seed, policy: event.policy };
    case "intake_decided":
      return event.decision === "approved"
        ? { ...state, status: "in_progress", phase: "planning" }
        : { ...state, reason: event.reason };
    case "plan_frozen":
      return event.verified ? planFrozen(state, event) : { ...state, plan_verified: false };
    case "plan_approved":
      return planApproved(state);
    case "review_approved":
      return { ...withoutEntry(state, event.gate_id), approved_gates: [...state.approved_gates, event.gate_id] };
    case "review_rejected":
      return failGated(withoutEntry(state, event.gate_id), event);
    case "attempt_started":
      return attemptStarted(state, event);
    case "attempt_finished":
      return attemptFinished(state, event);
    case "verification_finished":
      return moveOn(state, event, event.verdict === "PASS" ? "integrate" : null);
    case "integration_finished":
      return moveOn(state, event, event.integrated ? "review" : null);
    case "review_finished":
      return event.accepted ? completeTask(state, event) : moveOn(state, event, null);
    case "question_asked":
      return withEntry(state, {
        kind: "question",
        id: event.question_id,
        task_id: event.task_id,
        question: event.question,
      });
    case "question_answered":
      return makeReady(withoutEntry(state, event.question_id), taskOfEntry(state, event.question_id), {});
    case "escalation_raised":
      return withEntry(state, { kind: "escalation", id: event.escalation.escalation_id, escalation: event.escalation });
    case "escalation_answered":
      return escalationAnswered(state, event);
    case "breaker_changed":
    case "gate_decided":
    case "message_sent":
    case "route_decided":
    case "plan_rejected":
      return state;
    case "dispatch_paused":
      return { ...state, paused: event.reason };
    case "wait_ended":
      return waitEnded(state, event);
    case "run_cancelled":
      return { ...state, status: "failed", phase: "closure", reason: "cancelled", inbox: [] };
    case "run_finished":
      return { ...state, status: event.status, phase: "closure", reason: event.reason, inbox: [] };
  }
}

/** Blocked is a run that waits on a person and on nothing else. */
function withStatus(state: RunState): RunState {
  if (isOver(state) || state.status === "pending") return state;
  const moving = state.running > 0 || state.waiting > 0;
  const status = state.inbox.length > 0 && !moving ? "blocked" : "in_progress";
  return status === state.status ? state : { ...state, status };
}

function planFrozen(state: RunState, { plan }: EventOf<"plan_frozen">): RunState {
  const tasks = plan.tasks.map((task): TaskRecord => ({
    state: { status: "pending", waiting_on: task.dependencies.length },
    agent: task.agent,
    attempts: 0,
    retries: 0,
  }));
  const approval: InboxEntry[] =
    state.policy?.plan_needs_approval === false ? [] : [{ kind: "plan_approval", id: `plan:${plan.plan_id}` }];
  const review = ({ gate_id, reviewers }: RunGate): InboxEntry => ({ kind: "review", id: gate_id, reviewers });
  return {
    ...state,
    layout: layOut(plan),
    plan_verified: true,
    tasks: Chunked.of(tasks),
    ledger: openLedger(plan.budget),
    inbox: [...state.inbox, ...approval, ...plan.gates.map(review)],
  };
}

function planApproved(state: RunState): RunState {
  const ready = (state.layout?.plan.tasks ?? []).flatMap((task, i) => (task.dependencies.length === 0 ? [i] : []));
  const inbox = state.inbox.filter(({ kind }) => kind !== "plan_approval");
  return { ...state, plan_approved: true, phase: "execution", inbox, ready: ready.sort(comesFirst(state)) };
}

function attemptStarted(state: RunState, event: EventOf<"attempt_started">): RunState {
  const index = indexOf(state, event.task_id);
  const record = state.tasks.get(index);
  const key = attemptKey(event.task_id, event.attempt);
  const reserved = reserve(
    state.ledger,
    { task_id: event.task_id, attempt: event.attempt, phase: taskAt(state, index).phase },
    event.reserved,
  );
  const breaker = breakerOf(state, event.agent);
  return {
    ...state,
    tasks: state.tasks.with(index, {
      ...record,
      agent: event.agent,
      attempts: event.attempt,
      state: { status: "in_progress", stage: "attempt", until_ms: null },
    }),
    ready: state.ready.filter((i) => i !== index),
    running: state.running + 1,
    ledger: reserved.ok ? reserved.ledger : state.ledger,
    breakers:
      state.policy === null
        ? state.breakers
        : { ...state.breakers, [event.agent]: onStart(breaker, state.clock_ms, state.policy.failure, key) },
  };
}

function attemptFinished(before: RunState, event: EventOf<"attempt_finished">): RunState {
  const index = indexOf(before, event.task_id);
  const key = attemptKey(event.task_id, event.attempt);
  const state = breakerHears({ ...before, ledger: settle(before.ledger, key, event.usage) }, index, key, event);
  const record = state.tasks.get(index);
  const { outcome } = event;
  if (outcome.kind === "completed") return inStage(state, index, "verify");
  const freed = { ...state, running: state.running - 1 };
  const { policy } = state;
  if (policy !== null && shouldRetry(policy.failure, outcome, record.retries)) {
    const until_ms = retryAtMs(policy.failure, outcome, {
      retry: record.retries,
      now: state.clock_ms,
      seed: state.seed,
      key,
    });
    const waiting: TaskState = { status: "in_progress", stage: "waiting", until_ms };
    const tasks = freed.tasks.with(index, { ...record, retries: record.retries + 1, state: waiting });
    return { ...freed, tasks, waiting: freed.waiting + 1 };
  }
  return blockTask(freed, index, key);
}

/** What the end of an attempt says of its agent, and of what tasks have in common when they fail. */
function breakerHears(
  state: RunState,
  index: number,
  key: string,
  { outcome, task_id }: EventOf<"attempt_finished">,
): RunState {
  const { agent } = state.tasks.get(index);
  const breaker = breakerOf(state, agent);
  const says = speaksOfAgent(outcome);
  const next =
    says === "success"
      ? onSuccess(breaker, key)
      : says === "neither" || state.policy === null
        ? onRelease(breaker, key)
        : onFailure(breaker, state.clock_ms, state.policy.failure, key);
  const signature = failureSignature(outcome);
  const known = signature === null ? [] : failedAlike(state, signature);
  return {
    ...state,
    breakers:
      next === breaker && Object.hasOwn(state.breakers, agent) ? state.breakers : { ...state.breakers, [agent]: next },
    signatures:
      signature === null || known.includes(task_id)
        ? state.signatures
        : { ...state.signatures, [signature]: [...known, task_id] },
  };
}

/** From one stage to the next, or to a person when it did not go well. */
function moveOn(
  state: RunState,
  { task_id, attempt }: { task_id: string; attempt: number },
  stage: "integrate" | "review" | null,
): RunState {
  const index = indexOf(state, task_id);
  if (stage !== null) return inStage(state, index, stage);
  return blockTask({ ...state, running: state.running - 1 }, index, attemptKey(task_id, attempt));
}

function completeTask(state: RunState, { task_id }: { task_id: string }): RunState {
  const index = indexOf(state, task_id);
  let tasks = state.tasks.with(index, { ...state.tasks.get(index), state: { status: "completed" } });
  const freed: number[] = [];
  for (const dependent of state.layout?.dependents[index] ?? []) {
    const record = tasks.get(dependent);
    if (record.state.status !== "pending") continue;
    const waiting_on = record.state.waiting_on - 1;
    tasks = tasks.with(dependent, { ...record, state: { status: "pending", waiting_on } });
    if (waiting_on === 0) freed.push(dependent);
  }
  return { ...state, tasks, ready: queued(state, freed), running: state.running - 1, completed: state.completed + 1 };
}

function escalationAnswered(before: RunState, { escalation_id, order }: EventOf<"escalation_answered">): RunState {
  const index = taskOfEntry(before, escalation_id);
  const state = withoutEntry(before, escalation_id);
  switch (order.action) {
    case "retry":
      return makeReady(resumed(state), index, order.agent === undefined ? {} : { agent: order.agent });
    case "raise_budget":
      return makeReady(resumed({ ...state, ledger: raiseBudget(state.ledger, order.add) }), index, {});
    case "resume":
      return makeReady(resumed(state), index, {});
    case "give_up":
      return index < 0 ? resumed(state) : failTask(resumed(state), index, "given up by a person");
  }
}

function resumed(state: RunState): RunState {
  return { ...state, paused: null, signatures: {} };
}

function waitEnded(state: RunState, { effect_id }: EventOf<"wait_ended">): RunState {
  const task = taskOfEffect(effect_id);
  if (task === null) return state;
  const index = indexOf(state, task);
  const record = state.tasks.get(index);
  const tasks = state.tasks.with(index, { ...record, state: { status: "pending", waiting_on: 0 } });
  return { ...state, tasks, waiting: state.waiting - 1, ready: queued(state, [index]) };
}

/** A blocked task gets a place in the queue again, with its retries counted anew: a person has ordered it. */
function makeReady(state: RunState, index: number, change: { agent?: string }): RunState {
  if (index < 0 || state.tasks.get(index).state.status !== "blocked") return state;
  const record: TaskRecord = {
    ...state.tasks.get(index),
    ...change,
    retries: 0,
    state: { status: "pending", waiting_on: 0 },
  };
  return { ...state, tasks: state.tasks.with(index, record), ready: queued(state, [index]) };
}

function blockTask(state: RunState, index: number, on: string): RunState {
  return { ...state, tasks: state.tasks.with(index, { ...state.tasks.get(index), state: { status: "blocked", on } }) };
}

/** A task that will not be done, and everything that builds on it: each marked once, with the cause. */
function failTask(state: RunState, index: number, reason: string): RunState {
  let { tasks, failed } = state;
  const gone = new Set<number>();
  const queue = [{ index, reason }];
  for (const { index: i, reason: why } of queue) {
    const { status } = tasks.get(i).state;
    if (gone.has(i) || status === "completed" || status === "failed") continue;
    gone.add(i);
    failed++;
    tasks = tasks.with(i, { ...tasks.get(i), state: { status: "failed", reason: why } });
    const cause = `builds on ${taskAt(state, index).task_id}, which failed`;
    for (const dependent of state.layout?.dependents[i] ?? []) queue.push({ index: dependent, reason: cause });
  }
  return { ...state, tasks, failed, ready: state.ready.filter((i) => !gone.has(i)) };
}

function failGated(state: RunState, { gate_id, reason }: EventOf<"review_rejected">): RunState {
  return (state.layout?.plan.tasks ?? []).reduce(
    (next, task, i) =>
      task.gates.includes(gate_id) ? failTask(next, i, `review ${gate_id} rejected: ${reason}`) : next,
    state,
  );
}

function inStage(state: RunState, index: number, stage: "verify" | "integrate" | "review"): RunState {
  const record = state.tasks.get(index);
  return {
    ...state,
    tasks: state.tasks.with(index, { ...record, state: { status: "in_progress", stage, until_ms: null } }),
  };
}

function withEntry(state: RunState, entry: InboxEntry): RunState {
  return { ...state, inbox: [...state.inbox.filter(({ id }) => id !== entry.id), entry] };
}

function withoutEntry(state: RunState, id: string): RunState {
  return { ...state, inbox: state.inbox.filter((entry) => entry.id !== id) };
}

function taskOfEntry(state: RunState, id: string): number {
  const entry = state.inbox.find((e) => e.id === id);
  const task =
    entry?.kind === "question" ? entry.task_id : entry?.kind === "escalation" ? entry.escalation.task_id : null;
  return task === null || task === undefined ? -1 : indexOf(state, task);
}

/** Priority first, then the longest way still to go, then the plan's own order. */
function comesFirst({ layout }: RunState): (a: number, b: number) => number {
  const tasks = layout?.plan.tasks ?? [];
  const rank = layout?.rank ?? new Float64Array();
  const priority = (i: number) => Number(tasks[i]?.priority.slice(1) ?? 3);
  return (a, b) => priority(a) - priority(b) || (rank[b] as number) - (rank[a] as number) || a - b;
}

/** The queue with these in their places. The queue is in order already, so each is put in by halving. */
function queued(state: RunState, indices: readonly number[]): readonly number[] {
  const order = comesFirst(state);
  const ready = [...state.ready];
  for (const index of indices) {
    let low = 0;
    let high = ready.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(ready[middle] as number, index) <= 0) low = middle + 1;
      else high = middle;
    }
    ready.splice(low, 0, index);
  }
  return ready;
}
