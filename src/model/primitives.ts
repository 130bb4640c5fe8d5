import { z } from "zod";
import { isDateTime } from "./date-time.js";

/** The number of characters a person sees as such: JSON Schema counts code points, JavaScript counts UTF-16 units. */
export function codePoints(text: string): number {
  let surrogatePairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        surrogatePairs++;
        i++;
      }
    }
  }
  return text.length - surrogatePairs;
}

/** Whether a text has `min` to `max` characters. */
export function fitsText(value: string, min: number, max: number): boolean {
  // Counting is only needed near the limits: no string has more code points than UTF-16 units.
  if (value.length >= min * 2 && value.length <= max) return true;
  const length = codePoints(value);
  return length >= min && length <= max;
}

/** A string of `min` to `max` characters, measured the way the published JSON Schema measures it. */
export function text(min: number, max: number) {
  return z
    .string()
    .check((ctx) => {
      if (fitsText(ctx.value, min, max)) return;
      if (codePoints(ctx.value) < min)
        ctx.issues.push({ code: "too_small", origin: "string", minimum: min, inclusive: true, input: ctx.value });
      else ctx.issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input: ctx.value });
    })
    .meta({ minLength: min, maxLength: max });
}

export const DateTime = z
  .string()
  .refine(isDateTime, { error: "must be an RFC 3339 date and time, e.g. 2026-01-25T11:00:00Z" })
  .meta({ format: "date-time" });

export const SemVer = z.string().regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, {
  error: "must be a version of the form MAJOR.MINOR.PATCH",
});

export const Checksum = z
  .string()
  .regex(/^[a-f0-9]{64}$/, { error: "must be a SHA-256 checksum: 64 lower-case hex characters" });

export const IntentId = z.string().regex(/^intent_[a-z0-9_]{6,64}$/, {
  error: "must be intent_ and 6 to 64 of a-z, 0-9 and _",
});
export const NodeId = z.string().regex(/^node_[a-z0-9_]{4,32}$/);
export const QuestionId = z.string().regex(/^q_[a-z0-9_]{4,32}$/);
export const RunId = z.string().regex(/^coord_run_[a-z0-9_]{6,64}$/);

export const ENTRY_ID_80 = /^[a-z][a-z0-9_]{2,80}$/;
export const ENTRY_ID_120 = /^[a-z][a-z0-9_]{2,120}$/;

/** The id of a registry entry: `most` characters after the first. */
const entryId = (most: 80 | 120) =>
  z.string().regex(most === 80 ? ENTRY_ID_80 : ENTRY_ID_120, {
    error: `must start with a-z and be 3 to ${most + 1} of a-z, 0-9 and _`,
  });
export const WorkflowId = entryId(80);
export const AgentId = entryId(80);
export const CommandId = entryId(120);
export const RuleId = entryId(120);

export const RISK_LEVELS = ["low", "medium", "high", "critical"] as const;
export const RiskLevel = z.enum(RISK_LEVELS);
export type RiskLevel = z.infer<typeof RiskLevel>;

/** The later of two in the order low < medium < high < critical. */
export function higherRisk(a: RiskLevel, b: RiskLevel): RiskLevel {
  return RISK_LEVELS.indexOf(a) >= RISK_LEVELS.indexOf(b) ? a : b;
}

export const Phase = z.enum([
  "setup",
  "analysis",
  "design",
  "implementation",
  "validation",
  "review",
  "release",
  "operations",
  "postmortem",
]);
export type Phase = z.infer<typeof Phase>;

export const IntentEffect = z.enum(["read", "write", "network", "deploy", "security", "data"]);
export type IntentEffect = z.infer<typeof IntentEffect>;

export const Mode = z.enum(["interactive", "semi_auto", "full_auto"]);
export type Mode = z.infer<typeof Mode>;

export const ReviewCategory = z.enum(["security", "data", "release", "architecture", "cost", "compliance"]);
export type ReviewCategory = z.infer<typeof ReviewCategory>;

export const Sensitivity = z.enum(["public", "internal", "confidential", "restricted"]);
export type Sensitivity = z.infer<typeof Sensitivity>;

export const EntryStatus = z.enum(["active", "deprecated", "frozen"]);
