import type { ModelUse } from "../../../model/plan/decision.js";
import type { EventOf } from "../../../model/event.js";
import type { AttemptOutcome } from "../../../model/run.js";
import { alter, indexOf, type RunState, taskAt } from "../state.js";
import type { TaskState } from "../task-record.js";
import { enqueue, withTask } from "../tasks.js";

/*
 * Who takes over when an agent or its model is unavailable or limited: the next of those the plan names, and nobody else.
 * Waiting for a limit to end is for those who have no fallback left.
 */

/** The next to try after those that were tried; null when the chain ends. Contract: pure. */
export function selectFallback(fallbacks: readonly ModelUse[], tried: readonly ModelUse[]): ModelUse | null {
  return fallbacks.find((use) => !tried.some((one) => isSame(one, use))) ?? null;
}

function isSame(a: ModelUse, b: ModelUse): boolean {
  return a.agent === b.agent && a.model === b.model;
}

/**
 * The fallback that follows from how an attempt ended, as the event that says so; null when there is none to take. A task
 * that a person gave to somebody else has none: the plan's were meant for the agent it named.
 */
export function fallbackAfter(
  state: RunState,
  { task_id, attempt }: { readonly task_id: string; readonly attempt: number },
  outcome: AttemptOutcome,
): EventOf<"fallback_taken"> | null {
  const index = indexOf(state, task_id);
  const { agent: planned, model, fallbacks = [] } = taskAt(state, index);
  const record = state.tasks.get(index);
  if (outcome.kind !== "structural" || !isHindered(outcome.error, record.state)) return null;
  const chain: ModelUse[] = [{ agent: planned, model: model ?? null }, ...fallbacks];
  const from: ModelUse = { agent: record.agent, model: record.model };
  const at = chain.findIndex((use) => isSame(use, from));
  const to = at < 0 ? null : selectFallback(fallbacks, chain.slice(0, at + 1));
  if (to === null) return null;
  return { type: "fallback_taken", task_id, attempt, from, to, reason: `${outcome.error}: ${outcome.message}` };
}

/** A limit or a missing model is passed by at once; a connection is given its retries first. */
function isHindered(error: Extract<AttemptOutcome, { kind: "structural" }>["error"], task: TaskState): boolean {
  if (error === "rate_limit" || error === "usage_limit" || error === "model_unavailable") return true;
  return error === "lost_connection" && task.status === "blocked";
}

/** The task is ready for its next attempt, with somebody else. */
export function applyFallback(state: RunState, { task_id, to }: EventOf<"fallback_taken">): RunState {
  const index = indexOf(state, task_id);
  const record = state.tasks.get(index);
  const waited = record.state.status === "in_progress" && record.state.stage === "waiting" ? 1 : 0;
  const pending = withTask(state, index, {
    agent: to.agent ?? record.agent,
    model: to.model,
    retries: 0,
    // A session of one agent is nothing to another.
    goes_on: null,
    state: { status: "pending", waiting_on: 0 },
  });
  return alter(pending, { ready: enqueue(state, index), waiting: state.waiting - waited });
}
