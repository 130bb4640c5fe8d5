import type { LoggedEvent, RunEvent } from "../../model/event.js";
import type { Message } from "../../model/run.js";
import { messageId, progressUpdate } from "../run/messages.js";
import { newProjectFold, type ProjectFold, takeEvent } from "./project-state/project-fold.js";
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
  readonly #fold: ProjectFold = newProjectFold();

  /** Contract: events in the order of the log, from its beginning. */
  take(logged: LoggedEvent): ProgressUpdate | null {
    const before = this.#fold.phase;
    const message = takeEvent(this.#fold, logged);
    // The supervisor has said it itself: it is not said in other words.
    if (message?.type === "progress_update") return message;
    return before !== this.#fold.phase || matters(logged.event) ? this.#update(logged) : null;
  }

  #update({ event, sequence, at }: LoggedEvent): ProgressUpdate {
    const { seed } = this.#fold;
    const blockers = listWaiting(this.#fold).on.map((blocker) => ({ ...blocker, requires_coordinator_decision: true }));
    return progressUpdate(
      { message_id: messageId(seed, sequence, "progress_update"), timestamp: at },
      { ...progressOf(this.#fold, this.#currentTask(event)), blockers },
    );
  }

  #currentTask(event: RunEvent): string {
    if ("task_id" in event && event.task_id !== null) return event.task_id;
    if (event.type === "escalation_raised" && event.escalation.task_id !== null) return event.escalation.task_id;
    const [open] = this.#fold.open.keys();
    return open?.slice(0, open.lastIndexOf("#")) ?? "";
  }
}

/** What stands in the way of a run, or ends it. What the run settles by itself is not news. */
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
