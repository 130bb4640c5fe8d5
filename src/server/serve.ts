import { createServer as createPlain, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { CoordinatorError } from "../model/errors.js";
import { ensureOwner, OWNER } from "../app/serve/access-tokens.js";
import { createEventFeed } from "../app/serve/event-feed.js";
import { createRunWorker } from "../app/serve/run-worker.js";
import { rememberedProjects } from "../app/serve/remembered-projects.js";
import { announceServer, runningServers } from "../app/serve/server-file.js";
import { createProjectMetrics } from "../app/serve/project-metrics.js";
import { projectId } from "../app/serve/project-id.js";
import { openServedProject } from "../app/serve/served-project.js";
import { openAccess } from "../app/serve/sessions.js";
import { wakeDecided } from "../app/serve/wake-decided.js";
import { authorityOf, isLoopback } from "./addresses.js";
import { createApp } from "./app.js";
import type { ServedPlace, ServerContext } from "./context.js";
import type { GuardOptions } from "./guard.js";
import type { ServerLog } from "./log.js";
import { logEvents } from "./log-events.js";
import { createServerMetrics } from "./metrics.js";

/* From folders of projects to a server that listens. */

export interface ServeOptions {
  /** Folders of projects, as they were typed; null for those that are remembered and the one at `cwd`. */
  readonly projects: readonly string[] | null;
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly host: string;
  readonly port: number;
  /** A certificate and its key, as PEM. */
  readonly tls: { readonly cert: string | Buffer; readonly key: string | Buffer } | null;
  /** The origin browsers see, when it is not the address that is listened on. */
  readonly publicUrl: string | null;
  /** The address of the proxy that requests come from. */
  readonly proxy: string | null;
  readonly now: () => string;
  /** The folder of the dashboard, where it is not the one of the package. */
  readonly web?: string;
  readonly log: ServerLog;
}

export interface RunningServer {
  /** Where browsers reach it. */
  readonly url: string;
  /** Logs one browser in, once. */
  readonly loginUrl: string;
  /** Where it listens, which a proxy in front hides. */
  readonly listening: string;
  readonly places: readonly ServedPlace[];
  /** Stop listening, and all work cleanly: the next server resumes it. */
  readonly stop: () => Promise<void>;
}

/** Contract: throws CoordinatorError before anything listens where an option cannot be kept. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { environment, now, log } = options;
  const places = await openPlaces(options);
  refuseServedTwice(places, environment);
  ensureOwner(now(), environment);
  const access = openAccess(environment, now);
  const worker = createRunWorker((message, about) => log.warn(message, about));
  const metrics = createServerMetrics({ places: () => places, busy: worker.busy });
  const scheme = options.tls === null ? "http" : "https";
  const server: Server =
    options.tls === null ? createPlain(LIMITS) : createSecure({ ...LIMITS, handshakeTimeout: 10_000, ...options.tls });
  const port = await listen(server, options.host, options.port);
  const url = options.publicUrl ?? `${scheme}://${authorityOf(options.host, port, scheme)}`;
  const cookie = url.startsWith("https:") ? "__Host-coordinator_session" : `coordinator_session_${port}`;
  const context: ServerContext = {
    places: () => places,
    worker,
    metrics,
    log,
    access,
    cookie,
    secure: url.startsWith("https:"),
    url,
    now,
    environment,
  };
  const guard: GuardOptions = { ...namesOf(options, port, scheme, url), cookie, access, proxy: options.proxy };
  // Commands of the same person reach it on this machine, whatever it is to others.
  const isLocal = scheme === "http" && isLoopback(options.host) && options.proxy === null;
  const local: Server = isLocal ? server : createPlain(LIMITS);
  const localPort = isLocal ? port : await listen(local, "127.0.0.1", 0);
  const onError = (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    log.error(message, environment["COORDINATOR_DEBUG"] === "1" ? { stack } : {});
  };
  const parts = { server: context, onError, ...(options.web === undefined ? {} : { web: options.web }) };
  answerOn(server, createApp({ ...parts, guard }));
  if (!isLocal) {
    const names = namesOf({ host: "127.0.0.1" }, localPort, "http", `http://127.0.0.1:${localPort}`);
    answerOn(local, createApp({ ...parts, guard: { ...guard, ...names, proxy: null } }));
  }
  const withdraw = announceServer(
    {
      local_url: `http://${authorityOf(isLocal ? options.host : "127.0.0.1", localPort, "http")}`,
      url,
      secret: access.localSecret,
      projects: places.flatMap(({ project }) => (project === null ? [] : [project.root])),
      started_at: now(),
    },
    environment,
  );
  for (const { project } of places)
    if (project !== null) await worker.recover(project).catch((error: unknown) => onError(error));
  const stopping = new AbortController();
  const woken = places.map(async ({ project, feed }) => {
    if (project !== null && feed !== null) await wakeDecided(project, feed, worker, stopping.signal).catch(onError);
  });
  const following = Promise.all([logEvents(places, log), ...woken]);
  log.info("listening", { url, address: `${options.host}:${port}`, projects: places.length });
  return {
    url,
    loginUrl: `${url}/#login=${access.makeLink(OWNER)}`,
    listening: `${options.host}:${port}`,
    places,
    async stop() {
      withdraw();
      stopping.abort();
      const servers = isLocal ? [server] : [server, local];
      const closed = Promise.all(servers.map((one) => new Promise<void>((resolve) => one.close(() => resolve()))));
      for (const { feed } of places) await feed?.close();
      await worker.stop();
      for (const one of servers) one.closeAllConnections();
      await closed;
      await following;
      log.info("stopped", { url });
    },
  };
}

/** Anyone who sends slowly is not waited for, and nobody keeps a connection for nothing. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16 * 1024,
  connectionsCheckingInterval: 1000,
} as const;

function answerOn(server: Server, app: ReturnType<typeof createApp>): void {
  server.on(
    "request",
    getRequestListener((request, env) => app.fetch(request, env)),
  );
}

/** A project that cannot be opened is served with the reason, and stops no other. */
async function openPlaces({ projects, cwd, environment, now }: ServeOptions): Promise<ServedPlace[]> {
  const places: ServedPlace[] = [];
  for (const folder of projects ?? [...rememberedProjects(environment), "."]) {
    const place = await openPlace(folder, { cwd, environment, now });
    if (!places.some(({ id }) => id === place.id)) places.push(place);
  }
  return places;
}

async function openPlace(
  folder: string,
  { cwd, environment, now }: Pick<ServeOptions, "cwd" | "environment" | "now">,
): Promise<ServedPlace> {
  try {
    const project = await openServedProject(folder, { cwd, environment });
    const { id, name, root, context } = project;
    const { at } = context.project;
    const metrics = createProjectMetrics(at, now);
    return { id, name, root, project, feed: createEventFeed(id, at), metrics, problem: null };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    const { code, message, fix = null } = error;
    return {
      id: projectId(folder),
      name: folder,
      root: folder,
      project: null,
      feed: null,
      metrics: null,
      problem: { code, message, fix },
    };
  }
}

function refuseServedTwice(places: readonly ServedPlace[], environment: NodeJS.ProcessEnv): void {
  for (const { pid, url, projects } of runningServers(environment)) {
    const twice = places.find(({ root }) => projects.includes(root));
    if (twice !== undefined)
      throw new CoordinatorError("SERVER_RUNNING", `Process ${pid} serves ${twice.root} already, at ${url}`, {
        fix: "coordinator token login makes a link to it; end it to serve the project from here.",
      });
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      reject(
        new CoordinatorError(
          taken ? "PORT_TAKEN" : "LISTEN_FAILED",
          taken
            ? `Another program listens on port ${port} already`
            : `Cannot listen on ${host}:${port}: ${error.message}`,
          { cause: error, fix: "Choose another one with --port N; --port 0 takes any that is free." },
        ),
      );
    });
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => resolve((server.address() as AddressInfo).port));
  });
}

/** The names a request may use: those of this machine itself on loopback, and what browsers see. */
function namesOf({ host }: Pick<ServeOptions, "host">, port: number, scheme: "http" | "https", url: string) {
  const own = isLoopback(host) ? ["127.0.0.1", "localhost", "[::1]"] : [host];
  const authorities = new Set([...own.map((name) => authorityOf(name, port, scheme)), new URL(url).host]);
  const origins = new Set([
    ...own.map((name) => `${scheme}://${authorityOf(name, port, scheme)}`),
    new URL(url).origin,
  ]);
  return { authorities, origins };
}
