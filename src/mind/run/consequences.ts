import type { EventOf, RunEvent } from "../../model/event.js";
import type { GateDecision, Waivable } from "../../model/run.js";
import { afterAttempt } from "./decide/after-attempt.js";
import { describeConflict, makeNotIntegrated, explainUnresolvable } from "./decide/conflicts.js";
import { type EscalationCause, escalationFor, stoppingRun } from "./decide/escalate.js";
import { closureGate, holdAtPlanning, planningGate } from "./decide/phase-gates.js";
import { isProven } from "./decide/promise.js";
import { injectedContext, raiseEscalation } from "./decide/raise-escalation.js";
import { permissionSettled } from "./decide/permissions.js";
import { describeRequirement, unmetRequirements } from "./decide/requirements.js";
import { findOnlyUnproven, unprovenEscalation } from "./decide/unproven.js";
import { breakerOf, indexOf, type RunState } from "./state.js";
import { taskIdOf } from "./inbox-entry.js";

// One for all: most events have no consequence, and a list for each would be most of the garbage.
const NO_EVENT: readonly RunEvent[] = [];

/** The events that follow from an event by rule: the failure policy, the breaker, the end of a run. */
export function consequences(before: RunState, state: RunState, event: RunEvent): readonly RunEvent[] {
  switch (event.type) {
    case "intake_decided":
      return event.decision === "rejected"
        ? [{ type: "run_finished", status: "failed", reason: `rejected: ${event.reason}` }]
        : [];
    case "plan_frozen":
      if (!event.verified) return [{ type: "run_finished", status: "failed", reason: "the plan does not verify" }];
      return state.policy?.plan_needs_approval === false
        ? [{ type: "plan_approved", decider: { by: "policy", how: "rule" } }]
        : [];
    case "plan_approved":
      return planningGate(state);
    case "plan_rejected":
      return [{ type: "run_finished", status: "failed", reason: `plan rejected: ${event.reason}` }];
    case "attempt_started":
      return breakerNews(before, state, event);
    case "attempt_finished": {
      const news = breakerNews(before, state, event);
      if (event.outcome.kind === "completed") return news;
      return [...news, ...afterAttempt(state, event.task_id, event.attempt, event.outcome)];
    }
    case "verification_finished":
      return isProven(before, event)
        ? NO_EVENT
        : heldEvents(state, event, {
            kind: "outcome",
            outcome: { kind: "quality", message: `verdict ${event.verdict}: ${event.evidence}` },
          });
    case "integration_finished":
      return event.integrated
        ? NO_EVENT
        : heldEvents(state, event, { kind: "unknown", message: `could not be integrated: ${event.ref}` });
    case "conflict_found": {
      const why = explainUnresolvable(state.policy, event);
      return why === null ? [] : [makeNotIntegrated(event, describeConflict(event, why))];
    }
    case "review_finished":
      return event.accepted
        ? NO_EVENT
        : [raiseEscalation(state, event, { kind: "outcome", outcome: { kind: "quality", message: event.summary } })];
    case "requirements_judged":
      return unmetEvents(state);
    case "scope_refused": {
      const { attempts: attempt } = state.tasks.get(indexOf(state, event.task_id));
      const message = `a wider scope was refused: ${event.reason}`;
      return [
        raiseEscalation(
          state,
          { task_id: event.task_id, attempt },
          { kind: "outcome", outcome: { kind: "semantic", violation: "scope", message } },
        ),
      ];
    }
    case "question_answered":
      return permissionSettled(event);
    case "escalation_answered":
      // Giving up what concerns the whole run, and not one task of it, ends the run.
      return event.order.action === "give_up" && !concernsTask(before, event.escalation_id)
        ? [{ type: "run_finished", status: "failed", reason: "ended by a person" }]
        : [];
    case "gate_decided":
      return afterGate(state, event.gate);
    default:
      return NO_EVENT;
  }
}

/** GO leads to the next phase, and out of the last one to the end. NO_GO ends a run that is over and holds one that is not. */
function afterGate(state: RunState, decision: GateDecision): RunEvent[] {
  const { phase, reason } = decision;
  const isGo = decision.decision === "GO";
  if (phase === "planning") return isGo ? [] : holdAtPlanning(state, decision);
  const closure = phase === "execution" && isGo ? closureGate(state) : [];
  return closure.length > 0 ? closure : [{ type: "run_finished", status: isGo ? "completed" : "failed", reason }];
}

/** A spec violation of the whole: nobody tries again by themselves, a person decides. */
function unmetEvents(state: RunState): RunEvent[] {
  const failed = unmetRequirements(state);
  if (failed.length === 0) return [];
  const message = `${failed.length} of ${state.brief?.spec?.requirements.length ?? 0} requirements: ${failed.map(describeRequirement).join("; ")}`;
  const escalation = escalationFor(
    { kind: "outcome", outcome: { kind: "semantic", violation: "spec", message } },
    stoppingRun(state.requirements.round, {
      input: state.brief?.spec?.id ?? "",
      injected_context: injectedContext(state),
      output: state.requirements.judged?.ref ?? "",
    }),
  );
  return [{ type: "escalation_raised", escalation }];
}

function concernsTask({ inbox }: RunState, escalationId: string): boolean {
  const entry = inbox.find(({ id }) => id === escalationId);
  return entry !== undefined && taskIdOf(entry) !== null;
}

/** A result that is held: by checks that prove nothing, which is asked once for all results, or by something of its own. */
function heldEvents(
  state: RunState,
  event: EventOf<"verification_finished" | "integration_finished">,
  cause: EscalationCause,
): RunEvent[] {
  const unproven = findOnlyUnproven(event.liftable);
  if (unproven === null) return [raiseEscalation(state, event, refusedCause(event.liftable) ?? cause, event.liftable)];
  const escalation = unprovenEscalation(state, unproven);
  const isAsked = state.inbox.some(({ id }) => id === escalation.escalation_id);
  return isAsked ? [] : [{ type: "escalation_raised", escalation }];
}

/** Nothing holds it but what its agent was refused, or says of it. */
function refusedCause(liftable: Waivable | undefined): EscalationCause | null {
  const { tests = [], guardrails = [], objections = [] } = liftable ?? {};
  if (objections.length === 0 || tests.length + guardrails.length > 0) return null;
  const isOfAttempt = objections.every(({ kind }) => kind === "refused" || kind === "unfinished");
  return isOfAttempt ? { kind: "refused", objections } : null;
}

function breakerNews(
  before: RunState,
  state: RunState,
  event: EventOf<"attempt_started" | "attempt_finished">,
): readonly RunEvent[] {
  if (before.breakers === state.breakers) return NO_EVENT;
  const { agent } = state.tasks.get(indexOf(state, event.task_id));
  const was = breakerOf(before, agent).state;
  const is = breakerOf(state, agent).state;
  return was === is ? NO_EVENT : [{ type: "breaker_changed", agent, to: is }];
}
