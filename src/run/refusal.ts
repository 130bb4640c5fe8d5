import type { RunEvent } from "../model/event.js";
import { effectOfTask, taskOfEffect } from "./effects.js";
import { type InboxEntry, indexOf, isOver, type RunState, taskIdOf } from "./state.js";

/** Why an event is not taken: it is about something that is not, or no longer, so. Null when it is. */
export function refusal(state: RunState, event: RunEvent): string | null {
  if (isOver(state)) return "the run is over";
  if (state.policy === null && event.type !== "request_received") return "the run has no request yet";
  switch (event.type) {
    case "request_received":
      return state.policy === null ? null : "the run has its request already";
    case "plan_frozen":
      return state.status === "pending"
        ? "the request is not approved"
        : state.layout === null
          ? null
          : "the run has its plan already";
    case "plan_approved":
    case "plan_rejected":
      return state.layout === null
        ? "there is no verified plan"
        : state.plan_approved
          ? "the plan is approved already"
          : null;
    case "review_approved":
    case "review_rejected":
      return open(state, "review", event.gate_id) ? null : `nobody waits for review ${event.gate_id}`;
    case "question_answered":
      return open(state, "question", event.question_id) ? null : `there is no open question ${event.question_id}`;
    case "scope_widened":
    case "scope_refused":
      return open(state, "scope_request", event.request_id, event.task_id)
        ? null
        : `there is no open request ${event.request_id} of ${event.task_id}`;
    case "escalation_answered":
      return open(state, "escalation", event.escalation_id)
        ? null
        : `there is no open escalation ${event.escalation_id}`;
    case "sandbox_graded":
      return event.grade === "none" && !event.by_order ? "a run without a sandbox needs an explicit order" : null;
    case "wait_ended":
      return waitRefusal(state, event.effect_id);
    case "attempt_started":
    case "attempt_progressed":
    case "tool_judged":
    case "attempt_finished":
    case "verification_finished":
    case "integration_finished":
    case "review_finished":
      return taskRefusal(state, event);
    default:
      return null;
  }
}

function open({ inbox }: RunState, kind: InboxEntry["kind"], id: string, task?: string): boolean {
  return inbox.some(
    (entry) => entry.id === id && entry.kind === kind && (task === undefined || taskIdOf(entry) === task),
  );
}

const STAGES_OF = {
  // An attempt that is being stopped still says what it used and how it ended.
  attempt_progressed: ["attempt", "stopping"],
  tool_judged: ["attempt", "stopping"],
  attempt_finished: ["attempt", "stopping"],
  verification_finished: ["verify"],
  integration_finished: ["integrate"],
  review_finished: ["review"],
} as const;

type TaskEvent = Extract<RunEvent, { type: keyof typeof STAGES_OF | "attempt_started" }>;

function taskRefusal(state: RunState, event: TaskEvent): string | null {
  const index = indexOf(state, event.task_id);
  if (index < 0) return `the plan has no task ${event.task_id}`;
  const { state: task, attempts } = state.tasks.get(index);
  if (event.type === "attempt_started") return task.status === "pending" ? null : `${event.task_id} is ${task.status}`;
  const stages: readonly string[] = STAGES_OF[event.type];
  if (event.attempt !== attempts || task.status !== "in_progress" || !stages.includes(task.stage))
    return `${event.task_id} is not waiting for this outcome`;
  return null;
}

function waitRefusal(state: RunState, effectId: string): string | null {
  const task = taskOfEffect(effectId);
  if (task === null) return null;
  const effect = effectOfTask(state, indexOf(state, task));
  return effect?.kind === "wait_until" && effect.id === effectId ? null : "nobody waits for this";
}
