import type { FlowOutcome } from "../../flow/plan-request.js";
import type { PlanReport } from "../../coordinator.js";
import type { RunEvent } from "../../model/event.js";
import type { RequestOpening } from "../../model/opening.js";
import type { UserRequest } from "../../model/request.js";
import { wayToThePlan } from "../../runs/start-run.js";

/* A request that becomes no run, in the words of the log. */

export interface Undone {
  readonly request_id: string;
  readonly request: string;
  /** What was decided, from intake on. */
  readonly decided: readonly RunEvent[];
}

/** Why there is no draft. */
export function undoneBy(
  outcome: Exclude<FlowOutcome, { status: "drafted" }>,
  { request_id, user_request }: UserRequest,
): Undone {
  return { request_id, request: user_request, decided: decidedBy(outcome) };
}

function decidedBy(outcome: Exclude<FlowOutcome, { status: "drafted" }>): RunEvent[] {
  switch (outcome.status) {
    case "refused": {
      const { decision, rule_id, reason, safety_category, questions } = outcome.intake;
      const open = questions.map(({ question }) => question);
      return [decided(decision, `${rule_id}: ${reason}`, open, safety_category !== null)];
    }
    case "unrouted": {
      const { code, message } = outcome.routing.reason;
      return [decided("needs_clarification", `${code}: ${message}`, [message])];
    }
    case "questions":
      return [decided("needs_clarification", `${outcome.by} has to know more`, outcome.questions)];
    case "failed":
      return [
        approved(`planned by ${outcome.by}`),
        ended(`nothing could be planned: ${outcome.problems[0]?.message ?? "unknown"}`),
      ];
  }
}

/** Why there is a draft and no plan: the engine refused it, or has to know more. */
export function undoneByRules({ outcome }: PlanReport, opening: RequestOpening): Undone {
  const { request_id, request, intake } = opening;
  if (outcome.state === "AWAITING_ANSWERS") {
    const questions = (outcome.questions.at(-1)?.questions ?? []).map(({ question_text }) => question_text);
    return { request_id, request, decided: [decided("needs_clarification", "the plan waits for answers", questions)] };
  }
  const why = outcome.problems[0]?.message ?? outcome.tape.failure_info?.failure_message ?? outcome.state;
  return {
    request_id,
    request,
    decided: [
      approved(`${intake.rule_id}: ${intake.reason}`),
      ...wayToThePlan(opening),
      ended(`planning ended in ${outcome.state}: ${why}`),
    ],
  };
}

type Intake = Extract<RunEvent, { type: "intake_decided" }>;

function decided(decision: Intake["decision"], reason: string, questions: readonly string[], unsafe = false): Intake {
  return {
    type: "intake_decided",
    decision,
    reason,
    unsafe,
    ...(questions.length === 0 ? {} : { questions: [...questions] }),
  };
}

function approved(reason: string): Intake {
  return decided("approved", reason, []);
}

function ended(reason: string): RunEvent {
  return { type: "run_finished", status: "failed", reason };
}
