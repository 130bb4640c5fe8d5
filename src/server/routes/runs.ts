import { z } from "@hono/zod-openapi";
import { InboxJson, ProjectsJson, RunJson, RunsJson } from "../../model/api/runs.js";
import { useCases } from "../../app/coordinator.js";
import { openPlaces, placeOf } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { answered, ProjectParams, RunParams } from "./shared.js";

/* Projects, their runs, and what waits on people over all of them. */

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
    path: "/inbox",
    id: "getInbox",
    tag: "inbox",
    summary: "Everything that waits on people, over all projects, oldest first",
    role: "reader",
    answer: InboxJson.openapi("Inbox"),
    handle: async ({ server }) => {
      const all = await Promise.all(
        openPlaces(server).map(async ({ project }) => {
          const found = answered(await useCases.showInbox(project.context)) as FoundInbox;
          const named = <T extends object>(list: readonly T[]) => list.map((one) => ({ project: project.id, ...one }));
          return { ...found, entries: named(found.entries), standing: named(found.standing) };
        }),
      );
      const entries = all.flatMap((one) => one.entries);
      entries.sort((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
      return {
        type: "inbox",
        open: entries.length,
        entries,
        standing: all.flatMap(({ standing }) => standing),
        problems: all.flatMap(({ problems }) => problems),
      };
    },
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
    handle: async ({ server, params, query }) => {
      const { project } = placeOf(server, params.project);
      const page = await useCases.pageOfRuns({ limit: query.limit, after: query.after }, project.context);
      const { total, next, finished } = page;
      return { ...answered(finished), project: project.id, total, next };
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
    handle: async ({ server, params }) => {
      const { project } = placeOf(server, params.project);
      const found = answered(await useCases.showRun(params.run, project.context));
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

interface FoundInbox {
  readonly entries: readonly { readonly opened_at: string }[];
  readonly standing: readonly object[];
  readonly problems: readonly string[];
}
