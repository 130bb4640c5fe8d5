import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { HandedRequest } from "../../app/hand-over/hand-over.js";
import { useCases } from "../../app/coordinator.js";
import { CoordinatorError, ERROR_CODES } from "../../model/errors.js";
import { text } from "../../model/primitives.js";
import { lookUntil } from "../look-until.js";
import { describeRequest, RequestResult } from "../request-result.js";
import { planOfRun, PlanResult, planWords } from "../plan-result.js";
import { RunId, Words } from "../shared.js";
import { READS, tool, type Tool, WRITES } from "../tool.js";

/* A request: submitted, or only planned. */

function asError({ code, message, fix }: NonNullable<HandedRequest["problem"]>): CoordinatorError {
  return new CoordinatorError(
    ERROR_CODES.find((each) => each === code) ?? "USAGE",
    message,
    fix === null ? {} : { fix },
  );
}

/** How long a call waits for a plan. Planning goes on whether anybody waits or not. */
const PLANNING_MS = 20_000;

export const REQUESTS: readonly Tool[] = [
  tool({
    name: "submit",
    title: "Submit a request",
    description:
      "Hand a request to Coordinator in plain words. It is judged and planned; its plan then waits until a person approves " +
      "it. Returns ids soon; planning goes on without you. Nothing is carried out before a person has approved the plan.",
    command: "run",
    input: z.strictObject({
      text: Words.describe("What is wanted, as the person said it."),
      request_id: z.uuid().optional().describe("Your own id: sent twice with it, a request is taken once."),
      agent: text(1, 200).optional().describe("The agent of coordinator.yaml that is to carry it out."),
    }),
    output: RequestResult,
    annotations: WRITES,
    handle: async ({ text: words, request_id = randomUUID(), agent }, { context, progress, signal }) => {
      const request = { request_id, timestamp: context.parts.now(), user_request: words };
      const handed = await useCases.submitRequest({ request, agent }, context);
      progress("Submitted. It is being planned.");
      const look = async () => {
        const now = await useCases.showRequest(request_id, context);
        return now.state === "ended" ? now : null;
      };
      const now = (await lookUntil(look, PLANNING_MS, signal)) ?? handed;
      if (now.problem !== null) throw asError(now.problem);
      return describeRequest(now, context);
    },
  }),
  tool({
    name: "plan",
    title: "Show a plan",
    description:
      "With text: what Coordinator would do for a request; nothing is recorded and nothing runs. With run_id: the plan of a run.",
    command: "plan",
    input: z.strictObject({ text: Words.optional().describe("What would be wanted."), run_id: RunId.optional() }),
    output: PlanResult,
    // A configured planner may be an agent or a model.
    annotations: { ...READS, openWorldHint: true },
    handle: async (given, { context, progress }) => {
      if (given.run_id !== undefined && given.text === undefined) return planOfRun(given.run_id, context);
      if (given.text !== undefined && given.run_id === undefined)
        return planWords(given.text, { ...context, progress: (line) => progress(line) });
      throw new CoordinatorError("USAGE", "Say what to plan: either a text or the id of a run", {
        fix: 'Call plan with { "text": … } or with { "run_id": … }.',
      });
    },
  }),
];
