import type { RunEvent } from "../model/event.js";
import { mayStart } from "./breaker.js";
import { escalationFor } from "./escalate.js";
import { reserve, tellExcess } from "./ledger.js";
import { breakerOf, isOver, type RunState, taskAt } from "./state.js";

/**
 * The attempt to start next, as the event that says it has: recorded before any hand acts on it. Null when nothing may
 * start now.
 *
 * INVARIANT: nothing starts before the plan is verified and approved, beyond the places there are, past a gate nobody
 * approved, against an open breaker, or without its budget set aside.
 */
export function nextAttempt(state: RunState): RunEvent | null {
  const { policy } = state;
  if (policy === null || !mayDispatch(state) || state.running >= policy.max_concurrent_tasks) return null;
  for (const index of state.ready) {
    const task = taskAt(state, index);
    const { agent, attempts } = state.tasks.get(index);
    if (!task.gates.every((gate) => state.approved_gates.includes(gate))) continue;
    if (mayStart(breakerOf(state, agent), state.clock_ms, policy.failure).answer === "no") continue;
    const attempt = attempts + 1;
    if (!reserve(state.ledger, { task_id: task.task_id, attempt, phase: task.phase }, task.estimate).ok) continue;
    return { type: "attempt_started", task_id: task.task_id, attempt, agent, reserved: task.estimate };
  }
  return null;
}

function mayDispatch(state: RunState): boolean {
  return state.plan_verified && state.plan_approved && state.paused === null && !isOver(state);
}

/**
 * When nothing runs and what is ready does not fit the budget, only a person can go on: work is not dropped and the
 * budget is not stretched.
 */
export function outOfBudget(state: RunState): RunEvent[] {
  if (!mayDispatch(state) || state.running > 0 || state.waiting > 0 || state.policy === null) return [];
  for (const index of state.ready) {
    const task = taskAt(state, index);
    const { agent, attempts } = state.tasks.get(index);
    if (!task.gates.every((gate) => state.approved_gates.includes(gate))) continue;
    if (mayStart(breakerOf(state, agent), state.clock_ms, state.policy.failure).answer === "no") continue;
    const attempt = attempts + 1;
    const reserved = reserve(state.ledger, { task_id: task.task_id, attempt, phase: task.phase }, task.estimate);
    if (reserved.ok) return [];
    const message = reserved.refusals.map(tellExcess).join("; ");
    const escalation = escalationFor(
      { kind: "budget", message },
      {
        task_id: null,
        attempt: null,
        input: task.task_id,
        injected_context: [],
        output: "",
        stops_run: true,
        round: state.clock_ms,
      },
    );
    return [
      { type: "escalation_raised", escalation },
      { type: "dispatch_paused", reason: "budget" },
    ];
  }
  return [];
}
