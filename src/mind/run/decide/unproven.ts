import type { Escalation, EscalationOrder, Waivable, Objection } from "../../../model/run.js";
import { escalationFor, stoppingRun } from "./escalate.js";
import { alter, type RunState } from "../state.js";
import type { InboxEntry } from "../inbox-entry.js";
import type { Waiver } from "../task-record.js";
import { withTask } from "../tasks.js";

/*
 * Checks that prove nothing. The cause lies in the project or the machine and not in one result, so it is asked about once
 * for the whole run: every result it holds waits for the same answer, and the answer holds for all later results too.
 */

/** The checks that prove nothing, when nothing else holds the result; null otherwise. */
export function findOnlyUnproven(liftable: Waivable | undefined): readonly Objection[] | null {
  const { tests = [], guardrails = [], objections = [] } = liftable ?? {};
  if (objections.length === 0 || tests.length + guardrails.length > 0) return null;
  return objections.every(({ kind }) => kind === "unproven") ? objections : null;
}

/** Contract: pure; the same causes in the same round give the same escalation, whichever result they held. */
export function unprovenEscalation(state: RunState, objections: readonly Objection[]): Escalation {
  const escalation = escalationFor({ kind: "unproven", objections }, stoppingRun(state.proof_round));
  return { ...escalation, liftable: { tests: [], guardrails: [], objections: [...objections] } };
}

/** Whether an escalation is about checks that prove nothing, and so about the run and not about one task. */
export function isAboutProof(entry: InboxEntry | undefined): boolean {
  if (entry?.kind !== "escalation" || entry.escalation.task_id !== null) return false;
  return findOnlyUnproven(entry.escalation.liftable) !== null;
}

const ORDERS: ReadonlySet<EscalationOrder["action"]> = new Set(["lift", "recheck", "resume", "give_up"]);

/** Why an order is not an answer to an escalation about proof; null when it is. */
export function proofOrderRefusal({ action }: EscalationOrder): string | null {
  return ORDERS.has(action)
    ? null
    : `${action} does not help against a check that proves nothing: order recheck after mending it, waive, or give_up`;
}

/** Contract: the order was accepted. Every result that waits on the escalation is judged once more. */
export function applyProofAnswer(before: RunState, escalationId: string, order: EscalationOrder, by: string): RunState {
  if (order.action === "give_up") return before;
  const waived = order.action === "lift" ? [...before.waived, ...waiverOf(order, by)] : before.waived;
  let state: RunState = alter(before, { waived, proof_round: before.proof_round + 1 });
  const again: number[] = [];
  for (let index = 0; index < state.tasks.length; index++) {
    const { state: task, attempts, waivers } = state.tasks.get(index);
    if (task.status !== "blocked" || task.on !== escalationId || task.held === undefined) continue;
    again.push(index);
    state = withTask(state, index, {
      state: { status: "pending", waiting_on: 0, again: task.held },
      waivers: [...waivers, makeEmptyWaiver(attempts, by)],
    });
  }
  return again.length === 0 ? state : alter(state, { again: [...state.again, ...again] });
}

/** The waiver that an order makes for every result of the run: it does not depend on a single one. */
export function waiverOf(order: Extract<EscalationOrder, { action: "lift" }>, by: string): Waiver[] {
  const objections = (order.objections ?? []).filter(({ kind }) => kind === "unproven");
  const not_applicable = order.not_applicable === true;
  return objections.length === 0 ? [] : [{ attempt: 0, tests: [], guardrails: [], objections, not_applicable, by }];
}

/** Marks that a result is judged once more: what is done again for the same attempt needs an id of its own. */
export function makeEmptyWaiver(attempt: number, by: string): Waiver {
  return { attempt, tests: [], guardrails: [], objections: [], not_applicable: false, by };
}
