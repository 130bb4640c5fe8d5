import { isDeepStrictEqual } from "node:util";
import type { RunEvent } from "../../model/event.js";
import type { EscalationOrder } from "../../model/run.js";
import type { EventReader } from "../../hands/store/event-store.js";
import type { Decision } from "./decide.js";
import { findMatching, severalMatchError } from "../inspect/find.js";
import { hasEnded } from "../../hands/store/list-runs.js";

/* The outcome of something that waited on people. */

export type Became =
  | {
      readonly kind: "decided";
      readonly run_id: string;
      readonly id: string;
      readonly sequence: number;
      readonly by: string;
      readonly event: RunEvent;
    }
  /** Nobody decided it, and nobody has to any more. */
  | { readonly kind: "over"; readonly run_id: string; readonly id: string };

/**
 * The newest run in which somebody asked for this, by its id or the beginning of it; null when none has.
 *
 * Contract: throws USAGE for a beginning that several ids of that run share.
 */
export async function findDecision(
  reader: EventReader,
  runs: readonly { readonly run_id: string; readonly sequence: number }[],
  wanted: string,
): Promise<Became | null> {
  for (const { run_id, sequence } of runs) {
    const asked = new Map<string, Became | null>();
    let plan = "";
    for await (const logged of reader.read(run_id)) {
      if (logged.event.type === "plan_frozen") plan = `plan:${logged.event.plan.plan_id}`;
      for (const id of opens(logged.event)) if (!asked.has(id)) asked.set(id, null);
      const { sequence: at, event } = logged;
      const decided = decisionIn(event);
      const id = decided?.id === "plan:" ? plan : decided?.id;
      if (decided !== null && id !== undefined)
        asked.set(id, { kind: "decided", run_id, id, sequence: at, by: decided.by, event });
    }
    const found = findMatching(wanted, [...asked.keys()]);
    if (found.length > 1) throw severalMatchError(wanted, found);
    const [id] = found;
    if (id === undefined) continue;
    const became = asked.get(id) ?? null;
    if (became !== null) return became;
    if (await hasEnded(reader, run_id, sequence)) return { kind: "over", run_id, id };
  }
  return null;
}

function opens(event: RunEvent): readonly string[] {
  switch (event.type) {
    case "plan_frozen":
      return [`plan:${event.plan.plan_id}`, ...event.plan.gates.map(({ gate_id }) => gate_id)];
    case "question_asked":
      return [event.question_id];
    case "escalation_raised":
      return [event.escalation.escalation_id];
    case "change_proposed":
      return [event.change_id];
    default:
      return [];
  }
}

/** Which entry an event decides, and who did. Contract: pure; a run has one plan, so its own id is not asked for. */
export function decisionIn(event: RunEvent): { readonly id: string; readonly by: string } | null {
  switch (event.type) {
    case "plan_approved":
    case "plan_rejected":
      return { id: "plan:", by: event.decider.by };
    case "question_answered":
      return { id: event.question_id, by: event.decider.by };
    case "escalation_answered":
      return { id: event.escalation_id, by: event.decider.by };
    case "change_decided":
      return { id: event.change_id, by: event.decider.by };
    case "review_approved":
    case "review_rejected":
      return { id: event.gate_id, by: event.decider.by };
    case "scope_widened":
    case "scope_refused":
      return { id: event.request_id, by: event.decider.by };
    default:
      return null;
  }
}

/** Whether a decision that was taken says the same: anyone who sends it twice has decided once. Contract: pure. */
export function saysTheSame(event: RunEvent, decision: Decision): boolean {
  switch (event.type) {
    case "question_answered":
      return decision.kind === "text" && decision.text === event.answer;
    case "escalation_answered":
      if (decision.kind === "waive") return event.order.action === "lift" && isThisWaiver(event.order, decision);
      if (decision.kind === "widen") return event.order.action === "widen" && isThisWidening(event.order, decision);
      return decision.kind === "order" && isDeepStrictEqual(decision.order, event.order);
    case "change_decided":
      if (event.approved) return decision.kind === "approve";
      return decision.kind === "reject" && decision.reason === event.reason;
    case "plan_approved":
    case "review_approved":
    case "scope_widened":
      return decision.kind === "approve";
    case "plan_rejected":
    case "review_rejected":
    case "scope_refused":
      return decision.kind === "reject" && decision.reason === event.reason;
    default:
      return false;
  }
}

function isThisWaiver(
  { tests, note, not_applicable }: Extract<EscalationOrder, { action: "lift" }>,
  said: Extract<Decision, { kind: "waive" }>,
): boolean {
  if ((not_applicable ?? false) !== said.notApplicable) return false;
  const names = new Set(tests.map(({ name }) => name));
  return note === said.note && (said.tests.length === 0 || isDeepStrictEqual(names, new Set(said.tests)));
}

function isThisWidening(
  { addition, note }: Extract<EscalationOrder, { action: "widen" }>,
  said: Extract<Decision, { kind: "widen" }>,
): boolean {
  const isNamed = said.addition.write.length + said.addition.commands.length + said.addition.network.length > 0;
  return note === said.note && (!isNamed || isDeepStrictEqual(addition, said.addition));
}
