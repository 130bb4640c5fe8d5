import type { PublishedPart } from "./hosts/publish-part.js";

/* Reports of the commands about hosts of code. */
export type HostReport = RunPublished | IssuePlanned | HostSynced;

/** A plan that was made of an issue, and what has become of it. */
export interface IssuePlanned {
  readonly type: "issue";
  readonly run_id: string;
  readonly address: string;
  /** `stale`: the issue was changed after it was planned. */
  readonly status: "waiting" | "stale" | "approved";
  readonly plan_checksum: string;
  readonly comment: number | null;
  /** Descriptions of what was removed from the issue's text before it was read. */
  readonly removed: readonly string[];
  /** Comments that ordered an approval and do not count, and why. */
  readonly refused: readonly string[];
  readonly next: readonly string[];
}

export interface SyncedIssue {
  readonly run_id: string;
  readonly number: number;
  readonly status: "waiting" | "stale" | "approved";
  readonly by: string | null;
  readonly refused: readonly string[];
}

/** Feedback on a pull request of a run. */
export interface RunFeedback {
  readonly run_id: string;
  readonly part: string;
  readonly pull: number;
  readonly address: string;
  /** Whether the head is the commit that was published; false after a person pushed. */
  readonly is_our_head: boolean;
  /** Threads of people that we have not answered. */
  readonly remarks: readonly {
    readonly thread: string;
    readonly by: string;
    readonly path: string;
    readonly line: number | null;
    readonly text: string;
    readonly address: string;
  }[];
  /** Checks of the host that failed on our head. */
  readonly checks: readonly {
    readonly name: string;
    readonly conclusion: string;
    readonly summary: string;
    readonly address: string;
  }[];
}

/** The outcome of planning remarks and red checks. */
export interface SyncedFollowUp {
  /** Null when no run was made of it. */
  readonly run_id: string | null;
  /** The run that opened the pull request. */
  readonly of: string;
  readonly pull: number;
  /** Three at most. */
  readonly round: number;
  readonly status: "waiting" | "stale" | "working" | "published" | "unplanned" | "over";
  readonly plan_checksum: string | null;
  /** Its commit on the pull request; null before it is there. */
  readonly head: string | null;
  /** Remarks that do not count, and obstacles. */
  readonly notes: readonly string[];
}

/** An issue that a label had planned. */
export interface PlannedIssue {
  readonly number: number;
  /** `held`: as many plans were started in a day as the settings allow. */
  readonly status: "planned" | "unplanned" | "held";
  /** Why it is not planned; null when it is. */
  readonly reason: string | null;
}

/** A pull request that could not be sent yet. */
export interface WaitingSend {
  readonly run_id: string;
  readonly repository: string;
  readonly reason: string;
  /** Null when the host did not say. */
  readonly until: string | null;
  readonly command: string;
}

/** The outcome of sending what waited. */
export interface SyncedSend {
  readonly run_id: string;
  readonly status: "published" | "waiting" | "refused";
  /** Why it is not published; null when it is. */
  readonly reason: string | null;
}

export interface HostSynced {
  readonly type: "synced";
  readonly repository: string;
  readonly sent: readonly SyncedSend[];
  readonly labelled: readonly PlannedIssue[];
  readonly issues: readonly SyncedIssue[];
  readonly runs: readonly RunFeedback[];
  readonly follow_ups: readonly SyncedFollowUp[];
}

export interface RunPublished {
  readonly type: "published";
  readonly run_id: string;
  readonly repository: string;
  /** `waiting`: the host could not be reached or limits this login; what is left stands in the outbox. */
  readonly status: "published" | "waiting" | "dry_run";
  readonly waits: { readonly reason: string; readonly until: string | null } | null;
  readonly parts: readonly PublishedPart[];
  /** Drafts of what would be sent, when it was only asked for. */
  readonly drafts: readonly {
    readonly part: string;
    readonly branch: string;
    readonly base: string;
    readonly head: string;
    readonly title: string;
    readonly body: string;
  }[];
}
