import type { LoggedEvent } from "../../../model/event.js";
import type { Message } from "../../../model/run.js";
import { attemptKey } from "../../run/ledger.js";
import { escalationMessage, messageId, progressUpdate, taskAssignment, taskResult } from "../../run/messages.js";
import type { ProjectNotes } from "./project-notes.js";

/*
 * Messages between the tiers of a run. Planning's messages stand in the log as they were sent. An assignment, a
 * result, an escalation and the progress are said by the very event that records them: the message is that event in its
 * envelope, with an id that follows from the run's seed and the event's place. So every message is kept, and none twice.
 */

/** The message an event is, if it is one. Contract: the notes have taken the event. */
export function messageOf(notes: ProjectNotes, { event, sequence, at: timestamp }: LoggedEvent): Message | null {
  const envelope = (type: Message["type"]) => ({ message_id: messageId(notes.run.seed, sequence, type), timestamp });
  switch (event.type) {
    case "message_sent":
      return event.message;
    case "attempt_started": {
      const { task_id, attempt, agent, reserved } = event;
      const message = taskAssignment(envelope("task_assignment"), { task_id, attempt, agent, reserved });
      notes.assigned.set(attemptKey(task_id, attempt), { agent, message_id: message.message_id });
      return message;
    }
    case "attempt_finished": {
      const { task_id, attempt, outcome, usage } = event;
      const assigned = notes.assigned.get(attemptKey(task_id, attempt));
      // An end that is reported twice is an echo, not a second message.
      if (assigned === undefined || !notes.assigned.delete(attemptKey(task_id, attempt))) return null;
      const answer = { ...envelope("task_result"), in_reply_to: assigned.message_id };
      return taskResult(answer, assigned.agent, { task_id, attempt, outcome, usage });
    }
    case "escalation_raised":
      return escalationMessage(envelope("escalation"), event.escalation);
    case "review_finished":
      return event.accepted ? progressUpdate(envelope("progress_update"), progressOf(notes, event.task_id)) : null;
    default:
      return null;
  }
}

type Progress = Extract<Message, { type: "progress_update" }>["payload"];

/** How far a run has come, in the words of a progress update. */
export function progressOf(notes: ProjectNotes, current_task: string): Progress {
  const total = notes.plan?.tasks.length ?? 0;
  const done = notes.run.completed;
  const open = notes.asked.flatMap((entry) =>
    entry.kind === "escalation" ? [{ severity: entry.escalation.severity, description: entry.escalation.summary }] : [],
  );
  const asked = notes.asked.flatMap((entry) =>
    entry.kind === "question" ? [{ severity: "medium" as const, description: entry.question }] : [],
  );
  return {
    request_id: notes.run.request_id,
    progress_percentage: total === 0 ? 0 : (done / total) * 100,
    current_phase: notes.phase,
    current_task,
    tasks_completed: done,
    tasks_remaining: Math.max(0, total - done),
    blockers: [...open, ...asked].map((blocker) => ({ ...blocker, requires_coordinator_decision: true })),
  };
}
