import type { Breakdown } from "../mind/adr/break-down.js";
import type { ParsedAdr } from "../mind/adr/parse-adr.js";
import type { FoundAgent } from "../hands/agents/find-agents.js";
import type { TrustStatus } from "../hands/settings/trust/trust-status.js";
import type { PlanReport } from "./plan/planning.js";
import type { AgentTrial } from "../hands/attempts/try-agent.js";
import type { Check } from "../model/settings/check.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { ExecutionIntent, IntentLock } from "../model/plan/intent.js";
import type { FactPack, MemoryPack } from "../model/settings/packs.js";
import type { ExecutionPolicy } from "../model/plan/policy.js";
import type { RegistryEntry } from "../model/plan/registry.js";
import type { CoordinatorResponse, IntakeDecision } from "../model/request.js";
import type { RoutingDecision } from "../model/routing.js";
import type { Explanation } from "../mind/plan/explain.js";
import type { RunExplanation } from "./inspect/explain/explanation-part.js";
import type { PlanVerification } from "../mind/plan/verify-plan.js";
import type { CleanEntry, Cleaned } from "../hands/workspace/clean/clean.js";
import type { ExitCode } from "./exit-codes.js";
import type { HostReport } from "./host-reports.js";
import type { RunReport } from "./run-reports.js";
import type { ServeReport } from "./serve-reports.js";

/*
 * The report of a command, before it is rendered. The views turn a report into text for people or into
 * one JSON document; a command never prints.
 */
export type Report =
  | PlanMade
  | PlanVerified
  | Explained
  | Explainable
  | IntentChecked
  | IntentSealed
  | RegistryChecked
  | RegistryListed
  | RegistryShown
  | RegistryDrafted
  | FactsCollected
  | MemoryBuilt
  | IntakeMade
  | Routed
  | AdrsChecked
  | AdrsListed
  | AdrsWatched
  | BatchDone
  | RunReport
  | HostReport
  | ServeReport
  | CleanDone
  | StoreMigrated
  | Examined
  | Initialised
  | TrustShown
  | Completion
  | Failure;

export interface Finished {
  readonly exitCode: ExitCode;
  readonly report: Report;
  /** For a request that became no run: where it is on record, and the response to the person who asked. */
  readonly answer?: { readonly run_id: string; readonly response: CoordinatorResponse };
}

/** Requests of a project that reach beyond it, and their state. */
export interface TrustShown extends TrustStatus {
  readonly type: "trust";
  readonly done: "shown" | "agreed" | "declined" | "revoked" | "nothing_to_revoke";
}

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

export interface RegistryChecked {
  readonly type: "registry_check";
  readonly directories: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly Diagnostic[];
}

interface RegistryListed {
  readonly type: "registry_list";
  readonly entries: readonly { readonly entry: RegistryEntry; readonly place: string }[];
}

interface RegistryShown {
  readonly type: "registry_entry";
  readonly entries: readonly { readonly entry: RegistryEntry; readonly place: string; readonly yaml: string }[];
}

export interface RegistryDrafted {
  readonly type: "registry_draft";
  readonly files: readonly {
    readonly path: string;
    readonly yaml: string;
    readonly status: "drafted" | "written" | "exists";
  }[];
}

export interface FactsCollected {
  readonly type: "facts";
  readonly pack: FactPack;
  /** Facts of the file that was there before and that nobody can see in a repository. */
  readonly kept: readonly string[];
  /** Facts the registry declares and nobody has said yet. */
  readonly unknown: readonly string[];
  readonly writtenTo: string;
}

export interface MemoryBuilt {
  readonly type: "memory";
  readonly pack: MemoryPack;
  readonly learned: { readonly observations: number; readonly plans: number };
  readonly writtenTo: string;
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

/** A decision record that was read, or why it was not. */
export type AdrRecord =
  | {
      readonly ok: true;
      readonly adr: ParsedAdr;
      readonly breakdown: Breakdown;
      readonly checksum: string;
      /** The newest run that carries it out, and whether the record has changed since. */
      readonly taken: { readonly run_id: string; readonly changed: boolean } | null;
    }
  | { readonly ok: false; readonly file: string; readonly problems: readonly Diagnostic[] };

export interface AdrsChecked {
  readonly type: "adr_check";
  readonly records: readonly AdrRecord[];
}

export interface AdrsWatched {
  readonly type: "adr_watch";
  readonly picked: readonly {
    readonly label: string;
    readonly file: string;
    readonly runId: string | null;
    readonly message: string;
    readonly exitCode: ExitCode;
  }[];
  /** Records that are not what they were when they were taken. */
  readonly changed: readonly { readonly label: string; readonly file: string; readonly run_id: string | null }[];
  /** How many were accepted before anybody watched. */
  readonly before: number;
}

export interface AdrsListed {
  readonly type: "adr_list";
  readonly folders: readonly string[];
  readonly records: readonly AdrRecord[];
}

/** A batch has written its records itself, one for each line. */
interface BatchDone {
  readonly type: "batch";
  readonly decided: number;
  readonly bad: number;
}

export interface CleanDone {
  readonly type: "clean";
  readonly repository: string;
  readonly entries: readonly CleanEntry[];
  /** Null when it was only asked what would be done. */
  readonly cleaned: Cleaned | null;
}

/** The runs of a project are in another store now. */
export interface StoreMigrated {
  readonly type: "migrated";
  readonly from: string;
  readonly to: string;
  readonly runs: readonly { readonly run_id: string; readonly events: number; readonly hash: string }[];
}

/** One thing that was looked at, and what to do when it is not as it should be. */
export interface Examination {
  readonly name: string;
  /** `unknown`: nobody looked. `weak`: works, with less than there could be. */
  readonly status: "good" | "weak" | "bad" | "unknown";
  readonly detail: string;
  readonly fix: string | null;
}

/** The result of setup, or of one check, on HEAD. */
export interface TriedLine extends Examination {
  readonly kind: Check["kind"] | "setup";
  readonly run: string;
  readonly elapsed_ms: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why it proves nothing; null when it does. */
  readonly cause: string | null;
}

/** Setup and every check, tried once where a run would begin. */
export interface ChecksTried {
  /** The commit they were tried on; null when they were not. */
  readonly commit: string | null;
  readonly not_tried: { readonly reason: string; readonly fix: string | null } | null;
  readonly lines: readonly TriedLine[];
}

export interface Examined {
  readonly type: "doctor";
  readonly ready: boolean;
  readonly checks: readonly Examination[];
  readonly tried: ChecksTried;
  readonly agents: readonly FoundAgent[];
  /** Agents that were started, and what they answered. */
  readonly trials: readonly AgentTrial[];
}

/** The script a shell completes commands with. */
interface Completion {
  readonly type: "completion";
  readonly shell: string;
  readonly script: string;
}

export interface Initialised {
  readonly type: "init";
  readonly file: string;
  readonly text: string;
  readonly status: "written" | "drafted" | "declined";
  /** The starter of the contract, when one was written. */
  readonly contract: string | null;
  /** The first context registry, when one was written. */
  readonly context: string | null;
  /** Subjects of the search, and what was found. */
  readonly seen: readonly { readonly name: string; readonly detail: string }[];
  readonly ready: boolean;
  readonly checks: readonly Examination[];
  readonly tried: ChecksTried;
  readonly next: readonly string[];
}

export interface Failure {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly problems: readonly Diagnostic[];
}

export function finished(exitCode: ExitCode, report: Report): Finished {
  return { exitCode, report };
}

export function failed(
  exitCode: ExitCode,
  code: string,
  message: string,
  more: { fix?: string | undefined; problems?: readonly Diagnostic[] } = {},
): Finished {
  return { exitCode, report: { type: "error", code, message, fix: more.fix, problems: more.problems ?? [] } };
}
