import { z } from "@hono/zod-openapi";
import { FiguresJson, SeriesJson } from "../../model/api/figures.js";
import { useCases } from "../../app/coordinator.js";
import { openPlaces, type OpenPlace } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { answerOf, ProjectParams } from "./shared.js";

/* Figures: success criteria, each run and attempt, and both over time. */

const Any = z.record(z.string(), z.unknown());
const Days = z.object({
  days: z.coerce.number().int().min(1).max(366).default(30).describe("How many days, today being the last one."),
});

export const FIGURES: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/projects/{project}/stats",
    id: "getStats",
    tag: "figures",
    summary: "The success criteria over the logs of all runs",
    role: "reader",
    params: ProjectParams,
    query: z.object({ since: z.iso.datetime({ offset: true }).optional() }),
    answer: Any,
    handle: async ({ place, query }) => answerOf(await useCases.showStats(query.since, place.project.context)),
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/figures",
    id: "getFigures",
    tag: "figures",
    summary: "Figures of each run and each attempt: cost and tokens over time, by agent, estimated and used",
    role: "reader",
    params: ProjectParams,
    query: z.object({
      since: z.iso.datetime({ offset: true }).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
    answer: FiguresJson.openapi("Figures"),
    handle: async ({ place, query }) => {
      const { since, limit } = query;
      return useCases.showFigures({ since, limit }, place.project.context);
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/series",
    id: "getProjectSeries",
    tag: "figures",
    summary: "What a project used and came to, by day and agent",
    role: "reader",
    params: ProjectParams,
    query: Days,
    answer: SeriesJson.openapi("Series"),
    handle: async ({ place, query }) => seriesOf([place], query.days),
  }),
  endpoint({
    method: "get",
    path: "/series",
    id: "getSeries",
    tag: "figures",
    summary: "What all projects used and came to, by day, agent and project",
    role: "reader",
    query: Days,
    answer: SeriesJson.openapi("Series"),
    handle: async ({ server, query }) => seriesOf(openPlaces(server), query.days),
  }),
];

async function seriesOf(places: readonly OpenPlace[], days: number): Promise<object> {
  const all = await Promise.all(
    places.map(async ({ project: { id, context } }) => ({ id, found: await useCases.showSeries({ days }, context) })),
  );
  const addProject = <T extends object>(id: string, rows: readonly T[]) => rows.map((row) => ({ project: id, ...row }));
  return {
    type: "series",
    unit: "day",
    zone: "UTC",
    days: all[0]?.found.days ?? [],
    work: all.flatMap(({ id, found }) => addProject(id, found.work)),
    runs: all.flatMap(({ id, found }) => addProject(id, found.runs)),
    problems: all.flatMap(({ found }) => found.problems),
  };
}
