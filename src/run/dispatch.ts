import type { RunEvent } from "../model/event.js";
import { mayStart } from "./breaker.js";
import { escalationFor } from "./escalate.js";
import { reserve, type Reserved, tellExcess } from "./ledger.js";
import { breakerOf, isOver, type RunState, taskAt } from "./state.js";

/**
 * The attempt to start next, as the event that says it has: recorded before any hand acts on it. Null when nothing may
 * start now.
 *
 * INVARIANT: nothing starts before the plan is verified and approved, beyond the places there are, past a gate nobody
 * approved, against an open breaker, or without its budget set aside.
 */
export function nextAttempt(state: RunState): RunEvent | null {
  if (state.policy === null || state.running >= state.policy.max_concurrent_tasks) return null;
  for (const { attempt, reserved } of candidates(state)) if (reserved.ok) return attempt;
  return null;
}

interface Candidate {
  readonly attempt: Extract<RunEvent, { type: "attempt_started" }>;
  readonly reserved: Reserved;
}

/** What is ready, past its gates and may be sent to its agent, best first; and whether the budget carries it. */
function* candidates(state: RunState): Generator<Candidate> {
  const { policy } = state;
  if (policy === null || !mayDispatch(state)) return;
  for (const index of state.ready) {
    const { task_id, phase, gates, estimate } = taskAt(state, index);
    const { agent, attempts } = state.tasks.get(index);
    if (!gates.every((gate) => state.approved_gates.includes(gate))) continue;
    if (mayStart(breakerOf(state, agent), state.clock_ms, policy.failure).answer === "no") continue;
    const attempt = attempts + 1;
    yield {
      attempt: { type: "attempt_started", task_id, attempt, agent, reserved: estimate },
      reserved: reserve(state.ledger, { task_id, attempt, phase }, estimate),
    };
  }
}

function mayDispatch(state: RunState): boolean {
  return state.plan_verified && state.plan_approved && state.paused === null && !isOver(state);
}

/**
 * When nothing runs and what is ready does not fit the budget, only a person can go on: work is not dropped and the
 * budget is not stretched.
 */
export function outOfBudget(state: RunState): RunEvent[] {
  if (state.running > 0 || state.waiting > 0) return [];
  const [first] = candidates(state);
  if (first === undefined || first.reserved.ok) return [];
  const escalation = escalationFor(
    { kind: "budget", message: first.reserved.refusals.map(tellExcess).join("; ") },
    {
      task_id: null,
      attempt: null,
      input: first.attempt.task_id,
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
