import type { RunEvent } from "../../../model/event.js";
import { describeGate } from "../../run/decide/assignments.js";
import type { RunState } from "../../run/state.js";

/** Describes a decision of a person or a rule as one line of a list; null for other events. */
export function decisionOf(event: RunEvent, before: RunState): { readonly by: string; readonly said: string } | null {
  switch (event.type) {
    case "plan_frozen": {
      const adrs = [...new Set(event.plan.tasks.flatMap(({ adr }) => adr ?? []))];
      if (!event.verified || adrs.length === 0) return null;
      const of = (adr: string) => event.plan.tasks.filter((task) => task.adr === adr).length;
      return { by: "coordinator", said: adrs.map((adr) => `${adr} approved: ${of(adr)} tasks queued`).join("; ") };
    }
    case "plan_approved":
      return { by: event.decider.by, said: `plan of ${before.tasks.length} tasks approved` };
    case "plan_rejected":
      return { by: event.decider.by, said: `plan rejected: ${event.reason}` };
    case "review_approved":
      return { by: event.decider.by, said: `${describeGate(event.gate_id)} approved` };
    case "review_rejected":
      return { by: event.decider.by, said: `${describeGate(event.gate_id)} rejected: ${event.reason}` };
    case "question_answered":
      return { by: event.decider.by, said: `${event.question_id} answered: ${event.answer}` };
    case "escalation_answered":
      return { by: event.decider.by, said: `${event.escalation_id}: ${event.order.action.replace("_", " ")}` };
    case "scope_widened":
      return { by: event.decider.by, said: `scope of ${event.task_id} widened` };
    case "scope_refused":
      return { by: event.decider.by, said: `wider scope of ${event.task_id} refused: ${event.reason}` };
    case "change_decided": {
      const entry = before.inbox.find(({ id }) => id === event.change_id);
      if (entry?.kind !== "task_change") return null;
      const what = `${entry.change.action.replace("_", " ")} ${entry.task_id}`;
      return { by: event.decider.by, said: `${what}: ${event.approved ? "approved" : `rejected, ${event.reason}`}` };
    }
    case "run_cancelled":
      return { by: event.decider.by, said: `run cancelled: ${event.reason}` };
    case "approval_given":
      return { by: event.decider.by, said: `approved: ${event.action.replaceAll("_", " ")}` };
    case "run_merged":
      return {
        by: event.decider.by,
        said: `${event.how === "exported" ? "exported as" : "merged onto"} ${event.into}`,
      };
    default:
      return null;
  }
}
