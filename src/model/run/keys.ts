import { z } from "zod";

/* The names of runs, tasks and questions, the status of a run, and the amounts it may use. */

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[a-z0-9_-]{4,80}$`));
export const RunKey = id("run");
/** A log: of a run, or of a request that is none yet. */
export const LogKey = id("(?:run|req)");
export const TaskKey = z.string().min(1).max(80);
export const EscalationId = id("esc");
export const ChangeId = id("chg");

export const RunStatus = z.enum(["pending", "in_progress", "completed", "failed", "blocked"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const RunPhase = z.enum(["initiation", "planning", "execution", "monitoring", "closure"]);
export type RunPhase = z.infer<typeof RunPhase>;

/** How much of each thing: what a budget allows, what is set aside, what was used. */
export const Amounts = z.strictObject({
  tokens: z.number().min(0),
  cost_usd: z.number().min(0),
  minutes: z.number().min(0),
  files: z.number().min(0),
  commits: z.number().min(0),
  api_calls: z.number().min(0),
});
export type Amounts = z.infer<typeof Amounts>;

/** Some of the amounts: those that a person names when they raise a budget. */
export const BudgetLimits = Amounts.partial();
export type BudgetLimits = z.infer<typeof BudgetLimits>;

export const Priority = z.enum(["P0", "P1", "P2", "P3"]);
