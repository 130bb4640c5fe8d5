import type { EventOf } from "../../../model/event.js";
import type { Waivable } from "../../../model/run.js";
import { attemptKey } from "../ledger.js";
import { indexOf, type RunState } from "../state.js";
import { waiversOf } from "../task-record.js";
import { type EscalationCause, escalationFor } from "./escalate.js";
import type { FailedOutcome } from "./failure.js";

/** The event that asks a person about one attempt at a task, with everything needed to decide. */
export function raiseEscalation(
  state: RunState,
  { task_id, attempt }: { task_id: string; attempt: number },
  cause: EscalationCause | { kind: "outcome"; outcome: FailedOutcome },
  liftable?: Waivable,
): EventOf<"escalation_raised"> {
  const escalation = escalationFor(cause, {
    // A result that is held again after a waiver is another escalation.
    round: waiversOf(state.tasks.get(indexOf(state, task_id))).length,
    task_id,
    attempt,
    input: task_id,
    injected_context: injectedContext(state),
    output: attemptKey(task_id, attempt),
  });
  return {
    type: "escalation_raised",
    escalation: liftable === undefined ? escalation : { ...escalation, liftable },
  };
}

/** References to the documents that routing gave the run. */
export function injectedContext({ brief }: RunState): string[] {
  return (brief?.documents ?? []).map(({ ref }) => ref);
}
