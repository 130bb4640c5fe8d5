import type { EventOf } from "../../model/event.js";
import type { BriefRef, RequirementResult } from "../../model/intent-spec.js";
import type { AmountName } from "../../model/amount-names.js";
import type {
  Amounts,
  Escalation,
  HeldGuardrail,
  Iteration,
  MissingTest,
  Objection,
  Promised,
  RunPhase,
  RunPolicy,
  RunStatus,
  RunTask,
  TaskChange,
} from "../../model/run.js";
import type { SandboxGrade, Scope, ScopeAddition } from "../../model/scope.js";
import { type Breaker, CLOSED_BREAKER } from "./decide/breaker.js";
import { Chunked } from "./chunked.js";
import type { Layout } from "./layout.js";
import { NOTHING, plus } from "./amounts.js";
import { type Claim, type Ledger, openLedger } from "./ledger.js";
import { NOBODY_READY, type ReadyQueue } from "./ready-queue.js";

/*
 * The state of a run at one moment: the fold of its log up to there. Nothing else is kept anywhere; a process that dies and
 * folds the log again knows exactly this.
 */

/** Where a task in progress is on its way to being done. */
type Stage = "attempt" | "verify" | "review" | "waiting";

/** The part of an attempt's change that git could not merge, and how far its resolution has come. */
export interface OpenConflict {
  /** How often it came to this, counted from one. */
  readonly round: number;
  /** The commit of the branch it was found against. */
  readonly onto: string;
  /** The record of what an agent made of it; null while nobody has. */
  readonly resolution: string | null;
}

/** Where a result was when something held it that a person may waive. */
export type HeldAt =
  | { readonly stage: "verify" }
  | { readonly stage: "integrate"; readonly conflict: OpenConflict | null };

/** The waiver of a person for the result of one attempt and of no other. */
export interface Waiver {
  readonly attempt: number;
  readonly tests: readonly MissingTest[];
  readonly guardrails: readonly HeldGuardrail[];
  readonly objections: readonly Objection[];
  /** The checks that `objections` name do not count at all. */
  readonly not_applicable: boolean;
  readonly by: string;
}

export type TaskState =
  /** With `again` it waits for a place only, and its result is judged once more instead of another attempt. */
  | { readonly status: "pending"; readonly waiting_on: number; readonly again?: HeldAt }
  /** Its attempt has used more than it may and is being stopped: from here nothing but its end is waited for. */
  | { readonly status: "in_progress"; readonly stage: "stopping"; readonly until_ms: null; readonly over: AmountName }
  /** Waits for its turn on the branch; with a conflict, for what was made of that. */
  | {
      readonly status: "in_progress";
      readonly stage: "integrate";
      readonly until_ms: null;
      readonly conflict: OpenConflict | null;
    }
  /** An agent resolves its conflict, beside the queue: it holds its place, and nobody's turn. */
  | {
      readonly status: "in_progress";
      readonly stage: "resolve";
      readonly until_ms: null;
      readonly conflict: OpenConflict;
    }
  | { readonly status: "in_progress"; readonly stage: Stage; readonly until_ms: number | null }
  /** With `held` its result is good but for what a person may waive. */
  | { readonly status: "blocked"; readonly on: string; readonly held?: HeldAt }
  | { readonly status: "completed" }
  | { readonly status: "failed"; readonly reason: string }
  /** Dropped by people: what builds on something skipped goes on, what builds on something cancelled is cancelled. */
  | { readonly status: "skipped" | "cancelled"; readonly reason: string };

/** A task, and what its attempts came to so far. */
export interface TaskRecord {
  readonly state: TaskState;
  readonly agent: string;
  /** The model its agent is told to use; null: the one of the agent's own settings. */
  readonly model: string | null;
  /** The plan's, until a person changed it. */
  readonly priority: RunTask["priority"];
  /** Attempts started, all told; the number of the last one. */
  readonly attempts: number;
  /** Retries after structural failures since a person last ordered an attempt. */
  readonly retries: number;
  /** The sum of what its ended attempts used. */
  readonly used: Amounts;
  /** The amounts that people granted on top of its estimate and budget. */
  readonly granted: Amounts;
  /** The additions of people to its scope, all together; null when nobody has. */
  readonly widened: ScopeAddition | null;
  /** The attempt whose work and session the next attempt goes on with; null when it begins anew. */
  readonly goes_on: number | null;
  /** Guidance of people, oldest first: every further attempt is given it. */
  readonly guidance: readonly Guidance[];
  /** Waivers of people, oldest first. */
  readonly waivers: readonly Waiver[];
  /** The turns of its last attempt; null before the first has ended. */
  readonly turns: AttemptTurns | null;
  /** The other approach that was tried since a person last ordered an attempt; null when none was. */
  readonly alternative: Alternative | null;
}

/** Another approach than the plan's: by whom, and what failed before. */
export interface Alternative {
  readonly how: "another_agent" | "another_prompt";
  readonly failed: string;
}

/** How far an agent has come within one attempt. */
interface AttemptTurns {
  readonly attempt: number;
  /** The last turn that ended. */
  readonly last: Iteration | null;
  /** Whether it gave its completion promise; null while it works, and where none was asked for. */
  readonly promise: Promised | null;
}

export interface Guidance {
  /** The question it answers; null for what a person said of their own accord. */
  readonly asked: string | null;
  readonly said: string;
}

/** An entry that only a person can decide: an open question, approval or escalation. */
export type InboxEntry =
  | { readonly kind: "plan_approval"; readonly id: string }
  | { readonly kind: "review"; readonly id: string; readonly reviewers: readonly string[] }
  | {
      readonly kind: "question";
      readonly id: string;
      readonly task_id: string | null;
      readonly question: string;
      readonly options?: readonly string[];
    }
  | {
      readonly kind: "scope_request";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      readonly request: ScopeAddition;
      readonly message: string;
    }
  | {
      readonly kind: "task_change";
      readonly id: string;
      readonly task_id: string;
      readonly change: TaskChange;
      readonly proposed_by: string;
    }
  | { readonly kind: "escalation"; readonly id: string; readonly escalation: Escalation };

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

/** The state with something changed. What every task goes through sets the fields of a draft, which costs less. */
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

/** The task an entry of the inbox is about; null for one about the run. */
export function taskIdOf(entry: InboxEntry): string | null {
  switch (entry.kind) {
    case "question":
    case "scope_request":
    case "task_change":
      return entry.task_id;
    case "escalation":
      return entry.escalation.task_id;
    case "plan_approval":
    case "review":
      return null;
  }
}

/** An escalation because a budget did not carry what was ready; as opposed to one about an attempt that ran out. */
export function isBudgetEntry(entry: InboxEntry): boolean {
  return (
    entry.kind === "escalation" && entry.escalation.type === "resource_exhaustion" && entry.escalation.attempt === null
  );
}

/** The entry an attempt that asks for a wider scope opens in the inbox. */
export function scopeRequestId(attemptKey: string): string {
  return `scope_${attemptKey}`;
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

/** Two additions as one; what is there twice is there once. */
export function addScopes(one: ScopeAddition, other: ScopeAddition): ScopeAddition {
  const both = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];
  return {
    commands: both(one.commands, other.commands),
    write: both(one.write, other.write),
    network: both(one.network, other.network),
  };
}

/** The waivers of the task's present result: for this result, and for every result of the run. */
export function allWaiversOf({ waived }: RunState, record: TaskRecord): readonly Waiver[] {
  return waived.length === 0 ? waiversOf(record) : [...waived, ...waiversOf(record)];
}

/** The waivers of the result that the task has now. */
export function waiversOf({ waivers, attempts }: TaskRecord): readonly Waiver[] {
  return waivers.length === 0 ? waivers : waivers.filter(({ attempt }) => attempt === attempts);
}
