import type { RunEvent } from "../model/event.js";
import type { Amounts, RunGate } from "../model/run.js";
import { type Breaker, onFailure, onRelease, onStart, onSuccess, speaksOfAgent } from "./breaker.js";
import { changeTask } from "./changes.js";
import { Chunked } from "./chunked.js";
import { taskOfEffect } from "./effects.js";
import { failureSignature } from "./escalate.js";
import {
  attemptKey,
  bookCoordination,
  booked,
  NOTHING,
  overrun,
  plus,
  progress,
  raiseBudget,
  reservationOf,
  reserve,
  settle,
  settleAll,
  withBudget,
  type Ledger,
  release,
  sessionClaim,
  sessionKey,
} from "./ledger.js";
import { layOut } from "./layout.js";
import { NOBODY_READY, ReadyQueue } from "./ready-queue.js";
import { retryAtMs, shouldRetry } from "./retry.js";
import {
  added,
  alter,
  breakerOf,
  failedAlike,
  type InboxEntry,
  indexOf,
  isBudgetEntry,
  isOver,
  type RunState,
  type TaskRecord,
  taskAt,
  taskIdOf,
  taskLimit,
  type TaskState,
  scopeRequestId,
} from "./state.js";
import {
  completeTask,
  dequeue,
  enqueue,
  failTask,
  inStage,
  makeReady,
  newTask,
  openLevels,
  withTask,
} from "./tasks.js";

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/**
 * The state after an event. The only function that changes a run.
 *
 * Contract: pure; the event has been accepted. It says what is so now, never what should follow: that is decided on the
 * state by `transition.ts`, and comes back as further events.
 */
export function apply(before: RunState, event: RunEvent, clock_ms: number): RunState {
  // Events of one commit share their time, and copying a state is much of what an event costs.
  const state = clock_ms > before.clock_ms ? alter(before, { clock_ms }) : before;
  return withStatus(applied(state, event));
}

function applied(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "request_received":
      return alter(state, { request_id: event.request_id, seed: event.seed, policy: event.policy });
    case "intake_decided":
      return event.decision === "approved"
        ? alter(state, { status: "in_progress", phase: "planning" })
        : alter(state, { reason: event.reason });
    case "plan_frozen":
      return event.verified ? planFrozen(state, event) : alter(state, { plan_verified: false });
    case "plan_approved":
      return planApproved(state);
    case "review_approved":
      return alter(withoutEntry(state, event.gate_id), { approved_gates: [...state.approved_gates, event.gate_id] });
    case "review_rejected":
      return failGated(withoutEntry(state, event.gate_id), event);
    case "attempt_started":
      return attemptStarted(state, event);
    case "attempt_progressed":
      return attemptProgressed(state, event);
    case "attempt_finished":
      return attemptFinished(state, event);
    case "verification_finished":
      return moveOn(state, event, event.verdict === "PASS" ? "integrate" : null);
    case "integration_finished":
      return moveOn(state, event, event.integrated ? "review" : null);
    case "brief_kept":
      return alter(state, { brief: event.brief });
    case "requirements_judged":
      return requirementsJudged(state, event);
    case "review_finished":
      return event.accepted ? completeTask(state, indexOf(state, event.task_id)) : moveOn(state, event, null);
    case "question_asked":
      return withEntry(state, {
        kind: "question",
        id: event.question_id,
        task_id: event.task_id,
        question: event.question,
      });
    case "question_answered":
      return questionAnswered(state, event);
    case "scope_widened":
      return scopeWidened(state, event);
    case "scope_refused":
      return withoutEntry(state, event.request_id);
    case "escalation_raised":
      return withEntry(state, { kind: "escalation", id: event.escalation.escalation_id, escalation: event.escalation });
    case "escalation_answered":
      return escalationAnswered(state, event);
    case "change_proposed":
      return withEntry(state, {
        kind: "task_change",
        id: event.change_id,
        task_id: event.task_id,
        change: event.change,
        proposed_by: event.decider.by,
      });
    case "change_decided":
      return changeDecided(state, event);
    case "coordination_reserved":
      return alter(state, { ledger: coordinationReserved(state, event) });
    case "coordination_used":
      return alter(state, { ledger: coordinationUsed(state, event) });
    case "sandbox_graded":
      return alter(state, { sandbox: { grade: event.grade, reason: event.reason, by_order: event.by_order } });
    case "tool_judged":
    case "breaker_changed":
    case "gate_decided":
    case "message_sent":
    case "route_decided":
    case "plan_rejected":
      return state;
    case "dispatch_paused":
      return alter(state, { paused: event.reason });
    case "wait_ended":
      return waitEnded(state, event);
    case "run_cancelled":
      return ended(state, "failed", "cancelled");
    case "run_finished":
      return ended(state, event.status, event.reason);
  }
}

function ended(state: RunState, status: "completed" | "failed", reason: string): RunState {
  return alter(state, { status, phase: "closure", reason, inbox: [], ledger: settleAll(state.ledger) });
}

/** Blocked is a run that waits on a person and on nothing else. */
function withStatus(state: RunState): RunState {
  if (isOver(state) || state.status === "pending") return state;
  const moving = state.running > 0 || state.waiting > 0;
  const status = state.inbox.length > 0 && !moving ? "blocked" : "in_progress";
  return status === state.status ? state : alter(state, { status });
}

function planFrozen(state: RunState, { plan }: EventOf<"plan_frozen">): RunState {
  const approval: InboxEntry[] =
    state.policy?.plan_needs_approval === false ? [] : [{ kind: "plan_approval", id: `plan:${plan.plan_id}` }];
  const review = ({ gate_id, reviewers }: RunGate): InboxEntry => ({ kind: "review", id: gate_id, reviewers });
  const layout = layOut(plan);
  return alter(state, {
    layout,
    plan_verified: true,
    tasks: Chunked.of(plan.tasks.map(newTask)),
    ledger: withBudget(state.ledger, plan.budget, plan.phase_budgets),
    levels: state.policy?.schedule === "levels" ? openLevels(layout) : null,
    inbox: [...state.inbox, ...approval, ...plan.gates.map(review)],
  });
}

function planApproved(state: RunState): RunState {
  // People may have dropped some before they approved the rest.
  const first = [...state.tasks].flatMap(({ state: task }, i) =>
    task.status === "pending" && task.waiting_on === 0 ? [i] : [],
  );
  const ready = state.layout === null ? NOBODY_READY : ReadyQueue.of(first, state.layout.place);
  const inbox = state.inbox.filter(({ kind }) => kind !== "plan_approval");
  return alter(state, { plan_approved: true, phase: "execution", inbox, ready });
}

function attemptStarted(state: RunState, event: EventOf<"attempt_started">): RunState {
  const index = indexOf(state, event.task_id);
  const key = attemptKey(event.task_id, event.attempt);
  const reserved = reserve(
    state.ledger,
    { task_id: event.task_id, attempt: event.attempt, phase: taskAt(state, index).phase },
    event.reserved,
  );
  const breaker = breakerOf(state, event.agent);
  const running: TaskState = { status: "in_progress", stage: "attempt", until_ms: null };
  return alter(withTask(state, index, { agent: event.agent, attempts: event.attempt, state: running }), {
    ready: dequeue(state, index),
    // The budget carries something after all: whatever it did not carry is asked about again when nothing else is left.
    inbox: state.inbox.some(isBudgetEntry) ? state.inbox.filter((entry) => !isBudgetEntry(entry)) : state.inbox,
    running: state.running + 1,
    ledger: reserved.ok ? reserved.ledger : state.ledger,
    breakers:
      state.policy === null
        ? state.breakers
        : withBreaker(state, event.agent, onStart(breaker, state.clock_ms, state.policy.failure, key)),
  });
}

function withBreaker(state: RunState, agent: string, next: Breaker): RunState["breakers"] {
  const { breakers } = state;
  return Object.hasOwn(breakers, agent) && breakers[agent] === next ? breakers : { ...breakers, [agent]: next };
}

/**
 * INVARIANT: budgets are hard in mid-run. The first report beyond what an attempt may use puts it into `stopping`; from
 * then on its only effect is to be stopped.
 */
function attemptProgressed(before: RunState, { task_id, attempt, usage }: EventOf<"attempt_progressed">): RunState {
  const index = indexOf(before, task_id);
  const key = attemptKey(task_id, attempt);
  const state = alter(before, { ledger: progress(before.ledger, key, usage) });
  const task = state.tasks.get(index).state;
  const over = overrun(state.ledger, key, taskLimit(state, index));
  if (over === null || task.status !== "in_progress" || task.stage !== "attempt") return state;
  return withTask(state, index, { state: { status: "in_progress", stage: "stopping", until_ms: null, over } });
}

function attemptFinished(before: RunState, event: EventOf<"attempt_finished">): RunState {
  const index = indexOf(before, event.task_id);
  const key = attemptKey(event.task_id, event.attempt);
  const state = alter(before, { ledger: settle(before.ledger, key, event.usage), ...heard(before, index, key, event) });
  const record = before.tasks.get(index);
  const used = usedSoFar(before, record, key, event);
  const { outcome } = event;
  if (outcome.kind === "completed") return withTask(state, index, { used, state: inStage("verify") });
  const freed = alter(state, { running: state.running - 1 });
  const { policy } = state;
  if (policy !== null && shouldRetry(policy.failure, outcome, record.retries)) {
    const until_ms = retryAtMs(policy.failure, outcome, {
      retry: record.retries,
      now: state.clock_ms,
      seed: state.seed,
      key,
    });
    const waiting: TaskState = { status: "in_progress", stage: "waiting", until_ms };
    const retried = withTask(freed, index, { used, retries: record.retries + 1, state: waiting });
    return alter(retried, { waiting: freed.waiting + 1 });
  }
  const blocked = withTask(freed, index, { used, state: { status: "blocked", on: key } });
  if (outcome.kind !== "scope_request") return blocked;
  const { task_id, attempt } = event;
  const { request, message } = outcome;
  return withEntry(blocked, { kind: "scope_request", id: scopeRequestId(key), task_id, attempt, request, message });
}

/** What the ended attempts of a task have used together. An attempt without a reservation was settled before. */
function usedSoFar(
  { ledger }: RunState,
  { used }: TaskRecord,
  key: string,
  event: EventOf<"attempt_finished">,
): Amounts {
  const reservation = reservationOf(ledger, key);
  return reservation === undefined ? used : plus(used, booked(reservation.amounts, event.usage, reservation.in_flight));
}

/** What the end of an attempt says of its agent, and of what tasks have in common when they fail. */
function heard(
  state: RunState,
  index: number,
  key: string,
  { outcome, task_id }: EventOf<"attempt_finished">,
): Pick<RunState, "breakers" | "signatures"> {
  const { agent } = state.tasks.get(index);
  const breaker = breakerOf(state, agent);
  const says = speaksOfAgent(outcome);
  const next =
    says === "success"
      ? onSuccess(breaker, key)
      : says === "neither" || state.policy === null
        ? onRelease(breaker, key)
        : onFailure(breaker, state.clock_ms, state.policy.failure, key);
  const breakers = withBreaker(state, agent, next);
  const signature = failureSignature(outcome);
  const known = signature === null ? [] : failedAlike(state, signature);
  return {
    breakers,
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
  if (stage !== null) return withTask(state, index, { state: inStage(stage) });
  const on = attemptKey(task_id, attempt);
  return withTask(alter(state, { running: state.running - 1 }), index, { state: { status: "blocked", on } });
}

function requirementsJudged(
  state: RunState,
  { round, commit, tree, results, ref }: EventOf<"requirements_judged">,
): RunState {
  return alter(state, { requirements: { round, judged: { commit, tree, results, ref } } });
}

function questionAnswered(state: RunState, { question_id, answer }: EventOf<"question_answered">): RunState {
  const entry = state.inbox.find(({ id }) => id === question_id);
  const asked = entry?.kind === "question" ? entry.question : null;
  const index = taskOfEntry(state, question_id);
  return makeReady(withoutEntry(state, question_id), index, told(state, index, asked, answer));
}

/** INVARIANT: the widening stands in the task's record before any attempt goes by it, and that is a new attempt. */
function scopeWidened(state: RunState, { task_id, request_id, addition }: EventOf<"scope_widened">): RunState {
  const index = indexOf(state, task_id);
  const { widened } = state.tasks.get(index);
  return makeReady(withoutEntry(state, request_id), index, {
    widened: widened === null ? addition : added(widened, addition),
  });
}

function escalationAnswered(before: RunState, { escalation_id, order }: EventOf<"escalation_answered">): RunState {
  const index = taskOfEntry(before, escalation_id);
  const state = askedAgain(resumed(withoutEntry(before, escalation_id)), index);
  switch (order.action) {
    case "retry":
      return makeReady(state, index, {
        ...(order.agent === undefined ? {} : { agent: order.agent }),
        ...(order.note === undefined ? {} : told(state, index, null, order.note)),
      });
    case "raise_budget":
      return budgetRaised(state, index, order.add);
    case "resume":
      return makeReady(state, index);
    case "give_up":
      return index < 0 ? state : failTask(state, index, "given up by a person");
  }
}

function changeDecided(before: RunState, { change_id, approved }: EventOf<"change_decided">): RunState {
  const entry = before.inbox.find(({ id }) => id === change_id);
  const state = withoutEntry(before, change_id);
  if (!approved || entry?.kind !== "task_change") return state;
  return changeTask(state, indexOf(state, entry.task_id), entry.change);
}

/** All is done, and a person wants the requirements looked at once more: something around the work was mended. */
function askedAgain(state: RunState, index: number): RunState {
  const { round, judged } = state.requirements;
  return index >= 0 || judged === null ? state : alter(state, { requirements: { round: round + 1, judged: null } });
}

/** More for the run; and, when it is one task that ran out, for its phase and for the task's next attempts too. */
function budgetRaised(state: RunState, index: number, add: Amounts): RunState {
  if (index < 0) return alter(state, { ledger: raiseBudget(state.ledger, add) });
  const granted = plus(state.tasks.get(index).granted, add);
  const ledger = raiseBudget(state.ledger, add, taskAt(state, index).phase);
  return makeReady(withTask(alter(state, { ledger }), index, { granted }), index);
}

function told(state: RunState, index: number, asked: string | null, said: string): Partial<TaskRecord> {
  return index < 0 ? {} : { guidance: [...state.tasks.get(index).guidance, { asked, said }] };
}

function coordinationReserved({ ledger }: RunState, { purpose, tokens, cost_usd }: EventOf<"coordination_reserved">) {
  const reserved = reserve(ledger, sessionClaim(purpose), { ...NOTHING, tokens, cost_usd });
  return reserved.ok ? reserved.ledger : ledger;
}

/** What was set aside for it is released, and what it used is booked. */
function coordinationUsed(
  { ledger }: RunState,
  { purpose, tokens, cost_usd, source }: EventOf<"coordination_used">,
): Ledger {
  return bookCoordination(release(ledger, sessionKey(purpose)), { amounts: { ...NOTHING, tokens, cost_usd }, source });
}

function resumed(state: RunState): RunState {
  return alter(state, { paused: null, signatures: {} });
}

function waitEnded(state: RunState, { effect_id }: EventOf<"wait_ended">): RunState {
  const task = taskOfEffect(effect_id);
  if (task === null) return state;
  const index = indexOf(state, task);
  const pending = withTask(state, index, { state: { status: "pending", waiting_on: 0 } });
  return alter(pending, { ready: enqueue(state, index), waiting: state.waiting - 1 });
}

function failGated(state: RunState, { gate_id, reason }: EventOf<"review_rejected">): RunState {
  return (state.layout?.plan.tasks ?? []).reduce(
    (next, task, i) =>
      task.gates.includes(gate_id) ? failTask(next, i, `review ${gate_id} rejected: ${reason}`) : next,
    state,
  );
}

function withEntry(state: RunState, entry: InboxEntry): RunState {
  return alter(state, { inbox: [...state.inbox.filter(({ id }) => id !== entry.id), entry] });
}

function withoutEntry(state: RunState, id: string): RunState {
  return alter(state, { inbox: state.inbox.filter((entry) => entry.id !== id) });
}

function taskOfEntry(state: RunState, id: string): number {
  const entry = state.inbox.find((e) => e.id === id);
  const task = entry === undefined ? null : taskIdOf(entry);
  return task === null ? -1 : indexOf(state, task);
}
