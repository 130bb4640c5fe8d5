import { gate } from "../gate/gate.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import type { EscalationTrigger } from "../../model/routing.js";
import type { AttemptOutcome, GateDecision, Waivable } from "../../model/run.js";
import { criteriaQuestions, decidedCriteria, describeCriterion } from "./decide/criteria.js";
import { apply } from "./apply.js";
import { notIntegrated, describeConflict, unresolvable } from "./decide/conflicts.js";
import { nextAttempt, outOfBudget } from "./dispatch.js";
import { alternativeFor, describeTried } from "./decide/alternative.js";
import { breakerWaits, type Effect, effectIdOfTask, askFor, effectOfTask, requirementsEffect } from "./effects.js";
import {
  type EscalationCause,
  escalationFor,
  type FailedOutcome,
  failureSignature,
  stoppingRun,
} from "./decide/escalate.js";
import { fallbackAfter } from "./decide/fallback.js";
import { remainingAmounts } from "./account.js";
import { attemptKey } from "./ledger.js";
import { nextJudgement } from "./decide/waivers.js";
import { closureGate, heldAtPlanning, openEscalations, planningGate } from "./decide/phase-gates.js";
import { tooLongWait } from "./decide/retry.js";
import { isProven } from "./decide/promise.js";
import { onlyUnproven, unprovenEscalation } from "./decide/unproven.js";
import { missedRequirements, requirementsDue, describeRequirement, unmetRequirements } from "./decide/requirements.js";
import {
  breakerOf,
  failedAlike,
  indexOf,
  isOver,
  waiversOf,
  NEW_RUN,
  type RunState,
  scopeRequestId,
  taskAt,
  taskIdOf,
} from "./state.js";

export { refusal } from "./refusal.js";

/** What one event leads to: the new state, what the hands are to do, and the events that follow from it by rule. */
interface Transition {
  readonly state: RunState;
  readonly effects: readonly Effect[];
  readonly next: readonly RunEvent[];
}

// One of each for all: most events lead to nothing but the next effect, and a list for each would be most of the garbage.
const NO_EFFECT: readonly Effect[] = [];
const NO_EVENT: readonly RunEvent[] = [];

/**
 * `(state, event) → state', effects`, and the decisions that follow at once.
 *
 * Contract: pure. `next` goes into the log right behind the event, in the same commit: a crash sees both or neither.
 */
export function transition(before: RunState, event: RunEvent, clock_ms: number): Transition {
  const state = apply(before, event, clock_ms);
  return {
    state,
    effects: isOver(state) ? NO_EFFECT : effectsFrom(before, state, event),
    next: isOver(state) ? NO_EVENT : consequences(before, state, event),
  };
}

export interface Step {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
}

/** Take an event and everything that follows from it, until nothing does: what is appended in one commit. */
export function step(before: RunState, event: RunEvent, clock_ms: number): Step {
  const first = transition(before, event, clock_ms);
  const follow = first.next.length === 0 ? nextEvents(first.state) : first.next;
  // The usual case: nothing follows, and a single event's effect cannot have been overtaken.
  if (follow.length === 0)
    return { state: first.state, events: [event], effects: withWaits(before, first.state, first.effects) };
  let { state } = first;
  const events = [event, ...follow];
  const effects = [...first.effects];
  for (let at = 1; at < events.length; at++) {
    const moved = transition(state, events[at] as RunEvent, clock_ms);
    state = moved.state;
    for (const effect of moved.effects) effects.push(effect);
    for (const next of moved.next) events.push(next);
    // Only when all that was decided is in place: what may start now, and whether this is the end.
    if (at === events.length - 1) for (const next of nextEvents(state)) events.push(next);
  }
  const due = effects.filter((effect) => isStillDue(state, effect));
  return { state, events, effects: withWaits(before, state, due) };
}

/** With what no single event asks for: the proof of the requirements, and the waits for open breakers. */
function withWaits(before: RunState, state: RunState, due: readonly Effect[]): readonly Effect[] {
  const proof = requirementsDue(before) ? NO_EFFECT : requirementsEffect(state);
  const waits = breakerWaits(state);
  return proof.length === 0 && waits.length === 0 ? due : [...due, ...proof, ...waits];
}

function nextEvents(state: RunState): readonly RunEvent[] {
  if (isOver(state)) return NO_EVENT;
  const next = nextJudgement(state) ?? nextAttempt(state);
  if (next !== null) return [next];
  const end = conclude(state);
  return end.length > 0 ? end : outOfBudget(state);
}

/** An effect whose task has moved on within the same step is not wanted any more. */
function isStillDue(state: RunState, effect: Effect): boolean {
  if (isOver(state)) return false;
  // Nobody is asked what a rule has answered in the same step.
  if (effect.kind === "ask") return state.inbox.some(({ id }) => id === effect.entry);
  if (effect.task_id === null) return true;
  return effectIdOfTask(state, indexOf(state, effect.task_id)) === effect.id;
}

/** Fold a log. The state a run is in is this and nothing else. */
export function fold(
  events: Iterable<{ readonly event: RunEvent; readonly clock_ms: number }>,
  from: RunState = NEW_RUN,
): RunState {
  let state = from;
  for (const { event, clock_ms } of events) state = apply(state, event, clock_ms);
  return state;
}

function effectsFrom(before: RunState, state: RunState, event: RunEvent): readonly Effect[] {
  switch (event.type) {
    case "attempt_started":
    case "judgement_resumed":
    case "attempt_progressed":
    case "attempt_finished":
    case "verification_finished":
    case "integration_finished":
    case "conflict_found":
    case "conflict_resolved": {
      const index = indexOf(state, event.task_id);
      const effect = effectOfTask(state, index);
      if (effect !== null) return isUnderWay(before, state, index) ? NO_EFFECT : [effect];
      const entry = scopeRequestId(attemptKey(event.task_id, event.attempt));
      return state.inbox.some(({ id }) => id === entry) ? [askFor(entry)] : NO_EFFECT;
    }
    case "change_proposed":
      return [askFor(event.change_id)];
    case "question_asked":
      return [askFor(event.question_id)];
    case "escalation_raised":
      return [askFor(event.escalation.escalation_id)];
    case "plan_frozen":
      return state.inbox.map(({ id }) => askFor(id));
    default:
      return NO_EFFECT;
  }
}

/** Whether what the task waits for now is what it waited for before. */
function isUnderWay(before: RunState, state: RunState, index: number): boolean {
  const was = before.tasks.get(index);
  const is = state.tasks.get(index);
  return (
    was.state.status === "in_progress" &&
    is.state.status === "in_progress" &&
    was.state.stage === is.state.stage &&
    was.attempts === is.attempts
  );
}

/** What follows from an event by rule: the failure policy, the breaker, the end of a run. */
function consequences(before: RunState, state: RunState, event: RunEvent): readonly RunEvent[] {
  switch (event.type) {
    case "intake_decided":
      return event.decision === "rejected"
        ? [{ type: "run_finished", status: "failed", reason: `rejected: ${event.reason}` }]
        : [];
    case "plan_frozen":
      if (!event.verified) return [{ type: "run_finished", status: "failed", reason: "the plan does not verify" }];
      return state.policy?.plan_needs_approval === false
        ? [{ type: "plan_approved", decider: { by: "policy", how: "rule" } }]
        : [];
    case "plan_approved":
      return planningGate(state);
    case "plan_rejected":
      return [{ type: "run_finished", status: "failed", reason: `plan rejected: ${event.reason}` }];
    case "attempt_started":
      return breakerNews(before, state, event);
    case "attempt_finished": {
      const news = breakerNews(before, state, event);
      if (event.outcome.kind === "completed") return news;
      return [...news, ...afterAttempt(state, event.task_id, event.attempt, event.outcome)];
    }
    case "verification_finished":
      return isProven(before, event)
        ? NO_EVENT
        : heldEvents(state, event, {
            kind: "outcome",
            outcome: { kind: "quality", message: `verdict ${event.verdict}: ${event.evidence}` },
          });
    case "integration_finished":
      return event.integrated
        ? NO_EVENT
        : heldEvents(state, event, { kind: "unknown", message: `could not be integrated: ${event.ref}` });
    case "conflict_found": {
      const why = unresolvable(state.policy, event);
      return why === null ? [] : [notIntegrated(event, describeConflict(event, why))];
    }
    case "review_finished":
      return event.accepted
        ? NO_EVENT
        : [raise(state, event, { kind: "outcome", outcome: { kind: "quality", message: event.summary } })];
    case "requirements_judged":
      return unmetEvents(state);
    case "scope_refused": {
      const { attempts: attempt } = state.tasks.get(indexOf(state, event.task_id));
      const message = `a wider scope was refused: ${event.reason}`;
      return [
        raise(
          state,
          { task_id: event.task_id, attempt },
          { kind: "outcome", outcome: { kind: "semantic", violation: "scope", message } },
        ),
      ];
    }
    case "escalation_answered":
      // Giving up what concerns the whole run, and not one task of it, ends the run.
      return event.order.action === "give_up" && !concernsTask(before, event.escalation_id)
        ? [{ type: "run_finished", status: "failed", reason: "ended by a person" }]
        : [];
    case "gate_decided":
      return afterGate(state, event.gate);
    default:
      return NO_EVENT;
  }
}

/** GO leads to the next phase, and out of the last one to the end. NO_GO ends a run that is over and holds one that is not. */
function afterGate(state: RunState, decision: GateDecision): RunEvent[] {
  const { phase, reason } = decision;
  const isGo = decision.decision === "GO";
  if (phase === "planning") return isGo ? [] : heldAtPlanning(state, decision);
  const closure = phase === "execution" && isGo ? closureGate(state) : [];
  return closure.length > 0 ? closure : [{ type: "run_finished", status: isGo ? "completed" : "failed", reason }];
}

/** A spec violation of the whole: nobody tries again by themselves, a person decides. */
function unmetEvents(state: RunState): RunEvent[] {
  const failed = unmetRequirements(state);
  if (failed.length === 0) return [];
  const message = `${failed.length} of ${state.brief?.spec?.requirements.length ?? 0} requirements: ${failed.map(describeRequirement).join("; ")}`;
  const escalation = escalationFor(
    { kind: "outcome", outcome: { kind: "semantic", violation: "spec", message } },
    stoppingRun(state.requirements.round, {
      input: state.brief?.spec?.id ?? "",
      injected_context: injectedContext(state),
      output: state.requirements.judged?.ref ?? "",
    }),
  );
  return [{ type: "escalation_raised", escalation }];
}

function injectedContext({ brief }: RunState): string[] {
  return (brief?.documents ?? []).map(({ ref }) => ref);
}

function concernsTask({ inbox }: RunState, escalationId: string): boolean {
  const entry = inbox.find(({ id }) => id === escalationId);
  return entry !== undefined && taskIdOf(entry) !== null;
}

/** The failure policy, once an attempt has ended for good. */
function afterAttempt(
  state: RunState,
  task_id: string,
  attempt: number,
  outcome: Exclude<AttemptOutcome, { kind: "completed" }>,
): RunEvent[] {
  const blocked = state.tasks.get(indexOf(state, task_id)).state.status === "blocked";
  if (outcome.kind === "safety")
    return [
      raise(state, { task_id, attempt }, { kind: "outcome", outcome }),
      { type: "run_finished", status: "failed", reason: `stopped for safety: ${outcome.message}` },
    ];
  const fallback = fallbackAfter(state, { task_id, attempt }, outcome);
  if (fallback !== null) return [fallback];
  const alternative = blocked ? alternativeFor(state, task_id, attempt, outcome) : null;
  const found: RunEvent[] = [];
  const unlisted = blocked ? unlistedTrigger(state, outcome) : null;
  if (unlisted !== null) found.push(...endedByPolicy(state, { task_id, attempt }, outcome, unlisted));
  else if (blocked && outcome.kind === "clarification")
    found.push({
      type: "question_asked",
      question_id: `q_${attemptKey(task_id, attempt)}`,
      task_id,
      question: outcome.question,
    });
  else if (alternative !== null) found.push(alternative);
  else if (blocked && outcome.kind !== "scope_request")
    found.push(
      raise(
        state,
        { task_id, attempt },
        {
          kind: "outcome",
          outcome:
            outcome.kind === "cancelled"
              ? { kind: "quality", message: "the attempt was cancelled" }
              : withTried(state, task_id, withLongWait(state, outcome)),
        },
      ),
    );
  return [...found, ...repeatedFailure(state, outcome)];
}

/** The trigger of a failure that the failure policy does not list: nobody is asked about it. Null for any other. */
function unlistedTrigger({ policy }: RunState, { kind }: AttemptOutcome): EscalationTrigger | null {
  const trigger = kind === "structural" ? "retries_exhausted" : kind === "clarification" ? "insufficient_input" : null;
  const listed = policy?.failure.escalation_triggers;
  return trigger === null || listed === undefined || listed.includes(trigger) ? null : trigger;
}

/** The case is in the log like every other, and so is that the policy decided it. */
function endedByPolicy(
  state: RunState,
  at: { task_id: string; attempt: number },
  outcome: FailedOutcome | Extract<AttemptOutcome, { kind: "cancelled" | "scope_request" }>,
  trigger: EscalationTrigger,
): RunEvent[] {
  if (outcome.kind === "cancelled" || outcome.kind === "scope_request") return [];
  const raised = raise(state, at, { kind: "outcome", outcome });
  return [
    raised,
    {
      type: "escalation_answered",
      escalation_id: raised.escalation.escalation_id,
      order: { action: "give_up" },
      decider: { by: `routing policy: ${trigger} is not escalated`, how: "rule" },
    },
  ];
}

/** Anyone who is asked has to know what was tried already. */
function withTried(state: RunState, task_id: string, outcome: FailedOutcome): FailedOutcome {
  if (outcome.kind !== "structural") return outcome;
  const index = indexOf(state, task_id);
  return { ...outcome, message: `${outcome.message}${describeTried(state.tasks.get(index), taskAt(state, index))}` };
}

/** A limit that is not waited for says when it would end: anyone who decides has to know. */
function withLongWait({ policy, clock_ms }: RunState, outcome: FailedOutcome): FailedOutcome {
  const wait = policy === null ? null : tooLongWait(policy.failure, outcome, clock_ms);
  return wait === null || outcome.kind !== "structural"
    ? outcome
    : { ...outcome, message: `${outcome.message} (${wait})` };
}

/** The same failure on several tasks: something they share is broken, so starting more of them only costs. */
function repeatedFailure(state: RunState, outcome: AttemptOutcome): RunEvent[] {
  const signature = failureSignature(outcome);
  const tasks = signature === null ? [] : failedAlike(state, signature);
  if (
    signature === null ||
    state.paused !== null ||
    tasks.length < (state.policy?.failure.same_signature_tasks ?? Infinity)
  )
    return [];
  const escalation = escalationFor({ kind: "repeated", signature, tasks }, stoppingRun(state.clock_ms));
  return [
    { type: "dispatch_paused", reason: `the same failure on ${tasks.length} tasks` },
    { type: "escalation_raised", escalation },
  ];
}

/** A result that is held: by checks that prove nothing, which is asked once for all results, or by something of its own. */
function heldEvents(
  state: RunState,
  event: EventOf<"verification_finished" | "integration_finished">,
  cause: EscalationCause,
): RunEvent[] {
  const unproven = onlyUnproven(event.liftable);
  if (unproven === null) return [raise(state, event, refusedCause(event.liftable) ?? cause, event.liftable)];
  const escalation = unprovenEscalation(state, unproven);
  const isAsked = state.inbox.some(({ id }) => id === escalation.escalation_id);
  return isAsked ? [] : [{ type: "escalation_raised", escalation }];
}

/** Nothing holds it but what its agent was refused, or says of it. */
function refusedCause(liftable: Waivable | undefined): EscalationCause | null {
  const { tests = [], guardrails = [], objections = [] } = liftable ?? {};
  if (objections.length === 0 || tests.length + guardrails.length > 0) return null;
  const isOfAttempt = objections.every(({ kind }) => kind === "refused" || kind === "unfinished");
  return isOfAttempt ? { kind: "refused", objections } : null;
}

function raise(
  state: RunState,
  { task_id, attempt }: { task_id: string; attempt: number },
  cause: EscalationCause | { kind: "outcome"; outcome: FailedOutcome },
  liftable?: Waivable,
): EventOf<"escalation_raised"> {
  const escalation = escalationFor(cause, {
    // What is held again after a waiver is another escalation.
    round: waiversOf(state.tasks.get(indexOf(state, task_id))).length,
    task_id,
    attempt,
    input: task_id,
    injected_context: injectedContext(state),
    output: attemptKey(task_id, attempt),
  });
  return {
    type: "escalation_raised",
    escalation: liftable === undefined ? escalation : { ...escalation, liftable },
  };
}

function breakerNews(
  before: RunState,
  state: RunState,
  event: EventOf<"attempt_started" | "attempt_finished">,
): readonly RunEvent[] {
  if (before.breakers === state.breakers) return NO_EVENT;
  const { agent } = state.tasks.get(indexOf(state, event.task_id));
  const was = breakerOf(before, agent).state;
  const is = breakerOf(state, agent).state;
  return was === is ? NO_EVENT : [{ type: "breaker_changed", agent, to: is }];
}

/** When every task has come to its end, the gate decides how the run does. */
function conclude(state: RunState): readonly RunEvent[] {
  const { layout, plan_approved, completed, failed, dropped, policy } = state;
  if (layout === null || !plan_approved || policy === null || completed + failed + dropped < state.tasks.length)
    return NO_EVENT;
  if (failed > 0)
    return [
      { type: "run_finished", status: "failed", reason: `${failed} of ${state.tasks.length} tasks were not done` },
    ];
  // What stopped the whole run is still a person's to answer, though nothing is left that it holds up.
  if (dropped > 0 && state.inbox.some((entry) => entry.kind === "escalation" && taskIdOf(entry) === null)) return [];
  // A gate over nothing has nothing to go by.
  if (completed === 0 && dropped > 0)
    return [{ type: "run_finished", status: "failed", reason: "every task was skipped or deleted" }];
  if (requirementsDue(state) || unmetRequirements(state).length > 0) return [];
  const criteria = decidedCriteria(state);
  if (criteria.some(({ how }) => how === "open")) return criteriaQuestions(state);
  // Requirements that do not hold keep the run from coming here.
  const required = (state.brief?.spec?.requirements ?? []).filter(({ priority }) => priority === "must_have");
  const done = layout.plan.tasks.filter((_, i) => state.tasks.get(i).state.status === "completed");
  const wanted = [...done.map((task) => task.task_id), ...required.map(({ id }) => id)];
  const decision = gate(
    "execution",
    {
      required_deliverables: [...wanted, ...criteria.map(describeCriterion)],
      deliverables: [
        ...wanted.map((name) => ({ name, complete: true })),
        ...criteria.map((each) => ({ name: describeCriterion(each), complete: each.how !== "failed" })),
      ],
      quality: {
        checks: null,
        coverage: null,
        verdicts: { pass: completed, fail: failed, blocked: 0 },
        findings: null,
      },
      risks: missedRequirements(state).map((missed) => ({ risk: describeRequirement(missed), severity: "low" })),
      blockers: openEscalations(state),
      tokens_remaining: remainingAmounts(state.ledger.run)?.tokens ?? null,
    },
    // Nothing comes after the last task, so nothing need be left for it.
    { ...policy.gate, min_tokens_for_next_phase: 0 },
  );
  return [{ type: "gate_decided", gate: decision }];
}
