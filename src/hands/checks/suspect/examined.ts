import type { Check, CheckResult } from "../../../model/settings/check.js";
import type { Objection } from "../../../model/run.js";

/* Whether a result that passes its checks passes for the right reason: what is asked, and what comes back. */

/** A result whose checks have been run, and nothing was worse than on the base. */
export interface Seen {
  readonly base_tree: string;
  readonly tree: string;
  readonly baseline: readonly CheckResult[];
  readonly results: readonly CheckResult[];
  readonly checks: readonly Check[];
}

interface Examined {
  /** `weakened` and `untested`: they hold the result until a person waives them. */
  readonly objections: readonly Objection[];
  /** Why it fails after all. */
  readonly failures: readonly string[];
  /** Notes that are reported and hold nothing. */
  readonly notes: readonly string[];
}

/** The checks, on the tree that stands somewhere. */
type Run = (tree: string, checks: readonly Check[], signal: AbortSignal) => Promise<CheckResult[]>;

export type Examine = (seen: Seen, run: Run, signal: AbortSignal) => Promise<Examined>;

/** One file that differs, as text on both sides; null where there is none, or where it is not text. */
export interface FileChange {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted";
  readonly before: string | null;
  readonly after: string | null;
}

/** The files of one tree. */
export interface ProjectView {
  readonly paths: ReadonlySet<string>;
  /** Contract: null for what is not there, is not a regular file, or is too large to be looked at. */
  readonly read: (path: string) => Promise<string | null>;
}
