import type { EventOf, LoggedEvent, RunEventType } from "../../../model/event.js";
import { describeEvent } from "../describe-event.js";
import * as attempt from "./explain-attempt.js";
import * as begin from "./explain-begin.js";
import * as course from "./explain-course.js";
import { explainEnd } from "./explain-end.js";
import { explainFallback } from "./explain-models.js";
import * as people from "./explain-people.js";
import * as result from "./explain-result.js";
import { explainAlternative, explainStart } from "./explain-start.js";
import type { InLog, Part, RunExplanation } from "./explanation-part.js";

/* Why one event of a log happened: the rule or person that decided, what it decided on, and what else could have been decided. */

/** Every kind of event has its answer: a new kind does not compile without one. */
const EXPLAIN: { readonly [T in RunEventType]: (event: EventOf<T>, at: InLog) => Part } = {
  request_received: begin.explainRequest,
  intake_decided: begin.explainIntake,
  route_decided: begin.explainRoute,
  message_sent: begin.explainMessage,
  brief_kept: begin.explainBrief,
  plan_frozen: begin.explainPlan,
  plan_approved: begin.explainPlanApproved,
  plan_rejected: begin.explainPlanRejected,
  sandbox_graded: begin.explainSandbox,
  attempt_started: explainStart,
  alternative_chosen: explainAlternative,
  fallback_taken: (event, { events }) => explainFallback(event, events),
  attempt_progressed: attempt.explainProgress,
  tool_judged: attempt.explainToolUse,
  iteration_finished: attempt.explainIteration,
  route_reevaluated: attempt.explainReevaluation,
  attempt_finished: explainEnd,
  verification_finished: result.explainVerdict,
  judgement_resumed: result.explainResumed,
  integration_finished: result.explainIntegration,
  conflict_found: result.explainConflict,
  conflict_resolved: result.explainResolved,
  review_finished: result.explainLevelReview,
  requirements_judged: result.explainRequirements,
  review_approved: people.explainReview,
  review_rejected: people.explainReview,
  question_asked: people.explainQuestion,
  question_answered: people.explainAnswer,
  scope_widened: people.explainScopeDecision,
  scope_refused: people.explainScopeDecision,
  escalation_raised: people.explainEscalation,
  escalation_answered: people.explainOrder,
  budget_raised: people.explainRaise,
  change_proposed: people.explainProposal,
  change_decided: people.explainChange,
  approval_given: people.explainApproval,
  run_cancelled: course.explainCancelled,
  run_merged: course.explainMerged,
  gate_decided: course.explainGate,
  coordination_reserved: course.explainReserved,
  coordination_used: course.explainCoordination,
  notification_sent: course.explainNotice,
  breaker_changed: course.explainBreaker,
  dispatch_paused: course.explainPause,
  wait_ended: course.explainWait,
  run_finished: course.explainRunEnd,
};

/** Contract: pure and total. */
export function explainEvent(logged: LoggedEvent, events: readonly LoggedEvent[], id: string): RunExplanation {
  const explain = EXPLAIN[logged.event.type] as ((event: LoggedEvent["event"], at: InLog) => Part) | undefined;
  const part = explain?.(logged.event, { logged, events }) ?? UNKNOWN;
  return {
    id,
    title: describeEvent(logged.event),
    see: [],
    ...part,
    evidence: [`event ${logged.sequence} of ${logged.at}`, ...(part.evidence ?? [])],
  };
}

/** Logs of newer versions hold kinds of events that this one cannot explain. */
const UNKNOWN: Part = {
  kind: "event",
  why: ["This version does not know such an event; a newer one wrote it."],
  alternatives: [],
};
