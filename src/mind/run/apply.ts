import type { EventOf, RunEvent } from "../../model/event.js";
import type { Waivable, RunGate } from "../../model/run.js";
import { evidenceToo, addProvenCriteria } from "./decide/criteria.js";
import { Chunked } from "./chunked.js";
import { taskOfEndedWait } from "./effects.js";
import { NOTHING } from "./amounts.js";
import { bookCoordination, sessionClaim, sessionKey } from "./decide/coordination.js";
import { attemptKey, reserve, settleAll, withBudget, type Ledger, release } from "./ledger.js";
import { layOut } from "./layout.js";
import { NOBODY_READY, ReadyQueue } from "./ready-queue.js";
import { alter, draftOf, indexOf, isOver, type RunState } from "./state.js";
import type { InboxEntry } from "./inbox-entry.js";
import type { OpenConflict, TaskState } from "./task-record.js";
import { completeTask, enqueue, inStage, moveRecord, newTask, openLevels, withRecord, withTask } from "./tasks.js";
import { applyAttemptEnd, applyAttemptProgress, applyAttemptStart, applyIterationEnd } from "./apply-attempt.js";
import {
  applyDecidedChange,
  applyEscalationAnswer,
  failGated,
  applyQuestionAnswer,
  applyWidenedScope,
} from "./apply-decision.js";
import { applyRaisedBudget } from "./decide/raise-budget.js";
import { applyFallback } from "./decide/fallback.js";
import { findHeldStage, applyResumedJudgement } from "./decide/waivers.js";
import { applyAlternative } from "./decide/alternative.js";
import { withEntry, withoutEntry } from "./inbox.js";
import { isProven } from "./decide/promise.js";
import { findOnlyUnproven, unprovenEscalation } from "./decide/unproven.js";

/**
 * The state after an event. The only function that changes a run.
 *
 * Contract: pure; the event has been accepted. It says what is so now, never what should follow: that is decided on the
 * state by `transition.ts`, and comes back as further events.
 */
export function apply(before: RunState, event: RunEvent, clock_ms: number): RunState {
  // Events of one commit share their time, and copying a state is much of what an event costs.
  return withStatus(applyEvent(clock_ms > before.clock_ms ? at(before, clock_ms) : before, event));
}

function at(state: RunState, clock_ms: number): RunState {
  const draft = draftOf(state);
  draft.clock_ms = clock_ms;
  return draft;
}

function applyEvent(state: RunState, event: RunEvent): RunState {
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
      return applyAttemptStart(state, event);
    case "fallback_taken":
      return applyFallback(state, event);
    case "alternative_chosen":
      return applyAlternative(state, event);
    case "attempt_progressed":
      return applyAttemptProgress(state, event);
    case "iteration_finished":
      return applyIterationEnd(state, event);
    case "attempt_finished":
      return applyAttemptEnd(withEvidence(state, event), event);
    case "verification_finished":
      return moveOn(
        applyVerification(state, event),
        event,
        isProven(state, event) ? "integrate" : null,
        event.liftable,
      );
    case "integration_finished":
      return moveOn(state, event, event.integrated ? "review" : null, event.liftable);
    case "judgement_resumed":
      return applyResumedJudgement(state, event);
    case "conflict_found":
      return inConflict(state, event, { round: event.round, onto: event.onto, resolution: null });
    case "conflict_resolved":
      return conflictResolved(state, event);
    case "route_reevaluated": {
      const { task_id, attempt, outcome, documents, record } = event;
      const found = { task_id, attempt, outcome, documents, ...(record === undefined ? {} : { record }) };
      return alter(state, { rerouted: [...state.rerouted, found] });
    }
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
        ...(event.options === undefined ? {} : { options: event.options }),
      });
    case "question_answered":
      return applyQuestionAnswer(state, event);
    case "scope_widened":
      return applyWidenedScope(state, event);
    case "scope_refused":
      return withoutEntry(state, event.request_id);
    case "escalation_raised":
      return withEntry(state, { kind: "escalation", id: event.escalation.escalation_id, escalation: event.escalation });
    case "escalation_answered":
      return applyEscalationAnswer(state, event);
    case "budget_raised":
      return applyRaisedBudget(state, event);
    case "change_proposed":
      return withEntry(state, {
        kind: "task_change",
        id: event.change_id,
        task_id: event.task_id,
        change: event.change,
        proposed_by: event.decider.by,
      });
    case "change_decided":
      return applyDecidedChange(state, event);
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
    case "approval_given":
    case "notification_sent":
    case "run_merged":
      return state;
    case "dispatch_paused":
      return alter(state, { paused: event.reason });
    case "wait_ended":
      return waitEnded(state, event);
    case "run_cancelled":
      return endRun(state, "failed", "cancelled");
    case "run_finished":
      return endRun(state, event.status, event.reason);
  }
}

function endRun(state: RunState, status: "completed" | "failed", reason: string): RunState {
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

function withEvidence(state: RunState, event: EventOf<"attempt_finished">): RunState {
  const criteria = evidenceToo(state, event);
  return criteria === state.criteria ? state : alter(state, { criteria });
}

function applyVerification(state: RunState, event: EventOf<"verification_finished">): RunState {
  const criteria = addProvenCriteria(state, event);
  return criteria === state.criteria ? state : alter(state, { criteria });
}

/** From one stage to the next, or to a person when it did not go well. */
function moveOn(
  state: RunState,
  { task_id, attempt }: { task_id: string; attempt: number },
  stage: "integrate" | "review" | null,
  liftable?: Waivable,
): RunState {
  const index = indexOf(state, task_id);
  if (stage !== null) return withRecord(state, index, moveRecord(state.tasks.get(index), inStage(stage)));
  const unproven = findOnlyUnproven(liftable);
  const on = unproven === null ? attemptKey(task_id, attempt) : unprovenEscalation(state, unproven).escalation_id;
  const held = liftable === undefined ? null : findHeldStage(state.tasks.get(index).state);
  const blocked: TaskState = held === null ? { status: "blocked", on } : { status: "blocked", on, held };
  return withTask(alter(state, { running: state.running - 1 }), index, { state: blocked });
}

/** With what was made of its conflict it waits for its turn again; else somebody has to resolve it first. */
function inConflict(state: RunState, { task_id }: { task_id: string }, conflict: OpenConflict): RunState {
  const stage = conflict.resolution === null ? "resolve" : "integrate";
  return withTask(state, indexOf(state, task_id), {
    state: { status: "in_progress", stage, until_ms: null, conflict },
  });
}

function conflictResolved(state: RunState, event: EventOf<"conflict_resolved">): RunState {
  const { state: task } = state.tasks.get(indexOf(state, event.task_id));
  if (task.status !== "in_progress" || task.stage !== "resolve") return state;
  return inConflict(state, event, { ...task.conflict, resolution: event.ref });
}

function requirementsJudged(
  state: RunState,
  { round, commit, tree, results, ref }: EventOf<"requirements_judged">,
): RunState {
  return alter(state, { requirements: { round, judged: { commit, tree, results, ref } } });
}

function coordinationReserved({ ledger }: RunState, { purpose, tokens, cost_usd }: EventOf<"coordination_reserved">) {
  const reserved = reserve(ledger, sessionClaim(purpose), { ...NOTHING, tokens, cost_usd });
  return reserved.ok ? reserved.ledger : ledger;
}

/** Releases the reservation of a session of coordination, and books its usage. */
function coordinationUsed(
  { ledger }: RunState,
  { purpose, tokens, cost_usd, source }: EventOf<"coordination_used">,
): Ledger {
  return bookCoordination(release(ledger, sessionKey(purpose)), { amounts: { ...NOTHING, tokens, cost_usd }, source });
}

function waitEnded(state: RunState, { effect_id }: EventOf<"wait_ended">): RunState {
  const task = taskOfEndedWait(effect_id);
  if (task === null) return state;
  const index = indexOf(state, task);
  const pending = withTask(state, index, { state: { status: "pending", waiting_on: 0 } });
  return alter(pending, { ready: enqueue(state, index), waiting: state.waiting - 1 });
}
