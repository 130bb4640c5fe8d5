import type {
  EscalationTrigger,
  RoutingFailurePolicy,
  SemanticErrorType,
  StructuralErrorType,
} from "../model/routing.js";

/** What a child did against a rule, the Intent Spec or its scope. */
export interface Violation {
  readonly type: SemanticErrorType;
  /** The document, constraint or operation in question. */
  readonly ref: string;
  readonly message: string;
}

/** What is known about a child execution when it has ended. */
export interface ChildOutcome {
  readonly ended: "completed" | "timed_out" | "crashed" | "insufficient_input";
  /** What is wrong with the form of the output, or null. */
  readonly malformed: "invalid_json" | "truncated" | "schema_violation" | null;
  readonly violations: readonly Violation[];
  /** References of documents that the output contradicts, as validation found. */
  readonly contradicts: readonly string[];
  readonly message: string;
}

export type ChildFailure =
  | { readonly class: "structural"; readonly type: StructuralErrorType; readonly message: string }
  | { readonly class: "semantic"; readonly type: SemanticErrorType; readonly violations: readonly Violation[] }
  | { readonly class: "insufficient_input"; readonly message: string };

/**
 * Structural, semantic, or none. Null when the child succeeded.
 *
 * INVARIANT: a violation wins over everything else that went wrong, so that no crash or timeout turns a semantic error
 * into one that is retried. A child is held only to documents it was given.
 */
export function classifyFailure(outcome: ChildOutcome, injectedContext: readonly string[]): ChildFailure | null {
  const given = new Set(injectedContext);
  const contradictions: Violation[] = outcome.contradicts
    .filter((ref) => given.has(ref))
    .map((ref) => ({ type: "rule_violation", ref, message: "the output contradicts a document it was given" }));
  const violations = [...outcome.violations, ...contradictions];
  const [first] = violations;
  if (first !== undefined) return { class: "semantic", type: first.type, violations };
  const { ended, malformed, message } = outcome;
  if (ended === "timed_out") return { class: "structural", type: "timeout", message };
  if (ended === "crashed") return { class: "structural", type: "runtime_crash", message };
  if (ended === "insufficient_input") return { class: "insufficient_input", message };
  if (malformed === null) return null;
  return {
    class: "structural",
    type: "malformed_output",
    message: message === "" ? malformed : `${malformed}: ${message}`,
  };
}

/** For the audit trail: how often it was tried again, and what went wrong each time. */
export interface RetryAudit {
  readonly retry_count: number;
  readonly failures: readonly ChildFailure[];
}

export type FailureResponse =
  /** `carries_over` is empty by type: a new instance knows nothing of the failed one. */
  | {
      readonly action: "retry";
      readonly retry: number;
      readonly instance: "new";
      readonly carries_over: readonly [];
      readonly audit: RetryAudit;
    }
  | { readonly action: "reevaluate"; readonly audit: RetryAudit }
  | {
      readonly action: "escalate";
      readonly trigger: EscalationTrigger;
      readonly kill: boolean;
      readonly audit: RetryAudit;
    }
  | { readonly action: "fail"; readonly trigger: EscalationTrigger; readonly audit: RetryAudit };

/**
 * The response to a failure, given the failures of the same child execution before it.
 *
 * Contract: pure and non-negotiable. Structural: retried up to the policy's limit by a new instance, then escalated.
 * Semantic: killed and escalated at once, whatever the policy says. Insufficient input: routing looks again.
 */
export function retryDecision(
  before: readonly ChildFailure[],
  failure: ChildFailure,
  policy: RoutingFailurePolicy,
): FailureResponse {
  const retries = before.filter((f) => f.class === "structural").length;
  const audit: RetryAudit = { retry_count: retries, failures: [...before, failure] };
  // INVARIANT: semantic errors are never retried.
  if (failure.class === "semantic") return { action: "escalate", trigger: failure.type, kill: true, audit };
  if (failure.class === "insufficient_input") {
    if (before.every((f) => f.class !== "insufficient_input")) return { action: "reevaluate", audit };
    return giveUp("insufficient_input", policy, audit);
  }
  if (retries < policy.max_retries)
    return { action: "retry", retry: retries + 1, instance: "new", carries_over: [], audit };
  return giveUp("retries_exhausted", policy, audit);
}

/** A trigger that the policy does not list ends the task instead of asking a person. */
function giveUp(trigger: EscalationTrigger, policy: RoutingFailurePolicy, audit: RetryAudit): FailureResponse {
  if (policy.escalation_triggers.includes(trigger)) return { action: "escalate", trigger, kill: false, audit };
  return { action: "fail", trigger, audit };
}

export interface EscalationPackage<Input, Output> {
  readonly status: "escalated";
  readonly task_id: string;
  readonly input: Input;
  readonly injected_context: readonly string[];
  readonly agent_output: Output | null;
  readonly violation: ChildFailure;
  readonly audit: RetryAudit;
  readonly decided_by: "operator";
}

/** Everything a person needs to decide what happens next, as it was: nothing is summed up or left out. */
export function escalationPackage<Input, Output>(execution: {
  readonly task_id: string;
  readonly input: Input;
  readonly injected_context: readonly string[];
  readonly output: Output | null;
  readonly failure: ChildFailure;
  readonly audit: RetryAudit;
}): EscalationPackage<Input, Output> {
  const { task_id, input, injected_context, output, failure, audit } = execution;
  return {
    status: "escalated",
    task_id,
    input,
    injected_context,
    agent_output: output,
    violation: failure,
    audit,
    decided_by: "operator",
  };
}
