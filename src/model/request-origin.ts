import { z } from "zod";
import { Brief } from "./intent-spec.js";
import { Checksum, DateTime } from "./primitives.js";
import { RouteContext, RoutingBounds } from "./routing.js";
import { Decider, Message, Usage } from "./run.js";

/*
 * The history of a plan that was made from words or from a decision record. It is kept beside the plan by the checksum
 * of its intent, so that anyone who carries the plan out later puts it into the run's log.
 */

/** The decision record a plan was made from, as it was then. */
export const AdrSource = z.strictObject({
  label: z.string(),
  file: z.string(),
  checksum: Checksum,
  /** The status that the record itself states; a person may approve one that is only proposed. */
  status: z.string(),
  approved_by: z.string(),
});
export type AdrSource = z.infer<typeof AdrSource>;

/** The answer of a person to a question that had to be settled before there could be a plan. */
export const RequestAnswer = z.strictObject({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  decider: Decider,
  /** When it was said. */
  at: DateTime.optional(),
});
export type RequestAnswer = z.infer<typeof RequestAnswer>;

/** The answer by which a person had the folder of a new project made. */
export const CREATE_PROJECT = "create_project";

/** Whether an answer decides about limits or places: it is on record and no part of the words. */
export function isBesideWords({ id }: { readonly id: string }): boolean {
  return id === CREATE_PROJECT || isBudgetQuestion(id);
}

/** The question what to do when a plan takes more than the request allows. */
export function isBudgetQuestion(id: string): boolean {
  return /^budget(?:-\d+)?$/.test(id);
}

/** A question to answer before there can be a plan. */
export interface OpenQuestion {
  readonly id: string;
  readonly question: string;
  /** Answers that would do, as far as the person who asks has named some. */
  readonly options?: readonly string[];
}

/** Ids of questions go on from those that were answered, so that an answer means one question only. */
export function questionIds(answered: readonly { readonly id: string }[]): () => string {
  const taken = new Set(answered.map(({ id }) => id));
  let n = 0;
  return () => {
    do n++;
    while (taken.has(`Q-${n}`));
    return `Q-${n}`;
  };
}

/** When a request came in, when its first decision stood, and when it was planned: each stamped when it happened. */
export const RequestTimes = z.strictObject({ received_at: DateTime, decided_at: DateTime, planned_at: DateTime });
export type RequestTimes = z.infer<typeof RequestTimes>;

export const RequestOrigin = z.strictObject({
  schema_version: z.literal("1.0.0"),
  intent_checksum: Checksum,
  request_id: z.string(),
  request: z.string(),
  /** Questions and answers so far; those about the plan's own rules stand in the plan, all others in `request` too. */
  answers: z.array(RequestAnswer).default([]),
  intake: z.strictObject({
    rule_id: z.string(),
    reason: z.string(),
    /** The gates that the type of the project asks for; none for work that a decision record or a queue has cut. */
    gates: z.array(z.string()).max(20).optional(),
  }),
  route: z.strictObject({
    routed_to: z.enum(["product", "dev"]),
    rule_id: z.string(),
    decider: Decider.optional(),
    context: z.array(RouteContext).optional(),
  }),
  messages: z.array(Message),
  /** The limits of the routing policy for the builder. Absent in plans of earlier versions. */
  bounds: RoutingBounds.optional(),
  /** The usage of specifying and planning, when a model did it. */
  used: z.array(z.strictObject({ purpose: z.string(), usage: Usage })),
  /** Minutes all attempts together may take; null: no limit was asked for. */
  minutes: z.number().min(0).nullable(),
  /** Model calls all attempts together may make; null: no limit was asked for. */
  api_calls: z.int().min(0).nullable().default(null),
  brief: Brief,
  /** The work queue whose tasks it carries out; absent for any other request. */
  queue: z.string().optional(),
  /** Absent in openings of earlier versions. */
  times: RequestTimes.optional(),
});
export type RequestOrigin = z.infer<typeof RequestOrigin>;
