import type { AgentTrial } from "../hands/attempts/try-agent.js";
import type { Check } from "../model/settings/check.js";
import type { CleanEntry, Cleaned } from "../hands/workspace/clean/clean.js";
import type { EngineSetting } from "./store/store-setting.js";
import type { FoundAgent } from "../hands/agents/find-agents.js";
import type { TrustStatus } from "../hands/settings/trust/trust-status.js";

/* Reports of the commands that set a project up and look after it. */
export type SetupReport = CleanDone | StoreMigrated | Examined | Initialised | TrustShown | Completion;

/** Requests of a project that reach beyond it, and their state. */
export interface TrustShown extends TrustStatus {
  readonly type: "trust";
  readonly done: "shown" | "agreed" | "declined" | "revoked" | "nothing_to_revoke";
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
  /** Who does the work of runs from now on. */
  readonly engine: EngineSetting;
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
