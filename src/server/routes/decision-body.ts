import { z } from "@hono/zod-openapi";
import type { Decision } from "../../app/decide/decide.js";
import { text } from "../../model/primitives.js";
import { EscalationOrder } from "../../model/run.js";
import { ScopeAddition } from "../../model/scope.js";
import { HttpProblem, makeProblem } from "../problem.js";

/* A decision of a person as a body of a request. */

const Decided = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("approve") }),
    z.strictObject({ kind: z.literal("reject"), reason: text(1, 1000) }),
    z.strictObject({ kind: z.literal("text"), text: text(1, 100_000) }),
    z.strictObject({ kind: z.literal("order"), order: EscalationOrder }),
    z.strictObject({
      kind: z.literal("waive"),
      tests: z.array(text(1, 1000)).max(1000).default([]),
      not_applicable: z.boolean().default(false),
      note: text(1, 1000).optional(),
    }),
    z.strictObject({
      kind: z.literal("widen"),
      addition: ScopeAddition.default({ write: [], commands: [], network: [] }),
      note: text(1, 1000).optional(),
    }),
  ])
  .openapi("Decision");

export const NewDecision = z
  .strictObject({
    entry_id: text(1, 400).describe("The id of the entry, as the inbox has it."),
    decision: Decided,
    as: text(1, 100).optional().describe("The reviewer you are, where only some may decide."),
  })
  .openapi("NewDecision");

/** Contract: throws HttpProblem with 422 for an order that has a kind of its own. */
export function decisionOf(said: z.infer<typeof Decided>, as: string | undefined): Decision {
  switch (said.kind) {
    case "waive":
      return { kind: "waive", tests: said.tests, notApplicable: said.not_applicable, as, note: said.note };
    case "widen":
      return { kind: "widen", addition: said.addition, note: said.note };
    case "order": {
      const { order } = said;
      if (order.action === "lift" || order.action === "widen")
        throw new HttpProblem(
          makeProblem(422, "DOCUMENT_INVALID", `${order.action} is a decision of its own, and not an order`, {
            fix: `Send { "kind": "${order.action === "lift" ? "waive" : "widen"}" }.`,
          }),
        );
      return { kind: "order", order };
    }
    default:
      return said;
  }
}
