import { z } from "zod";
import { Lineage } from "./graph.js";
import { Checksum, DateTime, IntentId, RunId, SemVer } from "../primitives.js";
import { PlanState } from "../tape.js";

export const PlanFile = z.strictObject({
  content_checksum: Checksum.nullable().describe(
    "SHA-256 of the canonical form without the clock; null for renderings.",
  ),
  file_checksum: Checksum.describe("SHA-256 of the bytes of the file."),
});
export type PlanFile = z.infer<typeof PlanFile>;

/** The seal of a plan: what it was made from, what it holds, and one checksum over all of it. */
export const PlanManifest = z.strictObject({
  schema_version: z.literal("1.0.0"),
  plan_id: z.string().regex(/^plan_[a-z0-9_]{6,64}$/),
  state: PlanState,
  intent_id: IntentId,
  coordinator_run_id: RunId,
  coordinator_version: SemVer,
  plan_checksum: Checksum.describe("Over the content checksums of all outputs and inputs, and the lineage."),
  lineage: Lineage,
  inputs: z.record(z.string(), PlanFile),
  outputs: z.record(z.string(), PlanFile),
  made_at: DateTime,
});
export type PlanManifest = z.infer<typeof PlanManifest>;
