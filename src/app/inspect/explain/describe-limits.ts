import type { LoggedEvent } from "../../../model/event.js";
import type { RunTask } from "../../../model/run.js";
import type { ScopeLimit } from "../../../model/scope.js";

/* The limits of a task in words: which value holds, who set it, and what the others would have allowed. */

const NAMES: Readonly<Record<ScopeLimit["what"], string>> = {
  tools: "Tools",
  write: "Write",
  network: "Network",
  minutes: "Time",
  output_bytes: "Output",
};

export function describeLimit({ what, value, by, others }: ScopeLimit, policyId: string | undefined): string {
  const rest = others.map((other) => `${describeSource(other.by, policyId)}: ${describeValue(what, other.value)}`);
  const beside = rest.length === 0 ? "" : ` (${rest.join("; ")})`;
  return `${NAMES[what]}: ${describeValue(what, value)}, set by ${describeSource(by, policyId)}${beside}.`;
}

export function describeSource(by: ScopeLimit["by"], policyId: string | undefined): string {
  return by === "routing policy" && policyId !== undefined ? `the routing policy ${policyId}` : `the ${by}`;
}

const MOST_NAMES = 12;

export function describeValue(what: ScopeLimit["what"], value: ScopeLimit["value"]): string {
  if (typeof value === "number") return what === "minutes" ? `${Math.round(value * 6000) / 100} s` : `${value} bytes`;
  if (value.length === 0) return "none";
  const shown = value.slice(0, MOST_NAMES).join(", ");
  return value.length > MOST_NAMES ? `${shown} and ${value.length - MOST_NAMES} more` : shown;
}

/** The task as its plan was frozen, and the routing policy whose bounds hold for it. */
export function findPlannedTask(
  taskId: string,
  events: readonly LoggedEvent[],
): { readonly task: RunTask; readonly planId: string; readonly policyId: string | undefined } | null {
  const frozen = events.findLast(({ event }) => event.type === "plan_frozen")?.event;
  if (frozen?.type !== "plan_frozen") return null;
  const task = frozen.plan.tasks.find(({ task_id }) => task_id === taskId);
  return task === undefined ? null : { task, planId: frozen.plan.plan_id, policyId: frozen.plan.bounds?.policy_id };
}

/** Finds the limit that a rule of the scope comes from. */
const LIMIT_OF_RULE: Readonly<Record<string, ScopeLimit["what"]>> = {
  scope_tool_kind: "tools",
  scope_write: "write",
  scope_network: "network",
};

/** Who set the limit that a rule of the scope refused a use by; nothing for any other rule. */
export function describeLimitSource(ruleId: string, taskId: string, events: readonly LoggedEvent[]): string[] {
  const what = LIMIT_OF_RULE[ruleId];
  const planned = findPlannedTask(taskId, events);
  const limit = planned?.task.limits?.find((one) => one.what === what);
  return limit === undefined ? [] : [describeLimit(limit, planned?.policyId)];
}
