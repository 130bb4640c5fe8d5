import { z } from "zod";
import { ReviewCategory, RuleId, SemVer, text } from "./primitives.js";
import { ChangeKind, GuardrailEntry, GuardrailSeverity, SecurityKind } from "./plan/registry.js";
import { Decider } from "./run.js";

/*
 * The changes of an attempt to its workspace, and the outcome of the gate over all of them. The gate decides, not what the agent
 * told on the way.
 */

/** One file that differs from the base. */
export const Change = z.strictObject({
  path: z.string().min(1),
  change: ChangeKind,
  /** As git writes it, of the new file; of the old one when it was deleted. */
  mode: z.string().regex(/^[0-7]{6}$/),
  size: z.int().min(0),
  binary: z.boolean(),
});
export type Change = z.infer<typeof Change>;

/** A guardrail that a person waived for certain paths. It holds for the version of the guardrail that was shown. */
export const GuardrailOverride = z.strictObject({
  rule_id: RuleId,
  version: SemVer,
  path: text(1, 1024).describe("A path or pattern."),
  /** The category that the person answers for, where the guardrail asks for a reviewer of a category. */
  as: ReviewCategory.optional(),
  reason: text(3, 1000),
  decider: Decider,
});
export type GuardrailOverride = z.infer<typeof GuardrailOverride>;

export const DiffFinding = z.strictObject({
  rule_id: z.string(),
  severity: z.enum(["violation", "resource", ...GuardrailSeverity.options]),
  path: z.string(),
  line: z.int().min(1).optional(),
  /** At most 200 characters of the line, secrets taken out. */
  excerpt: z.string().optional(),
  reason: z.string(),
  security: SecurityKind.optional(),
  /** The injected document that the rule comes from. */
  document: z.string().optional(),
  override: GuardrailEntry.shape.override.unwrap().describe("Who may waive it."),
  /** Set when somebody did: the finding is then kept for the record and decides nothing. */
  lifted: GuardrailOverride.optional(),
});
export type DiffFinding = z.infer<typeof DiffFinding>;

export const DiffDecision = z.strictObject({
  /** violation: outside the scope. blocked: a person may waive it. resource: more files than permitted. */
  verdict: z.enum(["pass", "violation", "safety", "blocked", "resource"]),
  findings: z.array(DiffFinding),
});
export type DiffDecision = z.infer<typeof DiffDecision>;
