import { z } from "zod";
import { AMOUNTS } from "../amount-names.js";
import { text } from "../primitives.js";
import { ScopeAddition } from "../scope.js";
import { Amounts } from "./keys.js";

/* How an attempt goes: its turns, what it used, how it ended. */

export const StructuralError = z.enum([
  "malformed_output",
  "timeout",
  "crash",
  "lost_connection",
  "rate_limit",
  "usage_limit",
  /** The agent cannot be started with the model it is to use, or its provider does not have it. */
  "model_unavailable",
]);

/** How an attempt ended. Exactly one of these, whatever happened. */
export const AttemptOutcome = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("completed"), output_ref: z.string() }),
  z.strictObject({
    kind: z.literal("structural"),
    error: StructuralError,
    message: z.string(),
    /** A usage limit says when it ends; milliseconds of the run's clock. */
    wait_until_ms: z.number().optional(),
  }),
  z.strictObject({ kind: z.literal("semantic"), violation: z.enum(["rule", "spec", "scope"]), message: z.string() }),
  z.strictObject({ kind: z.literal("resource"), what: z.enum(AMOUNTS), message: z.string() }),
  z.strictObject({ kind: z.literal("clarification"), question: z.string() }),
  /** The workspace could not be used: setup failed, the disk is full, ignore files take too long. Never the agent's failure. */
  z.strictObject({
    kind: z.literal("environment"),
    message: z.string(),
    /** The whole output of what failed. */
    log_ref: z.string().optional(),
  }),
  /** The work needs more than its scope allows, and nothing was done outside of it. */
  z.strictObject({ kind: z.literal("scope_request"), request: ScopeAddition, message: z.string() }),
  z.strictObject({ kind: z.literal("quality"), message: z.string() }),
  z.strictObject({ kind: z.literal("safety"), message: z.string() }),
  z.strictObject({ kind: z.literal("cancelled") }),
]);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

/** The usage of an attempt. An amount that an agent does not report is estimated and marked so; it is never zero. */
export const Usage = z.strictObject({
  amounts: Amounts,
  source: z.enum(["reported", "estimated"]),
  /** Amounts that anyone who held the attempt has counted, whatever the source of the rest: these may be zero. */
  counted: z
    .array(z.enum(["files", "commits", "cost_usd"]))
    .max(3)
    .optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Whether an agent gave the completion promise it was asked for, and after how many turns. */
export const Promised = z.strictObject({
  text: text(1, 120),
  given: z.boolean(),
  iterations: z.int().min(0),
  /** Why it was not asked to go on, where something was missing; empty otherwise. */
  reason: z.string().max(1000),
});
export type Promised = z.infer<typeof Promised>;

/** One turn of an agent within an attempt: what it promised, what its checks say, what it used. */
export const Iteration = z.strictObject({
  iteration: z.int().min(1),
  limit: z.int().min(1),
  /** It ended with the completion promise. */
  promised: z.boolean(),
  /** How many findings of each check fail that did not on the base, and how many did. */
  checks: z
    .array(z.strictObject({ check: z.string(), failing: z.int().min(0), failed_before: z.int().min(0) }))
    .max(1000),
  /** Names of what fails, the first of them. */
  failing: z.array(z.string().max(300)).max(20),
  /** Whether the agent was told to go on, and why not where something is missing. */
  next: z.enum(["done", "again", "ask"]),
  reason: z.string().max(1000),
  /** The tokens of this turn. */
  tokens: Amounts.shape.tokens,
  cost_usd: Amounts.shape.cost_usd,
  source: z.enum(["reported", "estimated"]),
});
export type Iteration = z.infer<typeof Iteration>;
