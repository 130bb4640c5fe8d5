import { z } from "zod";
import { RiskLevel, text } from "../primitives.js";
import { ScopeAddition } from "../scope.js";
import { Amounts, EscalationId, TaskKey } from "./keys.js";

/* Escalations to a person, the objections that hold a result, and the orders of a person. */

export const EscalationType = z.enum([
  "technical_blocker",
  "resource_exhaustion",
  "clarification_needed",
  "quality_failure",
  "safety_concern",
  "unknown",
]);
export type EscalationType = z.infer<typeof EscalationType>;

/** The specification's response to each type of escalation. */
export const EscalationResponse = z.enum([
  "pause_and_ask_user",
  "alternative_approach",
  "budget_increase_or_terminate",
  "ask_user",
  "terminate_and_report",
]);
export type EscalationResponse = z.infer<typeof EscalationResponse>;

/** A test that ran on the base and does not any more, as its check names it. */
const MissingTest = z.strictObject({ check: z.string(), id: z.string(), name: z.string() });
export type MissingTest = z.infer<typeof MissingTest>;
/** A missing test that a person waived. */
export type WaivedTest = MissingTest & { readonly by: string };

/** A guardrail that blocks a result at a path, and who may waive it there: any person, or one who reviews a category. */
const HeldGuardrail = z.strictObject({ rule_id: z.string(), path: z.string(), override: z.string() });
export type HeldGuardrail = z.infer<typeof HeldGuardrail>;

/**
 * Why a result is not taken as it is although no check fails.
 * - `unproven`: a check shows nothing about any result, because it shows nothing about the base. The id is the check, or `*`
 *   when no check at all shows anything.
 * - `refused`: the agent was refused something that its task may need. The id is what it was.
 * - `unfinished`: the agent itself says that its task is not done.
 * - `weakened`: the result changes what judges it: a test, its expected values, a file that steers a check.
 * - `untested`: a fix without a test that fails on the base.
 */
const ObjectionKind = z.enum(["unproven", "refused", "unfinished", "weakened", "untested"]);
export const Objection = z.strictObject({
  kind: ObjectionKind,
  id: z.string().min(1).max(1000),
  /** A description for people. */
  message: z.string().max(2000),
  /** For `unproven`: what would have to be equal for two results to have the same cause. */
  cause: z.string().max(400).optional(),
  /** For `refused`: what would have to be added to the scope so that it is allowed. */
  addition: ScopeAddition.optional(),
});
export type Objection = z.infer<typeof Objection>;

/** More than this nobody looks at one by one: a result that lets more go is not for a person to waive. */
export const MOST_WAIVED = 1000;
const waivable = {
  tests: z.array(MissingTest).max(MOST_WAIVED),
  guardrails: z.array(HeldGuardrail).max(MOST_WAIVED),
  /** Absent in logs of earlier versions. */
  objections: z.array(Objection).max(MOST_WAIVED).optional(),
};

/** The only things that keep a result from passing, each by its name, where a person may waive them. */
export const Waivable = z.strictObject(waivable);
export type Waivable = z.infer<typeof Waivable>;

/** Something only a person may decide, with everything needed to decide it. */
export const Escalation = z.strictObject({
  escalation_id: EscalationId,
  type: EscalationType,
  severity: RiskLevel,
  task_id: TaskKey.nullable(),
  attempt: z.int().min(0).nullable(),
  response: EscalationResponse,
  summary: z.string(),
  package: z.strictObject({
    input: z.string(),
    injected_context: z.array(z.string()),
    output: z.string(),
    violation: z.string(),
  }),
  liftable: Waivable.optional(),
});
export type Escalation = z.infer<typeof Escalation>;

/** The order of a person who answers an escalation. */
export const EscalationOrder = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("retry"), agent: z.string().optional(), note: z.string().optional() }),
  z.strictObject({ action: z.literal("raise_budget"), add: Amounts }),
  z.strictObject({ action: z.literal("give_up") }),
  z.strictObject({ action: z.literal("resume") }),
  /** These may go, of this result and of no other: it is judged once more, without another attempt. */
  z.strictObject({
    /** A waiver. Logs have held this word from the first version on. */
    action: z.literal("lift"),
    ...waivable,
    /** `not_applicable`: the checks named do not count for this run. Otherwise the result is accepted without what is waived. */
    not_applicable: z.literal(true).optional(),
    note: text(1, 1000).optional(),
  }),
  /** Something around the work was repaired: the same result is judged once more. */
  z.strictObject({ action: z.literal("recheck"), note: text(1, 1000).optional() }),
  /** The task may do more than it was allowed to, and goes on. */
  z.strictObject({ action: z.literal("widen"), addition: ScopeAddition, note: z.string().optional() }),
  /** The task is not done, and what builds on it goes on as if it were. */
  z.strictObject({ action: z.literal("skip"), reason: text(1, 1000) }),
]);
export type EscalationOrder = z.infer<typeof EscalationOrder>;
