import type { QueueTask } from "../../../model/work-queue.js";

/* A run as the files for people show it: what its log says of tasks, decisions and sessions, and when. */

export interface Blocker {
  /** Null for what holds up the whole run. */
  readonly task: string | null;
  readonly reason: string;
  /** The evidence. */
  readonly details: string;
}

export interface BoardTask extends QueueTask {
  /** The stage it is in, when it is in progress. */
  readonly stage: string | null;
  /** The result of a completed task. */
  readonly result: string | null;
  /** Where it stands among the tasks of its run: the lowest is started first. */
  readonly place: number;
  /** Whether everything it builds on is done. */
  readonly ready: boolean;
}

export interface BoardDecision {
  readonly at: string;
  readonly by: string;
  readonly said: string;
}

/** One process's work on a run: from its first word in the log to the next one's. */
export interface BoardSession {
  /** The event it began with, and the last one before another began. */
  readonly from: number;
  readonly to: number;
  readonly started_at: string;
  readonly last_at: string;
  /** Tasks that were completed in it. */
  readonly completed: readonly string[];
}

export interface BoardRun {
  readonly run_id: string;
  readonly request: string;
  readonly status: string;
  readonly reason: string;
  readonly over: boolean;
  readonly started_at: string;
  /** When something happened last that people want to see. */
  readonly updated_at: string;
  readonly tasks: readonly BoardTask[];
  readonly blockers: readonly Blocker[];
  readonly decisions: readonly BoardDecision[];
  readonly sessions: readonly BoardSession[];
}
