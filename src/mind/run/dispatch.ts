import type { EventOf, RunEvent } from "../../model/event.js";
import type { RunPolicy } from "../../model/run.js";
import { mayStart } from "./decide/breaker.js";
import { escalationFor, stoppingRun } from "./decide/escalate.js";
import { type Excess, describeExcess } from "./account.js";
import { NOTHING, plus } from "./amounts.js";
import { grantUpTo, type Claim, refusalsOf } from "./ledger.js";
import { breakerOf, isOver, type RunState, taskAt, taskLimit } from "./state.js";
import { isBudgetEntry } from "./inbox-entry.js";

/**
 * The attempt to start next, as the event that says it has: recorded before any hand acts on it. Null when nothing may
 * start now.
 *
 * INVARIANT: nothing starts before the plan is verified and approved, beyond the places there are, past a gate nobody
 * approved, before its level's turn where levels are kept, against an open breaker, or without its budget set aside.
 */
export function nextAttempt(state: RunState): RunEvent | null {
  if (state.ready.length === 0 || state.policy === null || !mayDispatch(state)) return null;
  if (state.running >= state.policy.max_concurrent_tasks) return null;
  for (const index of state.ready) {
    const candidate = candidateOf(state, state.policy, index);
    if (candidate !== null && candidate.refusals.length === 0) return candidate.attempt;
  }
  return null;
}

interface Candidate {
  readonly attempt: EventOf<"attempt_started">;
  /** The budgets that do not carry it. */
  readonly refusals: readonly Excess[];
}

/** A ready task as its next attempt, if it is past its gates and may be sent to its agent. */
function candidateOf(state: RunState, policy: RunPolicy, index: number): Candidate | null {
  const { task_id, phase, gates, estimate } = taskAt(state, index);
  const { agent, model, attempts, granted } = state.tasks.get(index);
  if (state.levels !== null && levelOf(state, index) > state.levels.current) return null;
  if (!gates.every((gate) => state.approved_gates.includes(gate))) return null;
  if (mayStart(breakerOf(state, agent), state.clock_ms, policy.failure).answer === "no") return null;
  const attempt = attempts + 1;
  const task = taskLimit(state, index);
  const claim: Claim = task === undefined ? { task_id, attempt, phase } : { task_id, attempt, phase, task };
  const wish = granted === NOTHING ? estimate : plus(estimate, granted);
  const reserved = grantUpTo(state.ledger, claim, estimate, wish);
  return {
    attempt: { agent, attempt, ...(model === null ? {} : { model }), reserved, task_id, type: "attempt_started" },
    refusals: refusalsOf(state.ledger, claim, reserved),
  };
}

function levelOf({ layout }: RunState, index: number): number {
  return layout?.level[index] ?? 0;
}

function mayDispatch(state: RunState): boolean {
  return state.plan_verified && state.plan_approved && state.paused === null && !isOver(state);
}

/**
 * When nothing runs and what is ready does not fit the budget, only a person can go on: work is not dropped and the
 * budget is not stretched.
 */
export function outOfBudget(state: RunState): RunEvent[] {
  if (state.running > 0 || state.waiting > 0 || state.inbox.some(isBudgetEntry)) return [];
  const first = firstCandidate(state);
  if (first === null || first.refusals.length === 0) return [];
  const { refusals } = first;
  // A shortage of the task or its phase alone concerns that task: more for it, or the end of it and of nothing else.
  const whole = refusals.some(({ level }) => level === "run");
  const escalation = escalationFor(
    { kind: "budget", message: refusals.map(describeExcess).join("; ") },
    stoppingRun(state.clock_ms, { task_id: whole ? null : first.attempt.task_id, input: first.attempt.task_id }),
  );
  return [
    { type: "escalation_raised", escalation },
    { type: "dispatch_paused", reason: "budget" },
  ];
}

function firstCandidate(state: RunState): Candidate | null {
  if (state.policy === null || !mayDispatch(state)) return null;
  for (const index of state.ready) {
    const candidate = candidateOf(state, state.policy, index);
    if (candidate !== null) return candidate;
  }
  return null;
}
