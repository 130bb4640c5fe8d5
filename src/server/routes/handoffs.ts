import { z } from "@hono/zod-openapi";
import { AdrsJson, HandoffJson } from "../../model/api/details.js";
import { useCases } from "../../app/coordinator.js";
import { nameOf } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { HttpProblem, makeProblem } from "../problem.js";
import { answerOf, ProjectParams, RunParams } from "./shared.js";

/* Handoffs from one session to the next, and the decision records of a project. */

export const HANDOFFS: readonly Endpoint[] = [
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/handoff",
    id: "handOffRun",
    tag: "runs",
    summary: "Write the handoff of the newest session of a run: what the next one needs to know",
    role: "approver",
    command: "handoff",
    params: RunParams,
    body: z.strictObject({}),
    answer: HandoffJson.openapi("Handoff"),
    status: 201,
    handle: async ({ place, params, principal }) => {
      const { context } = place.project;
      const args = { run: params.run, read: false, by: nameOf(principal) };
      return answerOf(await useCases.handOffSession(args, context));
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/handoff",
    id: "getHandoff",
    tag: "runs",
    summary: "The newest handoff of a run, with its text; nothing is written",
    role: "reader",
    params: RunParams,
    answer: HandoffJson.openapi("Handoff"),
    handle: async ({ place, params }) => useCases.showHandoff(params.run, place.project.context),
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/handoff/receipt",
    id: "receiveHandoff",
    tag: "runs",
    summary: "Read the newest handoff of a project, and note who has read it",
    role: "approver",
    command: "handoff",
    params: ProjectParams,
    body: z.strictObject({}),
    answer: HandoffJson.openapi("Handoff"),
    handle: async ({ place, principal }) => {
      const { context } = place.project;
      const args = { run: "last", read: true, by: nameOf(principal) };
      return answerOf(await useCases.handOffSession(args, context));
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/adrs",
    id: "listAdrs",
    tag: "requests",
    summary: "The decision records of a project, and which were carried out",
    role: "reader",
    command: "adr list",
    params: ProjectParams,
    answer: AdrsJson.openapi("DecisionRecords"),
    handle: async ({ place }) => {
      const finished = await useCases.listAdrs(".", place.project.context);
      if (finished.report.type === "error" && finished.report.code === "NOT_FOUND")
        return { type: "adr_list", folders: [], records: [] };
      if (finished.report.type !== "adr_list" && finished.report.type !== "error")
        throw new HttpProblem(makeProblem(500, "INTERNAL", "The records could not be listed"));
      return answerOf(finished);
    },
  }),
];
