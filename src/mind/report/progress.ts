import type { LoggedEvent, RunEvent } from "../../model/event.js";
import type { Message } from "../../model/run.js";
import { messageId, progressUpdate } from "../run/messages.js";
import type { RunState } from "../run/state.js";
import { newProjectNotes, type ProjectNotes, takeEvent } from "./project-state/project-notes.js";
import { taskAtWork } from "./project-state/attempt-usage.js";
import { listWaiting } from "./project-state/project-status.js";
import { progressOf } from "./project-state/project-messages.js";

export type ProgressUpdate = Extract<Message, { type: "progress_update" }>;

/**
 * Follows a log and says how far the run has come, at the moments that matter to anyone who waits for it: a task is done, a
 * phase has ended, something is in the way, the run is over. Between them it says nothing.
 *
 * Contract: pure; it only listens. Any number may follow the same log, each hears the same, and the run knows of none.
 * Ids and times come from the log, so that an update heard twice is known as one.
 */
export class ProgressObserver {
  readonly #notes: ProjectNotes;

  constructor(notes: ProjectNotes = newProjectNotes()) {
    this.#notes = notes;
  }

  /**
   * Contract: events in the order of the log, from behind the last one that the notes have taken. `after` is the state of
   * the run after the event, for a caller that has applied it.
   */
  take(logged: LoggedEvent, after?: RunState): ProgressUpdate | null {
    const before = this.#notes.phase;
    const message = takeEvent(this.#notes, logged, after);
    // The supervisor has said it itself: it is not said in other words.
    if (message?.type === "progress_update") return message;
    return before !== this.#notes.phase || matters(logged.event) ? this.#update(logged) : null;
  }

  #update({ event, sequence, at }: LoggedEvent): ProgressUpdate {
    const { seed } = this.#notes.run;
    const blockers = listWaiting(this.#notes).on.map((blocker) => ({
      ...blocker,
      requires_coordinator_decision: true,
    }));
    return progressUpdate(
      { message_id: messageId(seed, sequence, "progress_update"), timestamp: at },
      { ...progressOf(this.#notes, this.#currentTask(event)), blockers },
    );
  }

  #currentTask(event: RunEvent): string {
    if ("task_id" in event && event.task_id !== null) return event.task_id;
    if (event.type === "escalation_raised" && event.escalation.task_id !== null) return event.escalation.task_id;
    return taskAtWork(this.#notes.usage);
  }
}

/** Whether an event blocks a run or ends it. Events that the run settles by itself are not news. */
function matters(event: RunEvent): boolean {
  switch (event.type) {
    case "question_asked":
    case "escalation_raised":
    case "dispatch_paused":
    case "run_cancelled":
    case "run_finished":
      return true;
    case "attempt_finished":
      return event.outcome.kind === "scope_request";
    default:
      return false;
  }
}
