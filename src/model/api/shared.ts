import { z } from "zod";

/* Schemas that many answers of the API have in common. Fields are only ever added: readers pass over those they do not know. */

/** Amounts that are used, reserved or allowed. */
export const AmountsJson = z.looseObject({
  tokens: z.number(),
  cost_usd: z.number(),
  minutes: z.number(),
  files: z.number(),
  commits: z.number(),
  api_calls: z.number(),
});

export const Time = z.string().describe("RFC 3339.");
/** A document of its own schema, as it stands. */
export const Document = z.unknown();
export const ProjectKey = z.string().regex(/^prj_[0-9a-f]{12}$/);
export const RunStatusName = z.enum(["pending", "in_progress", "blocked", "completed", "failed"]);
export const EntryKind = z.enum(["plan_approval", "review", "question", "scope_request", "task_change", "escalation"]);
export const TroubleJson = z.looseObject({ code: z.string(), message: z.string(), fix: z.string().nullable() });
