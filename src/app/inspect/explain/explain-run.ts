import type { LoggedEvent } from "../../../model/event.js";
import type { RunTask } from "../../../model/run.js";
import { readEndReason } from "../fold-run.js";
import { explainEvent } from "./explain-event.js";
import type { RunExplanation } from "./explanation-part.js";
import { explainModelChoice, modelChoiceId } from "./explain-models.js";
import { describeEvent } from "../describe-event.js";
import { readCut, describeCut } from "./limit-cuts.js";
import { findPlannedTask, describeLimit } from "./describe-limits.js";

/*
 * Why a run did what it did, read from its log alone. It explains a task, an attempt (`TASK#2`), a turn of
 * its agent (`TASK#2.1`), the model choice of a task (`model:TASK`), an event by its number, a gate (`gate:execution`), the id
 * of an escalation, a question, a review or a change, and `request`, `intake`, `route`, `brief`, `plan`, `approval`, `sandbox`,
 * `end` and `merge`.
 */

/** Null when the log knows no such id. Contract: pure. */
export function explainRun(id: string, events: readonly LoggedEvent[]): RunExplanation | null {
  // A task may have the name of something else: it is meant then, and the other is asked for by its number.
  const named = explainTask(id, events);
  if (named !== null) return named;
  const event = eventFor(id, events);
  if (event !== undefined) return explainEvent(event, events, id);
  const [, task, attempt] = /^(.+)#(\d+)$/.exec(id) ?? [];
  if (task !== undefined) return explainAttempt(task, Number(attempt), events);
  const [, chosenFor] = /^model:(.+)$/.exec(id) ?? [];
  return chosenFor === undefined ? null : explainModelChoice(chosenFor, events);
}

/** Everything that can be asked for, in the order of the log. Contract: pure. */
export function idsOfRun(events: readonly LoggedEvent[]): string[] {
  return [...new Set(events.flatMap((logged) => namesOf(logged)))];
}

/** By its number, or by the id of what it decides: then the last that did. */
function eventFor(id: string, events: readonly LoggedEvent[]): LoggedEvent | undefined {
  if (/^\d+$/.test(id)) return events.find(({ sequence }) => sequence === Number(id));
  return events.findLast((logged) => describeDecider(logged) === id);
}

/** The id under which an event's decision is asked for; null for events that are asked for by task or number. */
function describeDecider({ event }: LoggedEvent): string | null {
  switch (event.type) {
    case "request_received":
      return "request";
    case "intake_decided":
      return "intake";
    case "route_decided":
      return "route";
    case "brief_kept":
      return "brief";
    case "plan_frozen":
      return "plan";
    case "plan_approved":
    case "plan_rejected":
      return "approval";
    case "sandbox_graded":
      return "sandbox";
    case "run_finished":
    case "run_cancelled":
      return "end";
    case "run_merged":
      return "merge";
    case "gate_decided":
      return `gate:${event.gate.phase}`;
    case "review_approved":
    case "review_rejected":
      return event.gate_id;
    case "question_asked":
      return event.question_id;
    case "escalation_raised":
      return event.escalation.escalation_id;
    case "change_proposed":
      return event.change_id;
    case "iteration_finished":
      return `${event.task_id}#${event.attempt}.${event.iteration}`;
    default:
      return null;
  }
}

function namesOf(logged: LoggedEvent): string[] {
  const { event } = logged;
  if (event.type === "plan_frozen")
    return ["plan", ...event.plan.tasks.flatMap(({ task_id }) => [task_id, modelChoiceId(task_id)])];
  if (event.type === "attempt_started") return [`${event.task_id}#${event.attempt}`];
  const id = describeDecider(logged);
  return id === null ? [] : [id];
}

/** A task from its plan to its end: who does it, each attempt, each judgement of it. */
function explainTask(taskId: string, events: readonly LoggedEvent[]): RunExplanation | null {
  const planned = findPlannedTask(taskId, events);
  if (planned === null) return null;
  const { task, planId, policyId } = planned;
  const own = events.filter(({ event }) => "task_id" in event && event.task_id === taskId);
  const told = own.filter(isStep);
  const waits =
    task.dependencies.length === 0 ? "It waits for no other task." : `It waits for ${task.dependencies.join(", ")}.`;
  return {
    id: taskId,
    kind: "task",
    title: task.title,
    why: [
      `Plan ${planId} has it; ${task.agent} does it${task.builder === undefined ? "" : ` as ${task.builder}`}.`,
      waits,
      ...(task.scope === undefined || task.limits !== undefined
        ? []
        : [`It may write ${task.scope.write.join(", ") || "nothing"}.`]),
      ...(task.limits ?? []).map((limit) => describeLimit(limit, policyId)),
      ...cutsOf(task, policyId),
      ...told.map((logged) => `${describeEvent(logged.event)}.`),
    ],
    evidence: told.map(({ sequence }) => `event ${sequence}`),
    alternatives: (task.alternatives ?? []).map((agent) => ({
      alternative: `${agent} does it`,
      reason_rejected: "it takes over only as another approach to a technical blocker",
    })),
    see: [
      modelChoiceId(taskId),
      ...own.flatMap(({ event }) => (event.type === "attempt_started" ? [`${taskId}#${event.attempt}`] : [])),
      ...escalationsOf(taskId, events),
    ],
  };
}

/** Lists parts of the scope that were requested for the task and are left out. */
function cutsOf({ limits = [] }: RunTask, policyId: string | undefined): string[] {
  const cuts = limits.flatMap((limit) => readCut(limit) ?? []);
  return cuts.map((cut) => `Left out: ${describeCut(cut, policyId)}.`);
}

/** One attempt: why it was started, what it was not allowed to do, how it ended and what followed. */
function explainAttempt(taskId: string, attempt: number, events: readonly LoggedEvent[]): RunExplanation | null {
  const own = events.filter(
    ({ event }) => "attempt" in event && "task_id" in event && event.task_id === taskId && event.attempt === attempt,
  );
  const started = own.find(({ event }) => event.type === "attempt_started");
  if (started === undefined) return null;
  const begun = explainEvent(started, events, `${taskId}#${attempt}`);
  const judged = own.filter(({ event }) => event.type === "tool_judged" && event.judgement.decision !== "allow");
  const after = own.filter((logged) => isStep(logged) && logged !== started);
  const ended = after.flatMap(({ event }) =>
    event.type === "attempt_finished" ? [readEndReason(event.outcome)] : [],
  )[0];
  return {
    ...begun,
    kind: "attempt",
    why: [
      ...begun.why,
      ...judged.map((logged) => `${describeEvent(logged.event)}.`),
      ...(ended === undefined ? ["It has not ended."] : []),
      ...after.map((logged) => `${describeEvent(logged.event)}.`),
    ],
    evidence: [...begun.evidence, ...[...judged, ...after].map(({ sequence }) => `event ${sequence}`)],
    see: [taskId, ...judged.map(({ sequence }) => String(sequence)), ...escalationsOf(taskId, events)],
  };
}

function escalationsOf(taskId: string, events: readonly LoggedEvent[]): string[] {
  return events.flatMap(({ event }) =>
    event.type === "escalation_raised" && event.escalation.task_id === taskId ? [event.escalation.escalation_id] : [],
  );
}

/** Whether an event is an outcome of a task or attempt, not one of the many on the way. */
function isStep({ event }: LoggedEvent): boolean {
  return event.type !== "tool_judged" && event.type !== "attempt_progressed";
}
