import type { EventOf, LoggedEvent } from "../../../model/event.js";
import { describeEvent } from "../describe-event.js";
import { findPlannedTask } from "./describe-limits.js";
import { explainFallback, modelChoiceId } from "./explain-models.js";
import { attemptId, type InLog, lastOf, type Part, policyOf } from "./explanation-part.js";

/* Why there is an attempt: the first by its plan, a later one by the failure policy, by routing, or by a person. */

type Started = EventOf<"attempt_started">;

/** An event that made a task ready again after an attempt at it. */
type Cause = Extract<
  LoggedEvent["event"],
  {
    type:
      | "fallback_taken"
      | "alternative_chosen"
      | "escalation_answered"
      | "scope_widened"
      | "question_answered"
      | "route_reevaluated";
  }
>;

export function explainStart(event: Started, { logged, events }: InLog): Part {
  const { task_id, attempt } = event;
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const last = lastOf(before, "attempt_finished", (ended) => ended.task_id === task_id);
  if (attempt === 1 || last === undefined)
    return {
      kind: "event",
      why: [describeReadiness(task_id, events), describeChoice(event, before)],
      alternatives: [
        { alternative: "wait", reason_rejected: "its dependencies, reviews, budget and place were there" },
        { alternative: "another agent or model", reason_rejected: `see ${modelChoiceId(task_id)}` },
      ],
      see: [task_id, modelChoiceId(task_id)],
    };
  const evidence = [`event ${last.sequence}`];
  const see = [attemptId({ task_id, attempt: attempt - 1 }), task_id];
  const cause = causeOf(task_id, last.event.attempt, before);
  if (cause === undefined) {
    const most = policyOf(events)?.failure.max_retries ?? "some";
    return {
      kind: "retry",
      why: [
        `The attempt before it failed in a way that another may not: ${describeEvent(last.event)}. The failure policy allows ${most} retries.`,
        describeChoice(event, before),
      ],
      evidence,
      alternatives: [
        { alternative: "ask a person", reason_rejected: "retries are left" },
        { alternative: "give up", reason_rejected: "only a person gives up" },
      ],
      see,
    };
  }
  evidence.push(`event ${cause.sequence}`);
  if (cause.event.type === "fallback_taken") return { ...explainFallback(cause.event, events), evidence };
  if (cause.event.type === "alternative_chosen")
    return { ...explainAlternative(cause.event, { logged, events }), evidence };
  return { kind: "retry", ...reasonOf(cause.event), evidence, see, ...withChoice(cause.event, event, before) };
}

function withChoice(cause: Cause, event: Started, before: readonly LoggedEvent[]): Pick<Part, "why"> {
  return { why: [...reasonOf(cause).why, describeChoice(event, before)] };
}

function reasonOf(cause: Cause): Pick<Part, "why" | "alternatives"> {
  if (cause.type === "route_reevaluated")
    return {
      why: [`The attempt before it was not given enough. Routing was evaluated again: ${describeEvent(cause)}.`],
      alternatives: [{ alternative: "ask a person", reason_rejected: "the registry had more documents for it" }],
    };
  const done = {
    escalation_answered: "A person ordered it",
    scope_widened: "A person let the task do more",
    question_answered: "A person answered what its agent had asked",
    fallback_taken: "",
    alternative_chosen: "",
  }[cause.type];
  return {
    why: [`${done}: ${describeEvent(cause)}.`],
    alternatives: [{ alternative: "leave the task as it was", reason_rejected: "a person decided otherwise" }],
  };
}

/** The last event since the attempt ended that made its task ready; none where the failure policy alone did. */
function causeOf(
  taskId: string,
  attempt: number,
  before: readonly LoggedEvent[],
): { readonly event: Cause; readonly sequence: number } | undefined {
  const from = before.findIndex(
    ({ event }) => event.type === "attempt_finished" && event.task_id === taskId && event.attempt === attempt,
  );
  const found = before.findLast(({ event }, at) => {
    // Routing is evaluated again before the attempt is said to have ended.
    if (event.type === "route_reevaluated")
      return event.task_id === taskId && event.attempt === attempt && event.outcome === "dispatched";
    if (at < from) return false;
    switch (event.type) {
      case "fallback_taken":
      case "alternative_chosen":
      case "scope_widened":
        return event.task_id === taskId;
      case "escalation_answered":
        return isAbout(event, taskId, before);
      case "question_answered":
        return isAsked(event, taskId, before);
      default:
        return false;
    }
  });
  return found as { readonly event: Cause; readonly sequence: number } | undefined;
}

function isAbout({ escalation_id }: EventOf<"escalation_answered">, taskId: string, events: readonly LoggedEvent[]) {
  return (
    lastOf(events, "escalation_raised", ({ escalation }) => escalation.escalation_id === escalation_id)?.event
      .escalation.task_id === taskId
  );
}

function isAsked({ question_id }: EventOf<"question_answered">, taskId: string, events: readonly LoggedEvent[]) {
  return lastOf(events, "question_asked", (asked) => asked.question_id === question_id)?.event.task_id === taskId;
}

function describeReadiness(taskId: string, events: readonly LoggedEvent[]): string {
  const waited = findPlannedTask(taskId, events)?.task.dependencies ?? [];
  return waited.length === 0
    ? "Everything it waits for is done."
    : `Everything it waits for is done: ${waited.join(", ")}.`;
}

/** Who works on it, and by whose word, where it is not the agent of the plan. */
function describeChoice({ task_id, agent }: Started, before: readonly LoggedEvent[]): string {
  const planned = findPlannedTask(task_id, before)?.task.agent;
  if (planned === undefined || planned === agent) return `The plan names ${agent} for it.`;
  const taken = before.some(({ event }) => event.type === "fallback_taken" && event.task_id === task_id);
  const other = before.some(
    ({ event }) => event.type === "alternative_chosen" && event.task_id === task_id && event.agent === agent,
  );
  if (other) return `The plan names ${planned}; ${agent} is the other approach that was chosen.`;
  return `The plan names ${planned}; ${agent} ${taken ? "is the fallback that took over" : "was ordered instead"}.`;
}

export function explainAlternative(
  { task_id, attempt, agent, how, failed }: EventOf<"alternative_chosen">,
  { events }: InLog,
): Part {
  const before = lastOf(events, "attempt_started", (one) => one.task_id === task_id && one.attempt === attempt);
  const was = before?.event.agent ?? "the agent before";
  return {
    kind: "retry",
    why: [
      `A technical blocker that is not critical gets one other approach before a person is asked: ${failed}`,
      how === "another_agent"
        ? `${agent} is configured beside ${was}, and takes over with what failed as context.`
        : `No other agent is configured that may take over, so ${agent} works by another prompt, with what failed as context.`,
    ],
    alternatives: [{ alternative: "ask a person", reason_rejected: "no other approach had been tried" }],
    see: [attemptId({ task_id, attempt }), task_id],
  };
}
