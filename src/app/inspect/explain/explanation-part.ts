import type { EventOf, LoggedEvent, RunEvent, RunEventType } from "../../../model/event.js";
import type { ExplanationOf } from "../../../model/plan/explanation.js";
import type { Decider, PlanRef, RunPolicy } from "../../../model/run.js";

/* The parts that every explanation of an event is made from. */

export type RunExplanation = ExplanationOf<
  | "task"
  | "attempt"
  | "iteration"
  | "retry"
  | "tool use"
  | "verdict"
  | "gate"
  | "review"
  | "plan"
  | "sandbox"
  | "model choice"
  | "escalation"
  | "event"
>;

/** `why` begins with the rule, or with the person, that decided. */
export type Part = Pick<RunExplanation, "kind" | "why" | "alternatives"> &
  Partial<Pick<RunExplanation, "see" | "evidence">>;

/** The event that is explained, where it stands, and the whole log. */
export interface InLog {
  readonly logged: LoggedEvent;
  readonly events: readonly LoggedEvent[];
}

/** `ada, beforehand with --yes`. */
export function describePerson({ by, how, via }: Decider): string {
  if (how === "rule") return `the rule ${by}`;
  if (how === "timeout_default") return `${by}, because nobody answered in time`;
  const means = {
    yes: "beforehand with --yes",
    terminal: "when asked",
    dashboard: "in the dashboard",
    api: "by token",
    mcp: how === "agent" ? "an agent, over MCP" : "in a form of their agent",
    comment: "by a comment on the issue",
  };
  return via === undefined || via === "command" ? by : `${by}, ${means[via]}`;
}

export const describeDecider = (decider: Decider): string => `Decided by ${describePerson(decider)}.`;

export function attemptId({ task_id, attempt }: { readonly task_id: string; readonly attempt: number }): string {
  return `${task_id}#${attempt}`;
}

/** The last event of a type that a condition holds for. */
export function lastOf<T extends RunEventType>(
  events: readonly LoggedEvent[],
  type: T,
  holds: (event: EventOf<T>) => boolean = () => true,
): { readonly event: EventOf<T>; readonly sequence: number } | undefined {
  const isWanted = (event: RunEvent): event is EventOf<T> => event.type === type && holds(event as EventOf<T>);
  const found = events.findLast(({ event }) => isWanted(event));
  return found === undefined ? undefined : { event: found.event as EventOf<T>, sequence: found.sequence };
}

export function policyOf(events: readonly LoggedEvent[]): RunPolicy | null {
  return lastOf(events, "request_received")?.event.policy ?? null;
}

export function planOf(events: readonly LoggedEvent[]): PlanRef | null {
  return lastOf(events, "plan_frozen")?.event.plan ?? null;
}

/** Whether the agent of an attempt asked something: then routing was evaluated again. Other questions are the Coordinator's own. */
export function isAskedByAgent(
  events: readonly LoggedEvent[],
  { task_id, attempt }: { readonly task_id: string; readonly attempt: number },
): boolean {
  return (
    lastOf(events, "route_reevaluated", (event) => event.task_id === task_id && event.attempt === attempt) !== undefined
  );
}
