import type { RunEvent } from "../../model/event.js";
import { apply } from "./apply.js";
import { conclude } from "./conclude.js";
import { consequences } from "./consequences.js";
import { requirementsDue } from "./decide/requirements.js";
import { nextJudgement } from "./decide/waivers.js";
import { nextAttempt, outOfBudget } from "./dispatch.js";
import { askFor, breakerWaits, type Effect, effectIdOfTask, effectOfTask, requirementsEffect } from "./effects.js";
import { attemptKey } from "./ledger.js";
import { indexOf, isOver, NEW_RUN, type RunState } from "./state.js";
import { scopeRequestId } from "./inbox-entry.js";

export { refusal } from "./refusal.js";

/** The consequences of one event: the new state, what the hands are to do, and the events that follow from it by rule. */
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
