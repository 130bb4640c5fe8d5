import type { EventFeed } from "../app/serve/event-feed.js";
import type { RunWorker } from "../app/serve/run-worker.js";
import type { ProjectMetrics } from "../app/serve/project-metrics.js";
import { reopenServed, type ServedProject } from "../app/serve/served-project.js";
import type { Access } from "../app/serve/sessions.js";
import type { Principal } from "../app/serve/sessions.js";
import type { ServerLog } from "./log.js";
import type { ServerMetrics } from "./metrics.js";
import { HttpProblem, makeProblem } from "./problem.js";

/** A project as a server has it: open, or with the reason why it is not. */
export interface ServedPlace {
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly project: ServedProject | null;
  readonly feed: EventFeed | null;
  readonly metrics: ProjectMetrics | null;
  readonly problem: { readonly code: string; readonly message: string; readonly fix: string | null } | null;
}

/** Everything an operation works with. */
export interface ServerContext {
  readonly places: () => readonly ServedPlace[];
  readonly worker: RunWorker;
  readonly metrics: ServerMetrics;
  readonly log: ServerLog;
  readonly access: Access;
  readonly cookie: string;
  /** Cookies are sent over TLS only. */
  readonly secure: boolean;
  /** Where a browser finds this server. */
  readonly url: string;
  readonly now: () => string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The server as one operation sees it: each project is opened once for it. */
export function forOperation(server: ServerContext): ServerContext {
  let opened: readonly ServedPlace[] | null = null;
  const reopen = (place: ServedPlace): ServedPlace =>
    place.project === null ? place : { ...place, project: reopenServed(place.project) };
  return { ...server, places: () => (opened ??= server.places().map(reopen)) };
}

export interface OpenPlace {
  readonly project: ServedProject;
  readonly feed: EventFeed;
}

/** Contract: throws HttpProblem with 404 for a project that is not served, and 503 for one that cannot be opened. */
export function placeOf({ places }: ServerContext, id: string): OpenPlace {
  const found = places().find((place) => place.id === id);
  if (found === undefined)
    throw new HttpProblem(
      makeProblem(404, "PROJECT_UNKNOWN", `No project ${id} is served here`, {
        fix: "GET /api/v1/projects lists them; coordinator projects add DIR adds one for the next start.",
      }),
    );
  const { project, feed, problem } = found;
  if (project === null || feed === null)
    throw new HttpProblem(
      makeProblem(503, problem?.code ?? "INTERNAL", problem?.message ?? `${found.root} cannot be opened`, {
        fix: problem?.fix ?? null,
      }),
    );
  return { project, feed };
}

/** Every project that can be worked on. */
export function openPlaces({ places }: ServerContext): readonly OpenPlace[] {
  return places().flatMap(({ project, feed }) => (project === null || feed === null ? [] : [{ project, feed }]));
}

/** The name a person decides under; undefined for the one who started the server, who is who git says. */
export function nameOf({ name }: Principal): string | undefined {
  return name ?? undefined;
}
