import type { RunTask } from "../model/run.js";
import { Chunked } from "./chunked.js";
import { NOTHING } from "./ledger.js";
import { type Layout, type Levels, type RunState, type TaskRecord, taskAt, type TaskState } from "./state.js";

/*
 * How tasks move within a run: their records, the queue of what is ready, and the levels. What moves them is in
 * `apply.ts`.
 */

export function newTask({ agent, dependencies }: RunTask): TaskRecord {
  return {
    state: { status: "pending", waiting_on: dependencies.length },
    agent,
    attempts: 0,
    retries: 0,
    used: NOTHING,
    granted: NOTHING,
    widened: null,
    guidance: [],
  };
}

export function openLevels({ level }: Layout): Levels {
  const open = Array.from({ length: level.reduce((most, at) => Math.max(most, at), -1) + 1 }, () => 0);
  for (const at of level) open[at] = (open[at] as number) + 1;
  return { open: Chunked.of(open), current: 0 };
}

const isOpen = ({ status }: TaskState) => status === "pending" || status === "in_progress";

/** Every change of a task goes through here, so that its level is counted. */
export function withTask(state: RunState, index: number, change: Partial<TaskRecord>): RunState {
  const before = state.tasks.get(index);
  const after = { ...before, ...change };
  const tasks = state.tasks.with(index, after);
  const moved = Number(isOpen(after.state)) - Number(isOpen(before.state));
  if (state.levels === null || moved === 0) return { ...state, tasks };
  const level = state.layout?.level[index] ?? 0;
  const open = state.levels.open.with(level, state.levels.open.get(level) + moved);
  // A task that a person lets go on may reopen a level that had ended.
  let current = Math.min(state.levels.current, level);
  while (current < open.length && open.get(current) === 0) current++;
  return { ...state, tasks, levels: { open, current } };
}

export function inStage(state: RunState, index: number, stage: "verify" | "integrate" | "review"): RunState {
  return withTask(state, index, { state: { status: "in_progress", stage, until_ms: null } });
}

export function blockTask(state: RunState, index: number, on: string): RunState {
  return withTask(state, index, { state: { status: "blocked", on } });
}

/** A blocked task gets a place in the queue again, with its retries counted anew: a person has ordered it. */
export function makeReady(state: RunState, index: number, change: Partial<TaskRecord> = {}): RunState {
  if (index < 0 || state.tasks.get(index).state.status !== "blocked") return state;
  return enqueue(withTask(state, index, { ...change, retries: 0, state: { status: "pending", waiting_on: 0 } }), [
    index,
  ]);
}

export function completeTask(before: RunState, index: number): RunState {
  let state = withTask(before, index, { state: { status: "completed" } });
  const freed: number[] = [];
  for (const dependent of state.layout?.dependents[index] ?? []) {
    const record = state.tasks.get(dependent);
    if (record.state.status !== "pending") continue;
    const waiting_on = record.state.waiting_on - 1;
    state = withTask(state, dependent, { state: { status: "pending", waiting_on } });
    if (waiting_on === 0) freed.push(dependent);
  }
  return { ...enqueue(state, freed), running: state.running - 1, completed: state.completed + 1 };
}

/** A task that will not be done, and everything that builds on it: each marked once, with the cause. */
export function failTask(before: RunState, index: number, reason: string): RunState {
  let state = before;
  const gone = new Set<number>();
  const queue = [{ index, reason }];
  const cause = `builds on ${taskAt(state, index).task_id}, which failed`;
  for (const { index: i, reason: why } of queue) {
    const { status } = state.tasks.get(i).state;
    if (gone.has(i) || status === "completed" || status === "failed") continue;
    gone.add(i);
    state = withTask(state, i, { state: { status: "failed", reason: why } });
    for (const dependent of state.layout?.dependents[i] ?? []) queue.push({ index: dependent, reason: cause });
  }
  return { ...state, failed: state.failed + gone.size, ready: state.ready.filter((i) => !gone.has(i)) };
}

/** Priority first, then the longest way still to go, then the plan's own order. */
export function comesFirst({ layout }: RunState): (a: number, b: number) => number {
  const tasks = layout?.plan.tasks ?? [];
  const rank = layout?.rank ?? new Float64Array();
  const priority = (i: number) => Number(tasks[i]?.priority.slice(1) ?? 3);
  return (a, b) => priority(a) - priority(b) || (rank[b] as number) - (rank[a] as number) || a - b;
}

/** The queue with these in their places. The queue is in order already, so each is put in by halving. */
export function enqueue(state: RunState, indices: readonly number[]): RunState {
  const order = comesFirst(state);
  const ready = [...state.ready];
  for (const index of indices) {
    let low = 0;
    let high = ready.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(ready[middle] as number, index) <= 0) low = middle + 1;
      else high = middle;
    }
    ready.splice(low, 0, index);
  }
  return { ...state, ready };
}
