import type { EventOf } from "../../model/event.js";
import type { BriefRef, RequirementResult } from "../../model/intent-spec.js";
import type { RunPhase, RunPolicy, RunStatus, RunTask } from "../../model/run.js";
import type { SandboxGrade, Scope } from "../../model/scope.js";
import { type Breaker, CLOSED_BREAKER } from "./decide/breaker.js";
import { Chunked } from "./chunked.js";
import type { InboxEntry } from "./inbox-entry.js";
import type { Layout } from "./layout.js";
import { NOTHING, plus } from "./amounts.js";
import { type Claim, type Ledger, openLedger } from "./ledger.js";
import { NOBODY_READY, type ReadyQueue } from "./ready-queue.js";
import { addScopes, type TaskRecord, type Waiver, waiversOf } from "./task-record.js";

/*
 * The state of a run at one moment: the fold of its log up to there. Nothing else is kept anywhere; a process that dies and
 * folds the log again knows exactly this.
 */

/**
 * Levels in a run that keeps them apart. A level has ended when none of its tasks is pending or in progress; what is
 * blocked lets it end, and what builds on something blocked is pending and holds its own level open.
 */
export interface Levels {
  /** How many tasks of each level are pending or in progress. */
  readonly open: Chunked<number>;
  /** The first level that has not ended: nothing of a later one may start. */
  readonly current: number;
}

/** The findings about the requirements, and when they are judged again: a round is begun by a person's order. */
interface RequirementsState {
  readonly round: number;
  /** Null while nobody has looked in this round. */
  readonly judged: {
    readonly commit: string;
    readonly tree: string;
    readonly results: readonly RequirementResult[];
    readonly ref: string;
  } | null;
}

/** A routing that was evaluated again for one attempt. */
export type Rerouted = Pick<EventOf<"route_reevaluated">, "task_id" | "attempt" | "outcome" | "documents" | "record">;

export interface RunState {
  readonly status: RunStatus;
  readonly phase: RunPhase;
  readonly reason: string;
  readonly request_id: string;
  readonly seed: number;
  readonly policy: RunPolicy | null;
  readonly layout: Layout | null;
  /** The brief of the run; null when it has none. */
  readonly brief: BriefRef | null;
  /** Findings of routing when children asked for more than they were given, in the order of the log. */
  readonly rerouted: readonly Rerouted[];
  readonly requirements: RequirementsState;
  /** Evidence for the criteria of the project's type: checks that proved results, what agents and what people said. */
  readonly criteria: {
    readonly proven: readonly string[];
    /** The last words of each task's agent that show a criterion. */
    readonly evidence: readonly { readonly criterion: string; readonly task_id: string; readonly words: string }[];
    readonly answers: Readonly<
      Record<string, { readonly how: "confirmed" | "waived" | "failed"; readonly words: string; readonly by: string }>
    >;
  };
  readonly plan_verified: boolean;
  readonly plan_approved: boolean;
  readonly tasks: Chunked<TaskRecord>;
  /** Waivers of people for every result of the run: checks that prove nothing. */
  readonly waived: readonly Waiver[];
  /** How often people answered that checks prove nothing. */
  readonly proof_round: number;
  /** Tasks that wait for a place to have their result judged again. Some may have been dropped since. */
  readonly again: readonly number[];
  /** Tasks whose dependencies are all done and that wait for a place, best first. */
  readonly ready: ReadyQueue;
  /** Tasks that hold a place: from the start of an attempt to the end of its review, a wait for a retry aside. */
  readonly running: number;
  /** Tasks that wait for the time of their next attempt. They hold no place. */
  readonly waiting: number;
  readonly completed: number;
  readonly failed: number;
  /** Tasks that people skipped or deleted. */
  readonly dropped: number;
  readonly ledger: Ledger;
  readonly breakers: Readonly<Record<string, Breaker>>;
  readonly approved_gates: readonly string[];
  readonly inbox: readonly InboxEntry[];
  /** Why nothing new is started; null when it is. */
  readonly paused: string | null;
  /** Tasks by the signature of how they failed. */
  readonly signatures: Readonly<Record<string, readonly string[]>>;
  /** Null when tasks start as soon as what they build on is done. */
  readonly levels: Levels | null;
  /** How well the sandbox of the process holds that carries the run out; null before one has said so. */
  readonly sandbox: { readonly grade: SandboxGrade; readonly reason: string; readonly by_order: boolean } | null;
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
  brief: null,
  rerouted: [],
  requirements: { round: 1, judged: null },
  criteria: { proven: [], evidence: [], answers: {} },
  plan_verified: false,
  plan_approved: false,
  tasks: Chunked.of([]),
  waived: [],
  proof_round: 0,
  again: [],
  ready: NOBODY_READY,
  running: 0,
  waiting: 0,
  completed: 0,
  failed: 0,
  dropped: 0,
  ledger: openLedger(NOTHING),
  breakers: {},
  approved_gates: [],
  inbox: [],
  paused: null,
  signatures: {},
  levels: null,
  sandbox: null,
  clock_ms: 0,
};

/** A state that nobody has seen yet: anyone who made the copy may set its fields until it is handed on. */
export type Draft = { -readonly [Name in keyof RunState]: RunState[Name] };

/** Every field is named, because a spread of that many costs thirty times as much, and every event copies the state. */
export function draftOf(state: RunState): Draft {
  return {
    status: state.status,
    phase: state.phase,
    reason: state.reason,
    request_id: state.request_id,
    seed: state.seed,
    policy: state.policy,
    layout: state.layout,
    brief: state.brief,
    rerouted: state.rerouted,
    requirements: state.requirements,
    criteria: state.criteria,
    plan_verified: state.plan_verified,
    plan_approved: state.plan_approved,
    tasks: state.tasks,
    waived: state.waived,
    proof_round: state.proof_round,
    again: state.again,
    ready: state.ready,
    running: state.running,
    waiting: state.waiting,
    completed: state.completed,
    failed: state.failed,
    dropped: state.dropped,
    ledger: state.ledger,
    breakers: state.breakers,
    approved_gates: state.approved_gates,
    inbox: state.inbox,
    paused: state.paused,
    signatures: state.signatures,
    levels: state.levels,
    sandbox: state.sandbox,
    clock_ms: state.clock_ms,
  };
}

/** The state with something changed. Events that every task has set the fields of a draft instead, which costs less. */
export function alter(state: RunState, change: Partial<RunState>): Draft {
  return Object.assign(draftOf(state), change);
}

export function isOver({ status }: RunState): boolean {
  return status === "completed" || status === "failed";
}

/** Names come from people: one like `constructor` must not be found where nobody put it. */
export function breakerOf({ breakers }: RunState, agent: string): Breaker {
  return Object.hasOwn(breakers, agent) ? (breakers[agent] ?? CLOSED_BREAKER) : CLOSED_BREAKER;
}

/** The tasks that have failed in this way. */
export function findFailedAlike({ signatures }: RunState, signature: string): readonly string[] {
  return Object.hasOwn(signatures, signature) ? (signatures[signature] ?? []) : [];
}

/** Contract: the plan is frozen and has the task. */
export function taskAt({ layout }: RunState, index: number): RunTask {
  return layout?.plan.tasks[index] as RunTask;
}

export function indexOf({ layout }: RunState, taskId: string): number {
  return layout?.indexOf.get(taskId) ?? -1;
}

/** The budget of a task over all its attempts; undefined when only its phase and the run limit it. */
export function taskLimit(state: RunState, index: number): Claim["task"] {
  const { budget } = taskAt(state, index);
  const { used, granted } = state.tasks.get(index);
  return budget === undefined ? undefined : { budget: plus(budget, granted), used };
}

/** The scope of the next attempt at a task: its scope in the plan and all that people have added. Null for no scope. */
export function scopeOf(state: RunState, index: number): Scope | null {
  const { scope } = taskAt(state, index);
  const { widened } = state.tasks.get(index);
  if (scope === undefined || widened === null) return scope ?? null;
  return { ...scope, ...addScopes(scope, widened) };
}

/** The waivers of the task's present result: for this result, and for every result of the run. */
export function allWaiversOf({ waived }: RunState, record: TaskRecord): readonly Waiver[] {
  return waived.length === 0 ? waiversOf(record) : [...waived, ...waiversOf(record)];
}
