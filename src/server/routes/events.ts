import { z } from "@hono/zod-openapi";
import { EventJson } from "../../model/api/runs.js";
import { useCases } from "../../app/coordinator.js";
import type { SentEvent } from "../../app/serve/event-feed.js";
import { mergeFollowed } from "../../app/serve/merge-followed.js";
import { openPlaces, type ServerContext } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { sendEvents } from "../event-stream.js";
import { answerOf, ProjectParams, RunParams } from "./shared.js";

/* Streams of events. Anyone who comes back sends the last id they have seen, and is sent what came behind it. */

const Sequence = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const After = z.object({ after: Sequence.optional() });

/** Where a viewer was; null when it says nothing that can be read. */
function lastSeen(request: Request): number | null {
  const header = request.headers.get("last-event-id");
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

export const EVENTS: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/projects/{project}/runs/{run}/events",
    id: "followRun",
    tag: "events",
    summary: "The events of a run as they are logged; the id of each is its sequence in the log",
    role: "reader",
    params: RunParams,
    query: After,
    answer: { stream: EventJson.openapi("Event") },
    handle: async ({ server, place, params, query, request, node, mayStill }) => {
      const { project, feed } = place;
      const found = answerOf(await useCases.replayRun(params.run, 1, false, project.context));
      const { run_id } = found as { run_id: string };
      const after = lastSeen(request) ?? query.after ?? 0;
      await follow(server, { ...node, mayStill }, (signal) => feed.followRun(run_id, after, signal));
      return null;
    },
  }),
  endpoint({
    method: "get",
    path: "/projects/{project}/events",
    id: "followProject",
    tag: "events",
    summary: "The events of all runs of a project; from now on, unless a position is named",
    role: "reader",
    params: ProjectParams,
    query: After,
    answer: { stream: EventJson.openapi("Event") },
    handle: async ({ server, place, query, request, node, mayStill }) => {
      const { feed } = place;
      const after = lastSeen(request) ?? query.after ?? (await feed.lastPosition());
      await follow(server, { ...node, mayStill }, (signal) => feed.followAll(after, signal));
      return null;
    },
  }),
  endpoint({
    method: "get",
    path: "/events",
    id: "followAll",
    tag: "events",
    summary: "The events of all projects, from now on or from where the last id says",
    role: "reader",
    query: z.object({ after: z.string().max(10_000).optional() }),
    answer: { stream: EventJson.openapi("Event") },
    handle: async ({ server, query, request, node, mayStill }) => {
      const seen = positionsIn(request.headers.get("last-event-id") ?? query.after ?? "");
      const places = await Promise.all(
        openPlaces(server).map(async ({ project, feed }) => ({
          id: project.id,
          feed,
          after: seen.get(project.id) ?? (await feed.lastPosition()),
        })),
      );
      await follow(
        server,
        { ...node, mayStill },
        (signal) => mergeFollowed(places, signal) as AsyncIterable<readonly SentEvent[]>,
      );
      return null;
    },
  }),
];

/** Send events for as long as somebody takes them. */
async function follow({ metrics }: ServerContext, node: Viewed, events: Followed): Promise<void> {
  const gone = metrics.viewing();
  try {
    await sendEvents(node, events);
  } finally {
    gone();
  }
}

type Viewed = Parameters<typeof sendEvents>[0];
type Followed = Parameters<typeof sendEvents>[1];

/** `prj_a:12,prj_b:7` */
function positionsIn(id: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [, project = "", position = ""] of id.matchAll(/(prj_[0-9a-f]{12}):(\d{1,15})/g))
    found.set(project, Number(position));
  return found;
}
