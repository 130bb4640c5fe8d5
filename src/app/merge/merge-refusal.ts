import type { MergeOutcome } from "./merge-run.js";

export type Refused = Extract<MergeOutcome, { status: "refused" }>;

export const refuseMerge = (reason: string, fix: string, why: Refused["why"] = "rule"): Refused => ({
  status: "refused",
  why,
  reason,
  fix,
});
