import type { AmountName } from "../../model/amount-names.js";
import type { Amounts, HeldGuardrail, Iteration, MissingTest, Objection, Promised, RunTask } from "../../model/run.js";
import type { ScopeAddition } from "../../model/scope.js";

/* One task in the state of a run: where it is, and the results of its attempts so far. */

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

/** A task and the results of its attempts so far. */
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

/** Two additions as one; what is there twice is there once. */
export function addScopes(one: ScopeAddition, other: ScopeAddition): ScopeAddition {
  const both = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];
  return {
    commands: both(one.commands, other.commands),
    write: both(one.write, other.write),
    network: both(one.network, other.network),
  };
}

/** The waivers of the result that the task has now. */
export function waiversOf({ waivers, attempts }: TaskRecord): readonly Waiver[] {
  return waivers.length === 0 ? waivers : waivers.filter(({ attempt }) => attempt === attempts);
}
