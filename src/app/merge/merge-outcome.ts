import type { VerdictReport } from "../../model/settings/check.js";
import type { MergeFacts } from "./merge-statement.js";

/** The outcome of a merge. */
export type MergeOutcome =
  | {
      readonly status: "merged";
      readonly how: "fast_forward" | "merge_commit" | "exported" | "already";
      readonly into: string;
      readonly from: string | null;
      readonly to: string;
      /** The verdict on the merged tree; null when it is the very tree that was proven in the run. */
      readonly verdict: VerdictReport | null;
      readonly requirements: MergeFacts["requirements"];
      readonly reviews: MergeFacts["reviews"];
      readonly checkout: string | null;
      /** The record of what the signed statement says; null when nothing was signed this time. */
      readonly record: string | null;
    }
  | {
      readonly status: "refused";
      readonly why: "rule" | "verification";
      readonly reason: string;
      readonly fix: string;
    };

export type Refused = Extract<MergeOutcome, { status: "refused" }>;

export const refuseMerge = (reason: string, fix: string, why: Refused["why"] = "rule"): Refused => ({
  status: "refused",
  why,
  reason,
  fix,
});
