import type { RunTask } from "../../model/run.js";
import { Chunked } from "./chunked.js";
import { NOTHING } from "./amounts.js";
import type { Layout } from "./layout.js";
import type { ReadyQueue } from "./ready-queue.js";
import { alter, type Draft, draftOf, type Levels, type RunState, taskAt } from "./state.js";
import type { TaskRecord, TaskState } from "./task-record.js";

/*
 * How tasks move within a run: their records, the queue of what is ready, and the levels. The events that move them are in
 * `apply.ts`.
 */

const NOTHING_WAIVED: TaskRecord["waivers"] = [];

export function newTask({ agent, model, dependencies, priority }: RunTask): TaskRecord {
  return {
    state: { status: "pending", waiting_on: dependencies.length },
    agent,
    model: model ?? null,
    priority,
    attempts: 0,
    retries: 0,
    used: NOTHING,
    granted: NOTHING,
    widened: null,
    goes_on: null,
    guidance: [],
    waivers: NOTHING_WAIVED,
    turns: null,
    alternative: null,
  };
}

export function openLevels({ level }: Layout): Levels {
  const open = Array.from({ length: level.reduce((most, at) => Math.max(most, at), -1) + 1 }, () => 0);
  for (const at of level) open[at] = (open[at] as number) + 1;
  return { open: Chunked.of(open), current: 0 };
}

const isOpen = ({ status }: TaskState) => status === "pending" || status === "in_progress";

/** The record of a task that moves on, every field by its name: see `alter`. */
export function moveRecord(
  record: TaskRecord,
  state: TaskState,
): { -readonly [Name in keyof TaskRecord]: TaskRecord[Name] } {
  const {
    agent,
    model,
    priority,
    attempts,
    retries,
    used,
    granted,
    widened,
    goes_on,
    guidance,
    waivers,
    turns,
    alternative,
  } = record;
  return {
    state,
    agent,
    model,
    priority,
    attempts,
    retries,
    used,
    granted,
    widened,
    goes_on,
    guidance,
    waivers,
    turns,
    alternative,
  };
}

function alterRecord(record: TaskRecord, change: Partial<TaskRecord>): TaskRecord {
  return Object.assign(moveRecord(record, record.state), change);
}

export function withTask(state: RunState, index: number, change: Partial<TaskRecord>): Draft {
  return withRecord(state, index, alterRecord(state.tasks.get(index), change));
}

/** Every change of a task goes through here, so that its level is counted. */
export function withRecord(state: RunState, index: number, after: TaskRecord): Draft {
  const before = state.tasks.get(index);
  const draft = draftOf(state);
  draft.tasks = state.tasks.with(index, after);
  if (state.levels === null) return draft;
  const change = Number(isOpen(after.state)) - Number(isOpen(before.state));
  if (change === 0) return draft;
  const level = state.layout?.level[index] ?? 0;
  const open = state.levels.open.with(level, state.levels.open.get(level) + change);
  // A task that a person lets go on may reopen a level that had ended.
  let current = Math.min(state.levels.current, level);
  while (current < open.length && open.get(current) === 0) current++;
  draft.levels = { open, current };
  return draft;
}

const STAGES = {
  attempt: { status: "in_progress", stage: "attempt", until_ms: null },
  verify: { status: "in_progress", stage: "verify", until_ms: null },
  integrate: { status: "in_progress", stage: "integrate", until_ms: null, conflict: null },
  review: { status: "in_progress", stage: "review", until_ms: null },
} as const;

export function inStage(stage: keyof typeof STAGES): TaskState {
  return STAGES[stage];
}

/** A blocked task gets a place in the queue again, with its retries counted anew: a person has ordered it. */
export function makeReady(state: RunState, index: number, change: Partial<TaskRecord> = {}): RunState {
  if (index < 0 || state.tasks.get(index).state.status !== "blocked") return state;
  const pending: TaskState = { status: "pending", waiting_on: 0 };
  return alter(withTask(state, index, { ...change, retries: 0, alternative: null, state: pending }), {
    ready: enqueue(state, index),
  });
}

export function completeTask(before: RunState, index: number): RunState {
  const state = withRecord(before, index, moveRecord(before.tasks.get(index), COMPLETED));
  releaseIn(state, index);
  state.running--;
  state.completed++;
  return state;
}

const COMPLETED: TaskState = { status: "completed" };

/** Tasks that build on this one have one thing less to wait for. */
export function release(state: RunState, index: number): RunState {
  const draft = draftOf(state);
  releaseIn(draft, index);
  return draft;
}

function releaseIn(state: Draft, index: number): void {
  let { tasks, ready } = state;
  for (const dependent of state.layout?.dependents[index] ?? []) {
    const record = tasks.get(dependent);
    if (record.state.status !== "pending") continue;
    const waiting_on = record.state.waiting_on - 1;
    // It was pending and still is, so its level need not be counted again.
    tasks = tasks.with(dependent, moveRecord(record, { status: "pending", waiting_on }));
    if (waiting_on === 0) ready = enqueue(state, dependent, ready);
  }
  state.tasks = tasks;
  state.ready = ready;
}

/** Whether a task has come to its end, whichever. */
export function hasEnded({ status }: TaskState): boolean {
  return status === "completed" || status === "failed" || status === "skipped" || status === "cancelled";
}

/** A task that will not be done, and everything that builds on it: each marked once, with the cause. */
export function failTask(before: RunState, index: number, reason: string): RunState {
  let state = before;
  const gone = new Set<number>();
  const queue = [{ index, reason }];
  const cause = `builds on ${taskAt(state, index).task_id}, which failed`;
  for (const { index: i, reason: why } of queue) {
    if (gone.has(i) || hasEnded(state.tasks.get(i).state)) continue;
    gone.add(i);
    state = withTask(state, i, { state: { status: "failed", reason: why } });
    for (const dependent of state.layout?.dependents[i] ?? []) queue.push({ index: dependent, reason: cause });
  }
  let { ready } = state;
  for (const i of gone) ready = dequeue(state, i, ready);
  return alter(state, { failed: state.failed + gone.size, ready });
}

/** The queue with a task in its place. */
export function enqueue({ ready, layout }: RunState, index: number, from = ready): ReadyQueue {
  return layout === null ? from : from.with(index, layout.place);
}

export function dequeue({ ready, layout }: RunState, index: number, from = ready): ReadyQueue {
  return layout === null ? from : from.without(index, layout.place);
}
