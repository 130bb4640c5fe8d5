import { randomUUID } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { DecisionJson, PreviewJson, SubmittedJson } from "../../model/api/runs.js";
import { useCases } from "../../app/coordinator.js";
import { Preferences } from "../../model/request.js";
import { InputType } from "../../model/routing.js";
import { Sensitivity, text } from "../../model/primitives.js";
import { nameOf } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { requireRole } from "../guard.js";
import { HttpProblem, makeProblem } from "../problem.js";
import { afterDecision } from "./after-decision.js";
import { decisionOf, NewDecision } from "./decision-body.js";
import { answerOf, ProjectParams, RunParams } from "./shared.js";

/* Orders of people: requests, decisions on entries of the inbox, resuming and stopping. */

const Any = z.record(z.string(), z.unknown());

const NewRequest = z
  .strictObject({
    request_id: z.uuid().optional().describe("Sent twice with the same id, a request is taken once."),
    text: text(1, 100_000).optional().describe("What is wanted, in words."),
    adr: text(1, 400).optional().describe("The file of an accepted decision record, in place of words."),
    type: InputType.optional(),
    agent: text(1, 200).optional(),
    preferences: Preferences.optional(),
    data_sensitivity: Sensitivity.optional(),
  })
  .openapi("NewRequest");

export const DECIDE: readonly Endpoint[] = [
  endpoint({
    method: "post",
    path: "/projects/{project}/preview",
    id: "previewRequest",
    tag: "requests",
    summary: "What intake and routing say of a request; nothing is written",
    role: "reader",
    command: "intake",
    params: ProjectParams,
    body: z.strictObject({ text: text(1, 100_000) }),
    answer: PreviewJson.openapi("Preview"),
    handle: async ({ place, body }) => {
      const { project } = place;
      const { context } = project;
      const document = Buffer.from(JSON.stringify({ id: "preview", text: body.text }));
      const streams = () => ({
        input: (async function* () {
          yield document;
        })(),
        write: async () => undefined,
        note: () => undefined,
      });
      const common = { file: "-", batch: false, policy: undefined, explain: false };
      const intake = await useCases.takeIn(
        { ...common, answers: undefined, repo: ".", id: undefined, now: undefined },
        context,
        streams(),
      );
      const route = await useCases.routeRequest(
        { ...common, context: undefined, id: undefined },
        context.cwd,
        streams(),
      );
      return { type: "preview", project: project.id, intake: answerOf(intake), route: answerOf(route) };
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/requests",
    id: "submitRequest",
    tag: "requests",
    summary: "Submit a request: it is planned, and waits for the approval of its plan",
    role: "approver",
    command: "run",
    params: ProjectParams,
    body: NewRequest,
    answer: SubmittedJson.openapi("Request"),
    status: 202,
    handle: async ({ server, place, body, principal }) => {
      const { project } = place;
      const { request_id = randomUUID(), preferences, data_sensitivity, adr } = body;
      if ((body.text === undefined) === (adr === undefined))
        throw new HttpProblem(
          makeProblem(422, "DOCUMENT_INVALID", "A request has either a text or a decision record", {
            fix: 'Send { "text": … } or { "adr": … }.',
          }),
        );
      const request = {
        request_id,
        timestamp: server.now(),
        user_request: body.text ?? `Carry out ${body.adr ?? ""}`,
        context: {
          ...(preferences === undefined ? {} : { preferences }),
          ...(data_sensitivity === undefined ? {} : { data_sensitivity }),
        },
      };
      const options = { by: nameOf(principal), via: principal.via, type: body.type, agent: body.agent, adr };
      return { type: "request", ...(await server.worker.submit(project, request, options)) };
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/requests/{request}",
    id: "getRequest",
    tag: "requests",
    summary: "What became of a request so far",
    role: "reader",
    params: ProjectParams.extend({ request: z.uuid() }),
    answer: SubmittedJson.openapi("Request"),
    handle: async ({ server, params }) => {
      const found = server.worker.submitted(params.request);
      if (found !== null && found.project === params.project) return { type: "request", ...found };
      throw new HttpProblem(
        makeProblem(404, "NOT_FOUND", `No request ${params.request} was submitted to this server since it started`, {
          fix: "GET …/runs lists what became of earlier ones.",
        }),
      );
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/decisions",
    id: "decide",
    tag: "inbox",
    summary: "Answer, approve, reject, waive or order what waits on a person",
    role: "approver",
    command: "answer",
    params: RunParams,
    body: NewDecision,
    answer: DecisionJson.openapi("DecisionTaken"),
    handle: async ({ server, place, params, body, principal }) => {
      const { context } = place.project;
      const finished = await useCases.decideEntry(
        {
          id: body.entry_id,
          decision: decisionOf(body.decision, body.as),
          by: nameOf(principal),
          as: body.as,
          run: params.run,
          waitMs: 5000,
          via: principal.via,
        },
        context,
      );
      return afterDecision(finished, place, server);
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/resume",
    id: "resumeRun",
    tag: "runs",
    summary: "Resume a run or a request that has stalled",
    role: "approver",
    command: "run",
    params: RunParams,
    body: z.strictObject({
      agent: text(1, 200).optional(),
      unsafe_no_sandbox: z.boolean().default(false).describe("Go on where there is no sandbox; takes the role admin."),
    }),
    answer: Any,
    status: 202,
    handle: async ({ server, place, params, body, principal }) => {
      const { project } = place;
      if (body.unsafe_no_sandbox) requireRole(principal, "admin");
      const { run_id } = answerOf(await useCases.showRun(params.run, project.context)) as {
        run_id: string;
      };
      server.worker.resume(project, run_id, { agent: body.agent, unsafeNoSandbox: body.unsafe_no_sandbox });
      return { type: "resumed", project: project.id, run_id };
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/wake",
    id: "wakeRun",
    tag: "runs",
    summary: "Look whether there is something to do for a run, as after a decision that came another way",
    role: "approver",
    command: "run",
    params: RunParams,
    body: z.strictObject({}),
    answer: Any,
    handle: async ({ server, place, params }) => {
      const { project } = place;
      return { type: "woken", project: project.id, goes_on: await server.worker.wake(project, params.run) };
    },
  }),
  endpoint({
    method: "post",
    path: "/projects/{project}/runs/{run}/cancel",
    id: "cancelRun",
    tag: "runs",
    summary: "End a run; what its agents finished is kept",
    role: "approver",
    command: "cancel",
    params: RunParams,
    body: z.strictObject({ reason: text(1, 1000).default("cancelled by a person") }),
    answer: DecisionJson.openapi("DecisionTaken"),
    handle: async ({ server, place, params, body, principal }) => {
      const finished = await useCases.cancelRun(
        { run: params.run, reason: body.reason, by: nameOf(principal), waitMs: 5000, via: principal.via },
        place.project.context,
      );
      return afterDecision(finished, place, server);
    },
  }),
];
