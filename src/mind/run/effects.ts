import type { AmountName } from "../../model/amount-names.js";
import type { Amounts } from "../../model/run.js";
import type { Scope } from "../../model/scope.js";
import { mayStart } from "./decide/breaker.js";
import { attemptKey, reservationOf } from "./ledger.js";
import { requirementsDue } from "./decide/requirements.js";
import { breakerOf, isOver, allWaiversOf, type RunState, scopeOf, taskAt } from "./state.js";
import {
  type Alternative,
  type Guidance,
  type Waiver,
  waiversOf,
  type OpenConflict,
  type TaskRecord,
  type TaskState,
} from "./task-record.js";

/*
 * Effects: what is to be done, as data with stable ids. Running one twice under the same id is running it once, and its outcome
 * comes back as an event. They follow from the state alone, so that every process that folds the log knows them too. Each
 * carries the task it belongs to; null for one that belongs to the run.
 */
export type Effect =
  | {
      readonly kind: "start_attempt";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      readonly agent: string;
      /** The model it is told to use; null: the one of its own settings. */
      readonly model: string | null;
      readonly reserved: Amounts;
      /** Its scope, with all that people have added; null when the plan gives it no scope. */
      readonly scope: Scope | null;
      /** The attempt whose work and session it goes on with; null when it begins anew. */
      readonly goes_on: number | null;
      /** Guidance of people about the task, for the agent. */
      readonly guidance: readonly Guidance[];
      /** The attempt is another approach than the plan's; null for the plan's own. */
      readonly alternative: Alternative | null;
    }
  /** The attempt is over what it may use: kill it, keep its work, and report its end as `resource`. */
  | {
      readonly kind: "stop_attempt";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      readonly what: AmountName;
      readonly message: string;
    }
  | {
      readonly kind: "verify";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      /** The waivers of this result. */
      readonly lifted: readonly Waiver[];
    }
  | { readonly kind: "review_level"; readonly id: string; readonly task_id: string; readonly attempt: number }
  /** Bring it onto the branch as it is; with a conflict, what was made of that. */
  | {
      readonly kind: "integrate";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      readonly conflict: OpenConflict | null;
      readonly lifted: readonly Waiver[];
    }
  /** Have its conflict resolved against the commit it was found on, while others are integrated. */
  | {
      readonly kind: "resolve_conflict";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      readonly conflict: OpenConflict;
    }
  /** All tasks are done: look whether the requirements hold on what they made together. */
  | { readonly kind: "prove_requirements"; readonly id: string; readonly task_id: null; readonly round: number }
  | { readonly kind: "wait_until"; readonly id: string; readonly task_id: string | null; readonly until_ms: number }
  | { readonly kind: "ask"; readonly id: string; readonly task_id: null; readonly entry: string };

const PREFIX_OF_STAGE = {
  attempt: "attempt",
  stopping: "stop",
  verify: "verify",
  integrate: "integrate",
  resolve: "resolve",
  review: "review",
  waiting: "wait",
} as const;

/** An effect that is done again for the same attempt, in another round of its conflict or after a waiver, is another effect. */
function idOf(task: Extract<TaskState, { status: "in_progress" }>, key: string, record: TaskRecord): string {
  const id = `${PREFIX_OF_STAGE[task.stage]}:${key}`;
  const round =
    (task.stage === "integrate" || task.stage === "resolve") && task.conflict !== null ? `/${task.conflict.round}` : "";
  const waivers = task.stage === "verify" || task.stage === "integrate" ? waiversOf(record).length : 0;
  return waivers === 0 ? `${id}${round}` : `${id}${round}~${waivers}`;
}

/** The effects of one task: at most one at a time. */
export function effectOfTask(state: RunState, index: number): Effect | null {
  if (index < 0) return null;
  const record = state.tasks.get(index);
  if (record.state.status !== "in_progress") return null;
  const { task_id } = taskAt(state, index);
  const attempt = record.attempts;
  const key = attemptKey(task_id, attempt);
  const id = idOf(record.state, key, record);
  if (record.state.stage === "stopping") {
    const what = record.state.over;
    return { kind: "stop_attempt", id, task_id, attempt, what, message: describeOverrun(state, key, what) };
  }
  if (record.state.stage === "integrate")
    return {
      kind: "integrate",
      id,
      task_id,
      attempt,
      conflict: record.state.conflict,
      lifted: allWaiversOf(state, record),
    };
  if (record.state.stage === "resolve")
    return { kind: "resolve_conflict", id, task_id, attempt, conflict: record.state.conflict };
  const { stage, until_ms } = record.state;
  if (stage === "waiting") return { kind: "wait_until", id, task_id, until_ms: until_ms ?? state.clock_ms };
  if (stage === "attempt") {
    const reserved = reservationOf(state.ledger, key)?.set_aside ?? taskAt(state, index).estimate;
    const { agent, model, guidance, goes_on, alternative } = record;
    const scope = scopeOf(state, index);
    const start = { kind: "start_attempt", id, task_id, attempt, agent, model } as const;
    return { ...start, reserved, scope, goes_on, guidance, alternative };
  }
  if (stage === "review") return { kind: "review_level", id, task_id, attempt };
  return { kind: "verify", id, task_id, attempt, lifted: allWaiversOf(state, record) };
}

/** The id of what `effectOfTask` gives, to compare with. */
export function effectIdOfTask(state: RunState, index: number): string | null {
  if (index < 0) return null;
  const record = state.tasks.get(index);
  if (record.state.status !== "in_progress") return null;
  return idOf(record.state, attemptKey(taskAt(state, index).task_id, record.attempts), record);
}

function describeOverrun({ ledger }: RunState, key: string, what: AmountName): string {
  const { in_flight, set_aside } = reservationOf(ledger, key) ?? { in_flight: null, set_aside: null };
  return `${in_flight?.[what] ?? "?"} ${what} in flight, ${set_aside?.[what] ?? "?"} set aside`;
}

/** Every effect that must be under way now: what a process does again, or adopts, after it folded the log. */
export function effectsOf(state: RunState): Effect[] {
  if (isOver(state)) return [];
  const found: Effect[] = [];
  for (let i = 0; i < state.tasks.length; i++) {
    const effect = effectOfTask(state, i);
    if (effect !== null) found.push(effect);
  }
  for (const { id } of state.inbox) found.push(askFor(id));
  return [...found, ...requirementsEffect(state), ...breakerWaits(state)];
}

export function askFor(entry: string): Effect {
  return { kind: "ask", id: `ask:${entry}`, task_id: null, entry };
}

const NONE: readonly Effect[] = [];

export function requirementsEffect(state: RunState): readonly Effect[] {
  const { round } = state.requirements;
  return requirementsDue(state)
    ? [{ kind: "prove_requirements", id: `requirements:${round}`, task_id: null, round }]
    : NONE;
}

/**
 * A breaker that is open is looked at again when its time has passed, if somebody waits for its agent. Once it has
 * passed there is nothing to wait for: whatever keeps the probe from starting then, its end is an event.
 */
export function breakerWaits(state: RunState): readonly Effect[] {
  const { breakers, policy, clock_ms } = state;
  if (policy === null) return NONE;
  let found: Effect[] | null = null;
  for (const agent in breakers) {
    const may = mayStart(breakerOf(state, agent), clock_ms, policy.failure);
    if (may.answer !== "no" || may.retry_at_ms === null || !isWaitedFor(state, agent)) continue;
    found ??= [];
    const id = `breaker:${agent}@${may.retry_at_ms}`;
    found.push({ kind: "wait_until", id, task_id: null, until_ms: may.retry_at_ms });
  }
  return found ?? NONE;
}

function isWaitedFor({ ready, tasks }: RunState, agent: string): boolean {
  for (const index of ready) if (tasks.get(index).agent === agent) return true;
  return false;
}

const NO_TASK = new Set(["breaker", "ask", "requirements"]);

/** The task that waited, by the id in a `wait_ended` event: logs hold the id alone. Null for a wait of the run. */
export function taskOfEndedWait(id: string): string | null {
  const [, kind, rest] = /^([a-z]+):(.*)$/s.exec(id) ?? [];
  if (kind === undefined || rest === undefined || NO_TASK.has(kind)) return null;
  return rest.slice(0, rest.lastIndexOf("#"));
}
