import { WorkersJson } from "../../model/api/workers.js";
import { useCases } from "../../app/coordinator.js";
import { openPlaces } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";

/* Who carries out the work of runs on other machines. */

export const WORKERS: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/workers",
    id: "listWorkers",
    tag: "projects",
    summary: "The workers of the stores that projects use: what each has, does and lacks, and what waits for one",
    role: "reader",
    answer: WorkersJson.openapi("Workers"),
    handle: async ({ server }) => {
      const projects = openPlaces(server).map(({ project: { id, context } }) => ({ id, context }));
      return { type: "workers", stores: await useCases.workersOfProjects(projects) };
    },
  }),
];
