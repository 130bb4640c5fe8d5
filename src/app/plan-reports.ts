import type { CoordinatorResponse, IntakeDecision } from "../model/request.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { ExecutionIntent, IntentLock } from "../model/plan/intent.js";
import type { ExecutionPolicy } from "../model/plan/policy.js";
import type { Explanation } from "../mind/plan/explain.js";
import type { PlanReport } from "./plan/planning.js";
import type { PlanVerification } from "../mind/plan/verify-plan.js";
import type { RoutingDecision } from "../model/routing.js";
import type { RunExplanation } from "./inspect/explain/explanation-part.js";

/* Reports of the commands about plans and the intents and requests they are made from. */
export type PlanningReport =
  | PlanMade
  | PlanVerified
  | Explained
  | Explainable
  | IntentChecked
  | IntentSealed
  | IntakeMade
  | Routed
  | BatchDone;

export interface PlanMade extends PlanReport {
  readonly type: "plan";
  /** Every problem behind a refusal, with its place in a file where that is known. */
  readonly problems: readonly Diagnostic[];
  /** Where the plan was written; null when it was not. */
  readonly writtenTo: string | null;
  /** The graph after each transform, when asked for. */
  readonly stages: readonly { readonly stage: string; readonly graph: string }[];
  readonly next: readonly string[];
  /** For a plan from words or a decision record: how it came about, one line each. */
  readonly told?: readonly string[];
  /** The run that waits for the plan's approval. */
  readonly runId?: string;
  /** Workers and checks of the settings; absent where none were read. */
  readonly ground?: PlanGround;
  /** Anyone who reads it is asked for their approval right below it. */
  readonly isAsked?: boolean;
}

export interface PlanGround {
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  readonly workers: ExecutionPolicy["workers"];
}

export interface PlanVerified {
  readonly type: "verification";
  readonly folder: string;
  readonly verification: PlanVerification;
}

interface Explained {
  readonly type: "explanation";
  readonly explanation: Explanation | RunExplanation;
}

/** Parts of a run that can be explained. */
export interface Explainable {
  readonly type: "explainable";
  readonly run_id: string;
  readonly ids: readonly string[];
  /** How many events its log has: each can be asked for by its number. */
  readonly events: number;
}

export interface IntentChecked {
  readonly type: "intent_check";
  readonly file: string;
  readonly intentId: string | null;
  readonly schemaVersion: string | null;
  /** The checks, in order, and whether each passed. */
  readonly checks: readonly { readonly name: string; readonly passed: boolean; readonly reason: string }[];
  readonly problems: readonly Diagnostic[];
  readonly recovery: readonly string[];
}

export interface IntentSealed {
  readonly type: "intent_seal";
  readonly intent: ExecutionIntent;
  readonly lock: IntentLock | null;
  /** The sealed document in the form of the file it came from. */
  readonly text: string;
  readonly writtenTo: string | null;
  readonly lockWrittenTo: string | null;
}

export interface IntakeMade {
  readonly type: "intake";
  readonly decision: IntakeDecision;
  readonly response: CoordinatorResponse;
  readonly policyId: string;
  /** Problems of the request as a document, with their places. */
  readonly problems: readonly Diagnostic[];
  /** Each judgement with the words behind it, when asked for. */
  readonly screen: string | null;
  /** The command that judges the request again with answers. */
  readonly again: string;
  /** The log it is on record in, when it was asked for to be carried out. */
  readonly recorded?: string;
  /** Commands to answer and to resume, when that is possible. */
  readonly next?: readonly string[];
}

export interface Routed {
  readonly type: "route";
  readonly decision: RoutingDecision;
  /** Null when the policy could not be used. */
  readonly policyId: string | null;
  /** The context registry that was used; null when there is none, or the input lists its own documents. */
  readonly contextFile: string | null;
  /** The description of the deciding rule. */
  readonly description: string | null;
  /** Problems of the input or of the policy in it, with their places. */
  readonly problems: readonly Diagnostic[];
  /** Which words fired which rule, when asked for. */
  readonly screen: string | null;
  /** Commands to answer and to resume, when it is on record. */
  readonly next?: readonly string[];
}

/** A batch has written its records itself, one for each line. */
interface BatchDone {
  readonly type: "batch";
  readonly decided: number;
  readonly bad: number;
}
