import type { PublishedPart } from "./hosts/publish-part.js";

/* What the commands about hosts of code found out. */
export type HostReport = RunPublished;

export interface RunPublished {
  readonly type: "published";
  readonly run_id: string;
  readonly repository: string;
  /** `waiting`: the host could not be reached or limits this login; what is left stands in the outbox. */
  readonly status: "published" | "waiting" | "dry_run";
  readonly waits: { readonly reason: string; readonly until: string | null } | null;
  readonly parts: readonly PublishedPart[];
  /** What would be sent, when it was only asked for. */
  readonly drafts: readonly {
    readonly part: string;
    readonly branch: string;
    readonly base: string;
    readonly head: string;
    readonly title: string;
    readonly body: string;
  }[];
}
