import type { RiskLevel } from "../../../model/primitives.js";
import type {
  Escalation,
  EscalationResponse,
  EscalationType,
  GateCriterion,
  GateDecision,
  Objection,
} from "../../../model/run.js";
import { hash32 } from "../seeded.js";
import type { FailedOutcome } from "./failure.js";

/** Why a person is asked. */
export type EscalationCause =
  | { readonly kind: "outcome"; readonly outcome: FailedOutcome }
  | { readonly kind: "gate"; readonly gate: GateDecision }
  /** One failure on several tasks: something common to them is broken. */
  | { readonly kind: "repeated"; readonly signature: string; readonly tasks: readonly string[] }
  /** A budget would not take the next attempt. */
  | { readonly kind: "budget"; readonly message: string }
  /** Checks that show nothing about any result. */
  | { readonly kind: "unproven"; readonly objections: readonly Objection[] }
  /** The agent was refused something that its task may need, or says itself that it is not done. */
  | { readonly kind: "refused"; readonly objections: readonly Objection[] }
  | { readonly kind: "unknown"; readonly message: string };

/** The work in progress, as it was: nothing is summed up or left out. */
export interface EscalationSubject {
  readonly task_id: string | null;
  readonly attempt: number | null;
  readonly input: string;
  readonly injected_context: readonly string[];
  readonly output: string;
  /** Nothing of the run can go on until this is decided. */
  readonly stops_run?: boolean;
  /** Tells two escalations of the same subject apart, such as two NO_GO of one phase. */
  readonly round?: number;
}

/** Something that stops the run until it is decided; about the run as a whole unless it says otherwise. */
export function stoppingRun(round: number, about: Partial<EscalationSubject> = {}): EscalationSubject {
  return {
    task_id: null,
    attempt: null,
    input: "",
    injected_context: [],
    output: "",
    ...about,
    stops_run: true,
    round,
  };
}

/**
 * The escalation for a cause: its type and severity, the response the specification gives to them, and the package a
 * person decides by.
 *
 * Contract: pure and total. The id follows from cause and subject, so that raising it twice is raising it once. The
 * one other approach to a technical blocker was tried before this (`alternative.ts`): from here only a person's order starts
 * another attempt.
 */
export function escalationFor(cause: EscalationCause, subject: EscalationSubject): Escalation {
  const { type, severity, summary, violation } = classify(cause, subject.stops_run ?? false);
  const { task_id, attempt, input, injected_context, output } = subject;
  return {
    escalation_id: escalationId(cause, type, subject),
    type,
    severity,
    task_id,
    attempt,
    response: responseTo(type, severity),
    summary,
    package: { input, injected_context: [...injected_context], output, violation },
  };
}

/** The specification's response to an escalation. A type it does not know is a person's to decide. */
export function responseTo(type: EscalationType, severity: RiskLevel): EscalationResponse {
  switch (type) {
    case "technical_blocker":
      return severity === "critical" ? "pause_and_ask_user" : "alternative_approach";
    case "resource_exhaustion":
      return "budget_increase_or_terminate";
    case "clarification_needed":
      return "ask_user";
    case "quality_failure":
      return "alternative_approach";
    case "safety_concern":
      return "terminate_and_report";
    case "unknown":
      return "ask_user";
  }
}

interface Classified {
  readonly type: EscalationType;
  readonly severity: RiskLevel;
  readonly summary: string;
  readonly violation: string;
}

function classify(cause: EscalationCause, stopsRun: boolean): Classified {
  const high: RiskLevel = stopsRun ? "critical" : "high";
  switch (cause.kind) {
    case "outcome":
      return classifyOutcome(cause.outcome, stopsRun);
    case "gate":
      return classifyGate(cause.gate);
    case "repeated":
      return {
        type: "technical_blocker",
        severity: "critical",
        summary: `The same failure on ${cause.tasks.length} tasks: ${cause.tasks.join(", ")}`,
        violation: cause.signature,
      };
    case "budget":
      return {
        type: "resource_exhaustion",
        severity: high,
        summary: `Out of budget: ${cause.message}`,
        violation: cause.message,
      };
    case "unproven":
      return {
        type: "clarification_needed",
        severity: "high",
        summary: `Not proven: ${cause.objections.map(({ message }) => message).join("; ")}`,
        violation: cause.objections.map(({ message }) => message).join("\n"),
      };
    case "refused":
      return {
        type: "clarification_needed",
        severity: high,
        summary: describeRefused(cause.objections),
        violation: cause.objections.map(({ message }) => message).join("\n"),
      };
    case "unknown":
      return { type: "unknown", severity: high, summary: cause.message, violation: cause.message };
  }
}

/** Names the refused uses; each objection says its reason itself. */
function describeRefused(objections: readonly Objection[]): string {
  const refused = objections.filter(({ kind }) => kind === "refused").map(({ id }) => id);
  const shown = refused.slice(0, 3).join("; ");
  const more = refused.length > 3 ? ` and ${refused.length - 3} more` : "";
  const others = objections.filter(({ kind }) => kind !== "refused");
  const isUnpromised = others.some(({ id }) => id === COMPLETION_PROMISE);
  const reasons = [
    ...(refused.length === 0 ? [] : [`was refused ${shown}${more}`]),
    ...(others.some(({ id }) => id !== COMPLETION_PROMISE) ? ["says itself that it is not done"] : []),
    ...(isUnpromised ? ["did not give its completion promise"] : []),
  ];
  return `The task may not be done: the agent ${reasons.join(", and ")}`;
}

/** The objection to a result whose agent did not give the promise it was asked for. */
export const COMPLETION_PROMISE = "completion promise";

const BROKEN = {
  scope: "The result leaves its scope",
  rule: "The result breaks a rule",
  spec: "The result does not meet its specification",
} as const;

function classifyOutcome(outcome: FailedOutcome, stopsRun: boolean): Classified {
  const high: RiskLevel = stopsRun ? "critical" : "high";
  switch (outcome.kind) {
    case "structural": {
      const violation = `${outcome.error}: ${outcome.message}`;
      return { type: "technical_blocker", severity: high, summary: `No attempt got through: ${violation}`, violation };
    }
    case "semantic": {
      const violation = `${outcome.violation} violation: ${outcome.message}`;
      // Leaving the scope is the gravest of the three: the other two spoil a result, this one reaches beyond it.
      const severity = outcome.violation === "scope" ? "critical" : high;
      return {
        type: "quality_failure",
        severity,
        summary: `${BROKEN[outcome.violation]}: ${outcome.message}`,
        violation,
      };
    }
    case "resource": {
      const violation = `${outcome.what}: ${outcome.message}`;
      return { type: "resource_exhaustion", severity: high, summary: `Out of ${violation}`, violation };
    }
    case "clarification":
      return {
        type: "clarification_needed",
        severity: stopsRun ? "high" : "medium",
        summary: outcome.question,
        violation: outcome.question,
      };
    case "environment":
      return {
        type: "technical_blocker",
        severity: high,
        summary: `The workspace could not be used: ${outcome.message}`,
        violation: outcome.message,
      };
    case "quality":
      return {
        type: "quality_failure",
        severity: high,
        summary: `The result is not good enough: ${outcome.message}`,
        violation: outcome.message,
      };
    case "safety":
      return {
        type: "safety_concern",
        severity: "critical",
        summary: `Stopped for safety: ${outcome.message}`,
        violation: outcome.message,
      };
  }
}

const TYPE_OF_CRITERION: Readonly<Record<GateCriterion["criterion"], EscalationType>> = {
  deliverables: "quality_failure",
  quality: "quality_failure",
  risks: "technical_blocker",
  blockers: "technical_blocker",
  resources: "resource_exhaustion",
};

/** The first criterion that failed gives the type; all of them are in the package. A phase that may not end is critical. */
function classifyGate(gate: GateDecision): Classified {
  const failed = gate.criteria.filter((criterion) => !criterion.passed);
  const [first] = failed;
  return {
    type: first === undefined ? "unknown" : TYPE_OF_CRITERION[first.criterion],
    severity: "critical",
    summary: `${gate.decision} at the end of ${gate.phase}: ${gate.reason}`,
    violation: failed.map(({ criterion, reason }) => `${criterion}: ${reason}`).join("\n"),
  };
}

/** Readable, and told apart by a hash where two subjects read the same. */
function escalationId(cause: EscalationCause, type: EscalationType, subject: EscalationSubject): string {
  const about = cause.kind === "gate" ? `gate-${cause.gate.phase}` : cause.kind;
  const tasks = cause.kind === "repeated" ? [...cause.tasks].sort() : [];
  // A budget that is raised and still too small is another escalation: its message has other numbers.
  const told = causeKey(cause);
  const identity = JSON.stringify([about, type, subject.task_id, subject.attempt, subject.round ?? 0, told, tasks]);
  const slug = [subject.task_id ?? about, subject.attempt ?? ""]
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 48)
    .replace(/^-|-$/g, "");
  const hash = [hash32(identity), hash32(identity, 1)].map((half) => half.toString(16).padStart(8, "0")).join("");
  return `esc_${slug === "" ? "" : `${slug}-`}${hash}`;
}

function causeKey(cause: EscalationCause): string {
  switch (cause.kind) {
    case "repeated":
      return cause.signature;
    case "budget":
      return cause.message;
    case "unproven":
      return cause.objections
        .map(({ id, cause: why = "" }) => `${id} ${why}`)
        .sort()
        .join("\n");
    default:
      return "";
  }
}
