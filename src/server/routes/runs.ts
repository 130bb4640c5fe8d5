import { z } from "@hono/zod-openapi";
import { ProjectsJson, RunJson, RunsJson } from "../../model/api/runs.js";
import { useCases } from "../../app/coordinator.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { answerOf, ProjectParams, RunParams } from "./shared.js";

/* Projects and their runs. */

export const RUNS: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/projects",
    id: "listProjects",
    tag: "projects",
    summary: "The projects that are served",
    role: "reader",
    answer: ProjectsJson.openapi("Projects"),
    handle: async ({ server }) => ({
      type: "projects",
      projects: server.places().map(({ id, name, root, problem }) => ({ id, name, root, problem })),
    }),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs",
    id: "listRuns",
    tag: "runs",
    summary: "The runs of a project, newest first",
    role: "reader",
    params: ProjectParams,
    answer: RunsJson.openapi("Runs"),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      after: z.string().max(100).optional().describe("The id of the last run that was seen."),
    }),
    handle: async ({ place, query }) => {
      const { project } = place;
      const page = await useCases.pageOfRuns({ limit: query.limit, after: query.after }, project.context);
      const { total, next, finished } = page;
      return { ...answerOf(finished), project: project.id, total, next };
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}",
    id: "getRun",
    tag: "runs",
    summary: "One run: what runs, what waits on people, what failed, what it costs",
    role: "reader",
    params: RunParams,
    answer: RunJson.openapi("Run"),
    handle: async ({ server, place, params }) => {
      const { project } = place;
      const found = answerOf(await useCases.showRun(params.run, project.context));
      const { run_id } = found as { run_id: string };
      return {
        ...found,
        project: project.id,
        activity: await useCases.showActivity(run_id, project.context),
        served: server.worker.isWorkedOn(project, run_id),
        trouble: server.worker.trouble(project, run_id),
      };
    },
  }),
];
