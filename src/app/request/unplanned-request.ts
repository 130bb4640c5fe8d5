import { numberQuestions } from "../../mind/request/answered.js";
import type { FlowOutcome } from "../../mind/request/request-flow.js";
import { describeOpinion } from "../../mind/request/second-opinion.js";
import type { PlanReport } from "../plan/planning.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import type { OpenQuestion, RequestAnswer, RequestOrigin } from "../../model/request-origin.js";
import type { UserRequest } from "../../model/request.js";
import { planningEvents } from "../run/start-run.js";
import type { Answer } from "./plan-words.js";

/* A request that becomes no run, in the words of the log. */

export interface UnplannedRequest {
  readonly request_id: string;
  readonly request: string;
  /** Decisions, from intake on. */
  readonly decided: readonly RunEvent[];
  /** Questions that people have to answer before it can be resumed. */
  readonly questions: readonly OpenQuestion[];
  /** Why answers that were given cannot be taken. */
  readonly objections?: readonly string[];
}

/** Why what was planned from words is not a plan that could be carried out; undefined when it is one. */
export function findUnplannedRequest(planned: Answer): UnplannedRequest | undefined {
  if (planned.status === "ended") return planned.undone;
  return planned.made.outcome.state === "DONE" ? undefined : toUnplannedByRules(planned.made, planned.opening);
}

/** Why there is no draft. */
export function toUnplannedRequest(
  outcome: Exclude<FlowOutcome, { status: "drafted" }>,
  { request_id, user_request }: UserRequest,
  answers: readonly RequestAnswer[],
): UnplannedRequest {
  return {
    request_id,
    request: user_request,
    decided: decisionEvents(outcome),
    questions: questionsOf(outcome, answers),
  };
}

function questionsOf(
  outcome: Exclude<FlowOutcome, { status: "drafted" }>,
  answers: readonly RequestAnswer[],
): readonly OpenQuestion[] {
  switch (outcome.status) {
    case "refused":
      return outcome.intake.decision === "needs_clarification" ? outcome.intake.questions : [];
    case "unrouted":
      return outcome.routing.status === "escalated" ? numberQuestions([outcome.routing.reason.message], answers) : [];
    case "questions":
      return outcome.questions;
    case "failed":
      return [];
  }
}

function decisionEvents(outcome: Exclude<FlowOutcome, { status: "drafted" }>): RunEvent[] {
  switch (outcome.status) {
    case "refused": {
      const { decision, rule_id, reason, safety_category, questions } = outcome.intake;
      const open = questions.map(({ question }) => question);
      const unsafe = decision === "rejected" && safety_category !== null;
      const { opinion } = outcome;
      const told = opinion === null ? reason : `${reason}. ${describeOpinion(opinion)}`;
      return [intakeOf(decision, `${rule_id}: ${told}`, open, unsafe)];
    }
    case "unrouted": {
      const { code, message } = outcome.routing.reason;
      return [intakeOf("needs_clarification", `${code}: ${message}`, [message])];
    }
    case "questions":
      return [
        intakeOf(
          "needs_clarification",
          `${outcome.by} has to know more`,
          outcome.questions.map(({ question }) => question),
        ),
      ];
    case "failed":
      return [
        approvedIntake(`planned by ${outcome.by}`),
        endEvent(`nothing could be planned: ${outcome.problems[0]?.message ?? "unknown"}`),
      ];
  }
}

/** Why there is a draft and no plan: the engine refused it, or has to know more. */
function toUnplannedByRules({ outcome }: PlanReport, opening: RequestOrigin): UnplannedRequest {
  const { request_id, request, intake } = opening;
  if (outcome.state === "AWAITING_ANSWERS") {
    const questions = (outcome.questions.at(-1)?.questions ?? []).map(
      ({ question_id: id, question_text: question, suggested_answers = [] }): OpenQuestion => {
        const options = suggested_answers.flatMap(({ answer_text }) => (answer_text === "" ? [] : [answer_text]));
        return { id, question, ...(options.length === 0 ? {} : { options }) };
      },
    );
    const texts = questions.map(({ question }) => question);
    const waits = intakeOf("needs_clarification", "the plan waits for answers", texts);
    const objections = outcome.problems.filter(({ code }) => code === "ANSWER_INVALID").map(({ message }) => message);
    return { request_id, request, decided: [waits], questions, objections };
  }
  const why = outcome.problems[0]?.message ?? outcome.tape.failure_info?.failure_message ?? outcome.state;
  return {
    request_id,
    request,
    questions: [],
    decided: [
      approvedIntake(`${intake.rule_id}: ${intake.reason}`),
      ...planningEvents(opening),
      endEvent(`planning ended in ${outcome.state}: ${why}`),
    ],
  };
}

type Intake = EventOf<"intake_decided">;

function intakeOf(decision: Intake["decision"], reason: string, questions: readonly string[], unsafe = false): Intake {
  return {
    type: "intake_decided",
    decision,
    reason,
    unsafe,
    ...(questions.length === 0 ? {} : { questions: [...questions] }),
  };
}

function approvedIntake(reason: string): Intake {
  return intakeOf("approved", reason, []);
}

function endEvent(reason: string): RunEvent {
  return { type: "run_finished", status: "failed", reason };
}
