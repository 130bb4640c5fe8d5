import { AFTER_THE_END } from "../../model/after-the-end.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import { changeRefusal } from "./decide/changes.js";
import { effectOfTask, taskOfEndedWait } from "./effects.js";
import { criterionRefusal } from "./decide/criteria.js";
import { permissionRefusal } from "./decide/permissions.js";
import { forbiddenDecision } from "./decide/forbidden.js";
import { describeExcess } from "./account.js";
import { NOTHING } from "./amounts.js";
import { sessionClaim, sessionKey } from "./decide/coordination.js";
import { heldRefusal, isWaiting, waiveRefusal } from "./decide/waivers.js";
import { raiseRefusal } from "./decide/raise-budget.js";
import { refusalsOf, reservationOf } from "./ledger.js";
import { requirementsDue } from "./decide/requirements.js";
import { isAboutProof, proofOrderRefusal } from "./decide/unproven.js";
import { indexOf, isOver, type RunState } from "./state.js";
import { type InboxEntry, taskIdOf } from "./inbox-entry.js";
import type { TaskRecord, TaskState } from "./task-record.js";

/** Why an event is not taken: it is about something that is not, or no longer, so. Null when it is. */
export function refusal(state: RunState, event: RunEvent): string | null {
  if (isOver(state) && !AFTER_THE_END.has(event.type)) return "the run is over";
  if (state.policy === null && event.type !== "request_received") return "the run has no request yet";
  const forbidden = forbiddenDecision(state, event);
  if (forbidden !== null) return forbidden;
  switch (event.type) {
    case "request_received":
      return state.policy === null ? null : "the run has its request already";
    case "plan_frozen":
      return state.status === "pending"
        ? "the request is not approved"
        : state.layout === null
          ? null
          : "the run has its plan already";
    case "brief_kept":
      return state.brief === null ? null : "the run has its brief already";
    case "requirements_judged":
      return requirementsDue(state) && event.round === state.requirements.round
        ? null
        : "nobody waits for the requirements";
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
      return open(state, "question", event.question_id)
        ? (permissionRefusal(event) ?? criterionRefusal(event))
        : `there is no open question ${event.question_id}`;
    case "scope_widened":
    case "scope_refused":
      return open(state, "scope_request", event.request_id, event.task_id)
        ? null
        : `there is no open request ${event.request_id} of ${event.task_id}`;
    case "escalation_answered":
      if (!open(state, "escalation", event.escalation_id)) return `there is no open escalation ${event.escalation_id}`;
      return orderRefusal(state, event);
    case "budget_raised":
      return raiseRefusal(state, event);
    case "change_proposed": {
      const index = indexOf(state, event.task_id);
      if (index < 0) return `the plan has no task ${event.task_id}`;
      if (open(state, "task_change", event.change_id)) return `${event.change_id} is proposed already`;
      return changeRefusal(state, index, event.change);
    }
    case "change_decided": {
      const entry = state.inbox.find(({ id }) => id === event.change_id);
      if (entry?.kind !== "task_change") return `there is no open change ${event.change_id}`;
      return event.approved ? changeRefusal(state, indexOf(state, entry.task_id), entry.change) : null;
    }
    case "run_merged":
      return state.layout === null ? "nothing was carried out" : null;
    case "coordination_reserved":
      return sessionRefusal(state, event);
    case "sandbox_graded":
      return event.grade === "none" && !event.by_order ? "a run without a sandbox needs an explicit order" : null;
    case "wait_ended":
      return waitRefusal(state, event.effect_id);
    case "attempt_started":
    case "judgement_resumed":
    case "attempt_progressed":
    case "tool_judged":
    case "iteration_finished":
    case "route_reevaluated":
    case "attempt_finished":
    case "verification_finished":
    case "integration_finished":
    case "conflict_found":
    case "conflict_resolved":
    case "review_finished":
      return taskRefusal(state, event);
    case "alternative_chosen": {
      const index = indexOf(state, event.task_id);
      const isBlocked = index >= 0 && state.tasks.get(index).state.status === "blocked";
      return isBlocked ? null : `${event.task_id} is not blocked`;
    }
    default:
      return null;
  }
}

/** Why an order is not an answer to this escalation; null when it is. */
function orderRefusal(state: RunState, { escalation_id, order }: EventOf<"escalation_answered">) {
  const entry = state.inbox.find(({ id }) => id === escalation_id);
  const refused = isAboutProof(entry) ? proofOrderRefusal(order) : null;
  if (refused !== null) return refused;
  const task = entry === undefined ? null : taskIdOf(entry);
  switch (order.action) {
    case "lift":
      return waiveRefusal(state, entry, order);
    case "recheck":
      return isAboutProof(entry) ? null : heldRefusal(state, entry);
    case "widen":
    case "skip":
      if (task === null) return `${order.action} is for a task, and this is about the run`;
      return changeRefusal(state, indexOf(state, task), { action: "skip_task", reason: "-" });
    default:
      return null;
  }
}

/** INVARIANT: no session starts on what the run does not have. */
function sessionRefusal(
  { ledger }: RunState,
  { purpose, tokens, cost_usd }: EventOf<"coordination_reserved">,
): string | null {
  if (reservationOf(ledger, sessionKey(purpose)) !== undefined) return "it is set aside already";
  const refusals = refusalsOf(ledger, sessionClaim(purpose), { ...NOTHING, tokens, cost_usd });
  return refusals.length === 0 ? null : refusals.map(describeExcess).join("; ");
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
  iteration_finished: ["attempt", "stopping"],
  route_reevaluated: ["attempt"],
  attempt_finished: ["attempt", "stopping"],
  verification_finished: ["verify"],
  // A conflict that nobody resolves ends the integration from there.
  integration_finished: ["integrate", "resolve"],
  conflict_found: ["integrate"],
  conflict_resolved: ["resolve"],
  review_finished: ["review"],
} as const;

type TaskEvent = Extract<RunEvent, { type: keyof typeof STAGES_OF | "attempt_started" | "judgement_resumed" }>;

function taskRefusal(state: RunState, event: TaskEvent): string | null {
  const index = indexOf(state, event.task_id);
  if (index < 0) return `the plan has no task ${event.task_id}`;
  const { state: task, attempts } = state.tasks.get(index);
  if (event.type === "judgement_resumed")
    return isWaiting(task) && event.attempt === attempts ? null : `${event.task_id} does not wait to be judged again`;
  if (event.type === "attempt_started") return task.status === "pending" ? null : `${event.task_id} is ${task.status}`;
  const stages: readonly string[] = STAGES_OF[event.type];
  if (event.attempt !== attempts || task.status !== "in_progress" || !stages.includes(task.stage))
    return `${event.task_id} is not waiting for this outcome`;
  if (event.type === "iteration_finished") return iterationRefusal(state.tasks.get(index), event);
  return roundRefusal(task, event) ? `${event.task_id} is not waiting for this outcome any more` : null;
}

/** A process that adopts an attempt is told all of its turns again. INVARIANT: no turn counts beyond the limit of its task. */
function iterationRefusal({ turns }: TaskRecord, event: EventOf<"iteration_finished">): string | null {
  const last = turns?.attempt === event.attempt ? (turns.last?.iteration ?? 0) : 0;
  if (event.iteration <= last) return `iteration ${event.iteration} of ${event.task_id} is in the log already`;
  return event.iteration <= event.limit ? null : `${event.task_id} has only ${event.limit} iterations`;
}

/** An event of an earlier round of a conflict is not about this one. */
function roundRefusal(task: Extract<TaskState, { status: "in_progress" }>, event: TaskEvent): boolean {
  if (task.stage !== "integrate" && task.stage !== "resolve") return false;
  const round = task.conflict?.round ?? 0;
  if (event.type === "conflict_found") return event.round !== round + 1;
  if (event.type === "conflict_resolved") return event.round !== round;
  return event.type === "integration_finished" && event.integrated && task.stage === "resolve";
}

function waitRefusal(state: RunState, effectId: string): string | null {
  const task = taskOfEndedWait(effectId);
  if (task === null) return null;
  const effect = effectOfTask(state, indexOf(state, task));
  return effect?.kind === "wait_until" && effect.id === effectId ? null : "nobody waits for this";
}
