import type { RunEvent } from "../../../model/event.js";

/** An attempt starts once and ends once. An event that a store must never hold twice in one run. */
export interface AttemptMark {
  readonly type: "attempt_started" | "attempt_finished";
  readonly task_id: string;
  readonly attempt: number;
}

export function attemptMark(event: RunEvent): AttemptMark | null {
  if (event.type !== "attempt_started" && event.type !== "attempt_finished") return null;
  return { type: event.type, task_id: event.task_id, attempt: event.attempt };
}
