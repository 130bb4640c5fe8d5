import { z } from "@hono/zod-openapi";
import { useCases } from "../../app/coordinator.js";
import type { DecisionSent } from "../../app/run-reports.js";
import { DecisionJson } from "../../model/api/runs.js";
import { text } from "../../model/primitives.js";
import { BudgetLimits } from "../../model/run.js";
import { nameOf } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { HttpProblem, makeProblem } from "../problem.js";
import { afterDecision } from "./after-decision.js";
import { answerOf, RunParams } from "./shared.js";

export const BUDGET: readonly Endpoint[] = [
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/budget",
    id: "raiseBudget",
    tag: "runs",
    summary: "Raise the budget of a run before it reaches its limit",
    role: "approver",
    command: "budget",
    params: RunParams,
    body: z.strictObject({
      add: BudgetLimits.optional().describe("How much more is allowed; or `to`."),
      to: BudgetLimits.optional().describe("What is allowed in all; or `add`."),
      note: text(1, 1000).optional(),
    }),
    answer: DecisionJson.openapi("DecisionTaken"),
    handle: async ({ server, place, params, body: { add, to, note }, principal }) => {
      const order = { run: params.run, add, to, note, by: nameOf(principal), waitMs: 5000, via: principal.via };
      const finished = await useCases.raiseBudget(order, place.project.context);
      const { status, reason } = answerOf(finished) as DecisionSent;
      if (status === "refused")
        throw new HttpProblem(
          makeProblem(409, "DECISION_REFUSED", `The budget was not raised: ${reason ?? "it was refused"}`, {
            fix: "The run says what is allowed and what is used; name a higher limit.",
          }),
        );
      return afterDecision(finished, place, server);
    },
  }),
];
