import type { Escalation, PlanRef, RunPhase, RunPolicy, RunStatus, RunTask } from "../model/run.js";
import { type Breaker, CLOSED_BREAKER } from "./breaker.js";
import { Chunked } from "./chunked.js";
import { type Ledger, NOTHING, openLedger } from "./ledger.js";

/*
 * What a run is at one moment: the fold of its log up to there. Nothing else is kept anywhere; a process that dies and
 * folds the log again knows exactly this.
 */

/** Where a task in progress is on its way to being done. */
type Stage = "attempt" | "verify" | "integrate" | "review" | "waiting";

export type TaskState =
  | { readonly status: "pending"; readonly waiting_on: number }
  | { readonly status: "in_progress"; readonly stage: Stage; readonly until_ms: number | null }
  | { readonly status: "blocked"; readonly on: string }
  | { readonly status: "completed" }
  | { readonly status: "failed"; readonly reason: string };

/** A task, and what its attempts came to so far. */
export interface TaskRecord {
  readonly state: TaskState;
  readonly agent: string;
  /** Attempts started, all told; the number of the last one. */
  readonly attempts: number;
  /** Retries after structural failures since a person last ordered an attempt. */
  readonly retries: number;
}

/** What only a person can move: an open question, approval or escalation. */
export type InboxEntry =
  | { readonly kind: "plan_approval"; readonly id: string }
  | { readonly kind: "review"; readonly id: string; readonly reviewers: readonly string[] }
  | { readonly kind: "question"; readonly id: string; readonly task_id: string | null; readonly question: string }
  | { readonly kind: "escalation"; readonly id: string; readonly escalation: Escalation };

/** The plan as dispatch needs it. Made once, when the plan is frozen; never changed. */
export interface Layout {
  readonly plan: PlanRef;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependents: readonly (readonly number[])[];
  /** Minutes of work from here to the end along the longest way: what to start first. */
  readonly rank: Float64Array;
}

export interface RunState {
  readonly status: RunStatus;
  readonly phase: RunPhase;
  readonly reason: string;
  readonly request_id: string;
  readonly seed: number;
  readonly policy: RunPolicy | null;
  readonly layout: Layout | null;
  readonly plan_verified: boolean;
  readonly plan_approved: boolean;
  readonly tasks: Chunked<TaskRecord>;
  /** Tasks whose dependencies are all done and that wait for a place, best first. */
  readonly ready: readonly number[];
  /** Tasks that hold a place: from the start of an attempt to the end of its review, a wait for a retry aside. */
  readonly running: number;
  /** Tasks that wait for the time of their next attempt. They hold no place. */
  readonly waiting: number;
  readonly completed: number;
  readonly failed: number;
  readonly ledger: Ledger;
  readonly breakers: Readonly<Record<string, Breaker>>;
  readonly approved_gates: readonly string[];
  readonly inbox: readonly InboxEntry[];
  /** Why nothing new is started; null when it is. */
  readonly paused: string | null;
  /** Tasks by the signature of how they failed. */
  readonly signatures: Readonly<Record<string, readonly string[]>>;
  readonly clock_ms: number;
}

export const NEW_RUN: RunState = {
  status: "pending",
  phase: "initiation",
  reason: "",
  request_id: "",
  seed: 0,
  policy: null,
  layout: null,
  plan_verified: false,
  plan_approved: false,
  tasks: Chunked.of([]),
  ready: [],
  running: 0,
  waiting: 0,
  completed: 0,
  failed: 0,
  ledger: openLedger(NOTHING),
  breakers: {},
  approved_gates: [],
  inbox: [],
  paused: null,
  signatures: {},
  clock_ms: 0,
};

export function isOver({ status }: RunState): boolean {
  return status === "completed" || status === "failed";
}

/** Names come from people: one like `constructor` must not be found where nobody put it. */
export function breakerOf({ breakers }: RunState, agent: string): Breaker {
  return Object.hasOwn(breakers, agent) ? (breakers[agent] ?? CLOSED_BREAKER) : CLOSED_BREAKER;
}

/** The tasks that have failed in this way. */
export function failedAlike({ signatures }: RunState, signature: string): readonly string[] {
  return Object.hasOwn(signatures, signature) ? (signatures[signature] ?? []) : [];
}

/** Contract: the plan is frozen and has the task. */
export function taskAt({ layout }: RunState, index: number): RunTask {
  return layout?.plan.tasks[index] as RunTask;
}

export function indexOf({ layout }: RunState, taskId: string): number {
  return layout?.indexOf.get(taskId) ?? -1;
}

/** What dispatch needs of a plan. Contract: dependencies lead to tasks of the plan and make no cycle. */
export function layOut(plan: PlanRef): Layout {
  const indexOfTask = new Map(plan.tasks.map((task, i) => [task.task_id, i]));
  const dependents: number[][] = plan.tasks.map(() => []);
  for (const [i, task] of plan.tasks.entries())
    for (const dependency of task.dependencies) dependents[indexOfTask.get(dependency) ?? -1]?.push(i);
  return { plan, indexOf: indexOfTask, dependents, rank: ranksOf(plan, dependents) };
}

function ranksOf({ tasks }: PlanRef, dependents: readonly (readonly number[])[]): Float64Array {
  const rank = new Float64Array(tasks.length);
  const waiting = dependents.map((followers) => followers.length);
  const before = new Map(tasks.map((task, i) => [task.task_id, i]));
  const queue = waiting.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let at = 0; at < queue.length; at++) {
    const i = queue[at] as number;
    const task = tasks[i] as RunTask;
    const longest = (dependents[i] ?? []).reduce((most, d) => Math.max(most, rank[d] as number), 0);
    // A task without an estimate still takes a step: hops then decide.
    rank[i] = Math.max(task.estimate.minutes, 0.001) + longest;
    for (const dependency of task.dependencies) {
      const d = before.get(dependency);
      if (d === undefined) continue;
      waiting[d] = (waiting[d] as number) - 1;
      if (waiting[d] === 0) queue.push(d);
    }
  }
  return rank;
}
