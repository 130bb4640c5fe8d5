import { z } from "@hono/zod-openapi";
import {
  ConflictJson,
  GraphJson,
  OutputJson,
  PlanJson,
  PlansComparedJson,
  RecordJson,
  RecordsJson,
  TaskJson,
  TimelineJson,
} from "../../model/api/details.js";
import { useCases } from "../../app/coordinator.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { answerOf, RunId, RunParams, TaskParams } from "./shared.js";

/* One run in every detail: its plan, its graph, its tasks, what happened, and what stands beside its log. */

const Any = z.record(z.string(), z.unknown());
const Sequence = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Limit = z.coerce.number().int().min(1).max(1000);

export const DETAIL: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/plan",
    id: "getPlan",
    tag: "plans",
    summary: "The plan of a run: tasks, decisions, review, questions, cost, and other plans for the same words",
    role: "reader",
    params: RunParams,
    answer: PlanJson.openapi("Plan"),
    handle: async ({ place, params }) => useCases.showPlan(params.run, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/plan/difference",
    id: "comparePlans",
    tag: "plans",
    summary: "What is different between the plan of this run and that of another one",
    role: "reader",
    params: RunParams,
    query: z.object({ with: RunId }),
    answer: PlansComparedJson.openapi("PlansCompared"),
    handle: async ({ place, params, query }) => useCases.compareRunPlans(params.run, query.with, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/graph",
    id: "getGraph",
    tag: "runs",
    summary: "The tasks of a run with what they build on, and when what was done",
    role: "reader",
    params: RunParams,
    answer: GraphJson.openapi("Graph"),
    handle: async ({ place, params }) => useCases.showGraph(params.run, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/tasks/{task}",
    id: "getTask",
    tag: "tasks",
    summary: "One task: its attempts with prompt, context given and withheld, tool uses with judgements, and proofs",
    role: "reader",
    params: TaskParams,
    answer: TaskJson.openapi("Task"),
    handle: async ({ place, params }) => useCases.showTask(params.run, params.task, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/tasks/{task}/attempts/{attempt}/output",
    id: "getOutput",
    tag: "tasks",
    summary: "What the agent of an attempt says and does, a part at a time, while it works and afterwards",
    role: "reader",
    params: TaskParams.extend({ attempt: z.coerce.number().int().min(1).max(1_000_000) }),
    query: z.object({ after: z.string().max(40).optional().describe("The `next` of the part before.") }),
    answer: OutputJson.openapi("Output"),
    handle: async ({ place, params, query }) =>
      useCases.showOutput({ ...params, after: query.after }, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/tasks/{task}/conflict",
    id: "getConflict",
    tag: "tasks",
    summary: "The conflict of a task: base, both sides and result, file by file",
    role: "reader",
    params: TaskParams,
    answer: ConflictJson.openapi("Conflict"),
    handle: async ({ place, params }) => useCases.showConflict(params.run, params.task, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/timeline",
    id: "getTimeline",
    tag: "runs",
    summary: "What happened in a run, in words, with who decided it and how",
    role: "reader",
    params: RunParams,
    query: z.object({
      after: Sequence.default(0),
      limit: Limit.default(200),
      type: z.string().max(1000).optional().describe("Types of events, separated by commas."),
      task: z.string().max(400).optional(),
      decisions: z.enum(["true", "false"]).default("false"),
    }),
    answer: TimelineJson.openapi("Timeline"),
    handle: async ({ place, params, query }) =>
      useCases.showTimeline(
        {
          run: params.run,
          after: query.after,
          limit: query.limit,
          types: query.type?.split(",") ?? [],
          task: query.task,
          decisions: query.decisions === "true",
        },
        place.project.context,
      ),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/records",
    id: "listRecords",
    tag: "runs",
    summary: "The records that the log of a run names, with their checksums",
    role: "reader",
    params: RunParams,
    answer: RecordsJson.openapi("Records"),
    handle: async ({ place, params }) => useCases.listRecords(params.run, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/records/{name}",
    id: "getRecord",
    tag: "runs",
    summary: "One record, as long as it is what the log says",
    role: "reader",
    params: RunParams.extend({ name: z.string().min(1).max(400) }),
    answer: RecordJson.openapi("Record"),
    handle: async ({ place, params }) => useCases.showRecord(params.run, params.name, place.project.context),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/explanation",
    id: "explain",
    tag: "runs",
    summary:
      "Why something was decided: the rule, the evidence and the alternatives; without an id, what can be asked for",
    role: "reader",
    params: RunParams,
    query: z.object({ id: z.string().min(1).max(400).optional() }),
    answer: Any,
    handle: async ({ place, params, query }) =>
      answerOf(await useCases.explainId(query.id, { run: params.run }, place.project.context)),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/response",
    id: "getResponse",
    tag: "runs",
    summary: "What was delivered, what it cost, what to do next",
    role: "reader",
    params: RunParams,
    answer: Any,
    handle: async ({ place, params }) => answerOf(await useCases.showResponse(params.run, place.project.context)),
  }),
];
