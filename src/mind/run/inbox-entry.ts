import type { Escalation, TaskChange } from "../../model/run.js";
import type { ScopeAddition } from "../../model/scope.js";

/** An entry that only a person can decide: an open question, approval or escalation. */
export type InboxEntry =
  | { readonly kind: "plan_approval"; readonly id: string }
  | { readonly kind: "review"; readonly id: string; readonly reviewers: readonly string[] }
  | {
      readonly kind: "question";
      readonly id: string;
      readonly task_id: string | null;
      readonly question: string;
      readonly options?: readonly string[];
    }
  | {
      readonly kind: "scope_request";
      readonly id: string;
      readonly task_id: string;
      readonly attempt: number;
      readonly request: ScopeAddition;
      readonly message: string;
    }
  | {
      readonly kind: "task_change";
      readonly id: string;
      readonly task_id: string;
      readonly change: TaskChange;
      readonly proposed_by: string;
    }
  | { readonly kind: "escalation"; readonly id: string; readonly escalation: Escalation };

/** The task an entry of the inbox is about; null for one about the run. */
export function taskIdOf(entry: InboxEntry): string | null {
  switch (entry.kind) {
    case "question":
    case "scope_request":
    case "task_change":
      return entry.task_id;
    case "escalation":
      return entry.escalation.task_id;
    case "plan_approval":
    case "review":
      return null;
  }
}

/** An escalation because a budget did not carry what was ready; as opposed to one about an attempt that ran out. */
export function isBudgetEntry(entry: InboxEntry): boolean {
  return (
    entry.kind === "escalation" && entry.escalation.type === "resource_exhaustion" && entry.escalation.attempt === null
  );
}

/** The entry an attempt that asks for a wider scope opens in the inbox. */
export function scopeRequestId(attemptKey: string): string {
  return `scope_${attemptKey}`;
}
