import type { RunEvent } from "../model/event.js";
import { mayStart } from "./breaker.js";
import { escalationFor } from "./escalate.js";
import { affordable, type Claim, plus, reserve, type Reserved, tellExcess } from "./ledger.js";
import { breakerOf, isBudgetEntry, isOver, type RunState, taskAt, taskLimit } from "./state.js";

/**
 * The attempt to start next, as the event that says it has: recorded before any hand acts on it. Null when nothing may
 * start now.
 *
 * INVARIANT: nothing starts before the plan is verified and approved, beyond the places there are, past a gate nobody
 * approved, before its level's turn where levels are kept, against an open breaker, or without its budget set aside.
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
    const { agent, attempts, granted } = state.tasks.get(index);
    if (levelOf(state, index) > (state.levels?.current ?? Infinity)) continue;
    if (!gates.every((gate) => state.approved_gates.includes(gate))) continue;
    if (mayStart(breakerOf(state, agent), state.clock_ms, policy.failure).answer === "no") continue;
    const attempt = attempts + 1;
    const task = taskLimit(state, index);
    const claim: Claim = { task_id, attempt, phase, ...(task === undefined ? {} : { task }) };
    const asked = affordable(state.ledger, claim, estimate, plus(estimate, granted));
    yield {
      attempt: { type: "attempt_started", task_id, attempt, agent, reserved: asked },
      reserved: reserve(state.ledger, claim, asked),
    };
  }
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
  const [first] = candidates(state);
  if (first === undefined || first.reserved.ok) return [];
  const { refusals } = first.reserved;
  // What only the task or its phase is short of is that task's: more for it, or the end of it and of nothing else.
  const whole = refusals.some(({ level }) => level === "run");
  const escalation = escalationFor(
    { kind: "budget", message: refusals.map(tellExcess).join("; ") },
    {
      task_id: whole ? null : first.attempt.task_id,
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
