import type { RunEvent } from "../../model/event.js";
import type { EscalationOrder, Objection, TaskChange } from "../../model/run.js";
import type { InboxEntry } from "../../mind/run/inbox-entry.js";
import type { Chance } from "./chance.js";
import { amounts } from "./draw.js";

/** People answer, sooner or later, and not always kindly. */
export function answerTo(entry: InboxEntry, chance: Chance): RunEvent {
  const decider = { by: "ada", how: "person" } as const;
  switch (entry.kind) {
    case "plan_approval":
      return chance.happens(0.03)
        ? { type: "plan_rejected", decider, reason: "no" }
        : { type: "plan_approved", decider };
    case "review":
      return chance.happens(0.05)
        ? { type: "review_rejected", gate_id: entry.id, decider, reason: "no" }
        : { type: "review_approved", gate_id: entry.id, decider };
    case "question":
      return { type: "question_answered", question_id: entry.id, answer: "the first", decider };
    case "scope_request": {
      const { id: request_id, task_id, request: addition } = entry;
      return chance.happens(0.7)
        ? { type: "scope_widened", task_id, request_id, addition, decider }
        : { type: "scope_refused", task_id, request_id, decider, reason: "not for this" };
    }
    case "task_change":
      return {
        type: "change_decided",
        change_id: entry.id,
        approved: chance.happens(0.7),
        decider,
        reason: "",
      };
    case "escalation":
      return { type: "escalation_answered", escalation_id: entry.id, decider, order: orderFor(entry, chance) };
  }
}

/** A change that a person wants of a task, whatever it is doing just then. */
export function wish(n: number, tasks: readonly string[], chance: Chance): RunEvent {
  const change: TaskChange = chance.pick([
    { action: "skip_task", reason: "not needed" },
    { action: "delete_task", reason: "not needed" },
    { action: "change_priority", priority: chance.pick(["P0", "P1", "P2", "P3"] as const) },
    { action: "reassign_task", agent: chance.pick(["agent_a", "agent_b"]) },
  ]);
  return {
    type: "change_proposed",
    change_id: `chg_wish-${n}`,
    task_id: chance.pick(tasks),
    change,
    decider: { by: "grace", how: "person" },
  };
}

function orderFor({ escalation }: Extract<InboxEntry, { kind: "escalation" }>, chance: Chance): EscalationOrder {
  const { liftable } = escalation;
  // Now and then not all of them.
  if (liftable?.objections !== undefined) return orderForObjections(liftable.objections, escalation.task_id, chance);
  if (liftable !== undefined && chance.happens(0.6))
    return { action: "lift", tests: chance.happens(0.8) ? liftable.tests : liftable.tests.slice(1), guardrails: [] };
  if (escalation.type === "resource_exhaustion")
    return chance.happens(0.8) ? { action: "raise_budget", add: amounts(1_000_000) } : { action: "give_up" };
  if (chance.happens(0.6)) return { action: "retry", ...(chance.happens(0.3) ? { agent: "agent_b" } : {}) };
  return chance.happens(0.5) ? { action: "give_up" } : { action: "resume" };
}

/** Chooses an order for objections to a result although no check fails: mended, accepted, widened, left out. */
function orderForObjections(objections: readonly Objection[], task_id: string | null, chance: Chance): EscalationOrder {
  const addition = objections.find((one) => one.addition !== undefined)?.addition;
  return chance.pick<EscalationOrder>([
    { action: "recheck" },
    { action: "lift", tests: [], guardrails: [], objections: [...objections] },
    { action: "lift", tests: [], guardrails: [], objections: objections.slice(0, 1), not_applicable: true },
    task_id === null || addition === undefined ? { action: "resume" } : { action: "widen", addition },
    task_id === null ? { action: "give_up" } : { action: "skip", reason: "not needed" },
    task_id === null ? { action: "resume" } : { action: "retry" },
  ]);
}
