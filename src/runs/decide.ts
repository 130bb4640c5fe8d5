import type { RunEvent } from "../model/event.js";
import type { Decider, EscalationOrder } from "../model/run.js";
import type { RunState } from "../run/state.js";
import type { OpenEntry } from "./open-entries.js";

/** What a person says to something that waits on them. */
export type Decision =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "order"; readonly order: EscalationOrder }
  | { readonly kind: "approve" }
  | { readonly kind: "reject"; readonly reason: string };

export type Decided =
  | { readonly ok: true; readonly event: RunEvent }
  | { readonly ok: false; readonly message: string; readonly fix: string };

/** The event a decision makes, or why it is no decision of this entry. Contract: pure. */
export function decide(entry: OpenEntry, decision: Decision, decider: Decider): Decided {
  const { id, kind } = entry;
  const made = (event: RunEvent): Decided => ({ ok: true, event });
  switch (kind) {
    case "plan_approval":
      if (decision.kind === "approve") return made({ type: "plan_approved", decider });
      if (decision.kind === "reject") return made({ type: "plan_rejected", decider, reason: decision.reason });
      break;
    case "review":
      if (decision.kind === "approve") return made({ type: "review_approved", gate_id: id, decider });
      if (decision.kind === "reject")
        return made({ type: "review_rejected", gate_id: id, decider, reason: decision.reason });
      break;
    case "scope_request":
      if (decision.kind === "approve" && entry.request !== null)
        return made({
          type: "scope_widened",
          task_id: entry.task_id ?? "",
          request_id: id,
          addition: entry.request,
          decider,
        });
      if (decision.kind === "reject")
        return made({
          type: "scope_refused",
          task_id: entry.task_id ?? "",
          request_id: id,
          decider,
          reason: decision.reason,
        });
      break;
    case "task_change":
      if (decision.kind === "approve")
        return made({ type: "change_decided", change_id: id, approved: true, decider, reason: "" });
      if (decision.kind === "reject")
        return made({ type: "change_decided", change_id: id, approved: false, decider, reason: decision.reason });
      break;
    case "question":
      if (decision.kind === "text")
        return made({ type: "question_answered", question_id: id, answer: decision.text, decider });
      break;
    case "escalation":
      if (decision.kind === "order")
        return made({ type: "escalation_answered", escalation_id: id, order: decision.order, decider });
      break;
  }
  const commands = entry.commands.map((command) => `\`${command}\``).join(" or ");
  return { ok: false, message: `${id} is ${NAMES[kind]} and cannot be answered like this`, fix: `Use ${commands}.` };
}

export const NAMES: Readonly<Record<OpenEntry["kind"], string>> = {
  plan_approval: "the approval of a plan",
  review: "a review",
  question: "a question",
  scope_request: "a request for a wider scope",
  task_change: "a change of a task",
  escalation: "an escalation",
};

/**
 * Why this person may not decide this: a review belongs to its reviewers. Null when they may.
 *
 * Contract: pure. It is asked where the event is taken, not only where it is sent.
 */
export function roleObjection(state: RunState, event: RunEvent, roles: readonly string[]): string | null {
  if (event.type !== "review_approved" && event.type !== "review_rejected") return null;
  const entry = state.inbox.find(({ id }) => id === event.gate_id);
  if (entry?.kind !== "review" || entry.reviewers.length === 0) return null;
  if (entry.reviewers.some((reviewer) => roles.includes(reviewer))) return null;
  return `${roles.join(", ")} may not decide ${event.gate_id}: its reviewers are ${entry.reviewers.join(", ")}`;
}
