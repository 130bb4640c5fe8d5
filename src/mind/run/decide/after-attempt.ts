import type { RunEvent } from "../../../model/event.js";
import type { EscalationTrigger } from "../../../model/routing.js";
import type { AttemptOutcome } from "../../../model/run.js";
import { attemptKey } from "../ledger.js";
import { findFailedAlike, indexOf, type RunState, taskAt } from "../state.js";
import { alternativeFor, describeTried } from "./alternative.js";
import { escalationFor, stoppingRun } from "./escalate.js";
import { type FailedOutcome, failureSignature } from "./failure.js";
import { fallbackAfter } from "./fallback.js";
import { raiseEscalation } from "./raise-escalation.js";
import { tooLongWait } from "./retry.js";

/** The failure policy, once an attempt has ended for good. */
export function afterAttempt(
  state: RunState,
  task_id: string,
  attempt: number,
  outcome: Exclude<AttemptOutcome, { kind: "completed" }>,
): RunEvent[] {
  const blocked = state.tasks.get(indexOf(state, task_id)).state.status === "blocked";
  if (outcome.kind === "safety")
    return [
      raiseEscalation(state, { task_id, attempt }, { kind: "outcome", outcome }),
      { type: "run_finished", status: "failed", reason: `stopped for safety: ${outcome.message}` },
    ];
  const fallback = fallbackAfter(state, { task_id, attempt }, outcome);
  if (fallback !== null) return [fallback];
  const alternative = blocked ? alternativeFor(state, task_id, attempt, outcome) : null;
  const found: RunEvent[] = [];
  const unlisted = blocked ? unlistedTrigger(state, outcome) : null;
  if (unlisted !== null) found.push(...escalateByPolicy(state, { task_id, attempt }, outcome, unlisted));
  else if (blocked && outcome.kind === "clarification")
    found.push({
      type: "question_asked",
      question_id: `q_${attemptKey(task_id, attempt)}`,
      task_id,
      question: outcome.question,
    });
  else if (alternative !== null) found.push(alternative);
  else if (blocked && outcome.kind !== "scope_request")
    found.push(
      raiseEscalation(
        state,
        { task_id, attempt },
        {
          kind: "outcome",
          outcome:
            outcome.kind === "cancelled"
              ? { kind: "quality", message: "the attempt was cancelled" }
              : withTried(state, task_id, withLongWait(state, outcome)),
        },
      ),
    );
  return [...found, ...repeatedFailure(state, outcome)];
}

/** The trigger of a failure that the failure policy does not list: nobody is asked about it. Null for any other. */
function unlistedTrigger({ policy }: RunState, { kind }: AttemptOutcome): EscalationTrigger | null {
  const trigger = kind === "structural" ? "retries_exhausted" : kind === "clarification" ? "insufficient_input" : null;
  const listed = policy?.failure.escalation_triggers;
  return trigger === null || listed === undefined || listed.includes(trigger) ? null : trigger;
}

/** The case is in the log like every other, and so is that the policy decided it. */
function escalateByPolicy(
  state: RunState,
  at: { task_id: string; attempt: number },
  outcome: FailedOutcome | Extract<AttemptOutcome, { kind: "cancelled" | "scope_request" }>,
  trigger: EscalationTrigger,
): RunEvent[] {
  if (outcome.kind === "cancelled" || outcome.kind === "scope_request") return [];
  const raised = raiseEscalation(state, at, { kind: "outcome", outcome });
  return [
    raised,
    {
      type: "escalation_answered",
      escalation_id: raised.escalation.escalation_id,
      order: { action: "give_up" },
      decider: { by: `routing policy: ${trigger} is not escalated`, how: "rule" },
    },
  ];
}

/** Anyone who is asked has to know what was tried already. */
function withTried(state: RunState, task_id: string, outcome: FailedOutcome): FailedOutcome {
  if (outcome.kind !== "structural") return outcome;
  const index = indexOf(state, task_id);
  return { ...outcome, message: `${outcome.message}${describeTried(state.tasks.get(index), taskAt(state, index))}` };
}

/** A limit that is not waited for says when it would end: anyone who decides has to know. */
function withLongWait({ policy, clock_ms }: RunState, outcome: FailedOutcome): FailedOutcome {
  const wait = policy === null ? null : tooLongWait(policy.failure, outcome, clock_ms);
  return wait === null || outcome.kind !== "structural"
    ? outcome
    : { ...outcome, message: `${outcome.message} (${wait})` };
}

/** One failure on several tasks: something they share is broken, so starting more of them only costs. */
function repeatedFailure(state: RunState, outcome: AttemptOutcome): RunEvent[] {
  const signature = failureSignature(outcome);
  const tasks = signature === null ? [] : findFailedAlike(state, signature);
  if (
    signature === null ||
    state.paused !== null ||
    tasks.length < (state.policy?.failure.same_signature_tasks ?? Infinity)
  )
    return [];
  const escalation = escalationFor({ kind: "repeated", signature, tasks }, stoppingRun(state.clock_ms));
  return [
    { type: "dispatch_paused", reason: `the same failure on ${tasks.length} tasks` },
    { type: "escalation_raised", escalation },
  ];
}
