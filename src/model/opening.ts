import { z } from "zod";
import { Brief } from "./intent-spec.js";
import { Checksum } from "./primitives.js";
import { Message, Usage } from "./run.js";

/*
 * What went before a plan that was made from words or from a decision record. It is kept beside the plan by the checksum
 * of its intent, so that whoever carries the plan out later puts it into the run's log.
 */

/** The decision record a plan was made from, as it was then. */
export const AdrSource = z.strictObject({
  label: z.string(),
  file: z.string(),
  checksum: Checksum,
  /** What the record itself says; a person may approve one that is only proposed. */
  status: z.string(),
  approved_by: z.string(),
});
export type AdrSource = z.infer<typeof AdrSource>;

export const RequestOpening = z.strictObject({
  schema_version: z.literal("1.0.0"),
  intent_checksum: Checksum,
  request_id: z.string(),
  request: z.string(),
  intake: z.strictObject({ rule_id: z.string(), reason: z.string() }),
  route: z.strictObject({ routed_to: z.enum(["product", "dev"]), rule_id: z.string() }),
  messages: z.array(Message),
  /** What specifying and planning used, when a model did it. */
  used: z.array(z.strictObject({ purpose: z.string(), usage: Usage })),
  /** Minutes all attempts together may take; null: no limit was asked for. */
  minutes: z.number().min(0).nullable(),
  brief: Brief,
});
export type RequestOpening = z.infer<typeof RequestOpening>;
