import type { RunEvent } from "../../../model/event.js";
import type { RunState } from "../state.js";
import type { InboxEntry } from "../inbox-entry.js";
import { answererOf } from "./answerers.js";

/*
 * Two things that the contract forbids the Coordinator whatever else it allows, at the one place every event passes: it
 * takes no decision that is a person's (make_decisions), and it deletes nothing that no person has approved
 * (delete_without_approval). Approving a plan is not among them: a rule that people wrote may do that.
 */

/** Decisions of people only: refused when a rule or a clock takes them. */
export const BY_PEOPLE_ONLY: ReadonlySet<RunEvent["type"]> = new Set([
  "plan_rejected",
  "review_approved",
  "review_rejected",
  "question_answered",
  "escalation_answered",
  "budget_raised",
  "scope_widened",
  "scope_refused",
  "run_merged",
]);

/** Why nobody but a person may say this; null when it is not such an event, or a person does. Contract: pure. */
export function forbiddenDecision({ inbox }: RunState, event: RunEvent): string | null {
  if (!("decider" in event) || event.decider === undefined || event.decider.how === "person") return null;
  if (event.decider.how === "agent") return refuseAgentDecision(inbox, event, event.decider.by);
  if (BY_PEOPLE_ONLY.has(event.type))
    return `make_decisions is forbidden: ${event.type} is a person's to say, and ${event.decider.by} is none`;
  if (event.type === "change_decided" && event.approved && isDeletion(inbox.find(({ id }) => id === event.change_id)))
    return `delete_without_approval is forbidden: a person has to approve it, and ${event.decider.by} is none`;
  return null;
}

/** INVARIANT: an agent that speaks for a person answers questions that are not a person's, and decides nothing. */
function refuseAgentDecision(inbox: RunState["inbox"], event: RunEvent, by: string): string | null {
  const entry = event.type === "question_answered" ? inbox.find(({ id }) => id === event.question_id) : undefined;
  if (entry !== undefined && answererOf(entry) === "agent") return null;
  return `make_decisions is forbidden: ${event.type} is a person's to say here, and ${by} is an agent`;
}

function isDeletion(entry: InboxEntry | undefined): boolean {
  return entry?.kind === "task_change" && entry.change.action === "delete_task";
}
