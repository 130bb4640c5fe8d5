import { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ZodType } from "zod";
import { diagnosticsOf } from "../model/diagnostic.js";
import type { Principal } from "../app/serve/sessions.js";
import { guardServed } from "../app/serve/served-project.js";
import { forOperation, placeOf, type ServerContext } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import {
  authenticate,
  checkSource,
  createThrottle,
  type GuardOptions,
  mayStill,
  plainAddress,
  requireJson,
  requireRole,
  type Throttle,
} from "./guard.js";
import { createHooks } from "./hooks.js";
import { HttpProblem, makeProblem, problemOf } from "./problem.js";
import { jsonResponse, packBody, problemResponse, SECURITY_HEADERS } from "./respond.js";
import { ENDPOINTS } from "./routes/all.js";
import { staticFile, WEB_FOLDER } from "./static-files.js";
import { openApiDocument } from "./openapi.js";
import { throwAway } from "./throw-away.js";

/** How large the body of a request may be. */
const MOST_BYTES = 1024 * 1024;
const API = "/api/v1";

type Env = { Bindings: HttpBindings; Variables: { operation?: string; token?: string } };

export interface AppOptions {
  readonly server: ServerContext;
  readonly guard: GuardOptions;
  /** The folder of the dashboard. */
  readonly web?: string;
  readonly throttle?: Throttle;
  /** Told of errors that are mistakes of the program. */
  readonly onError: (error: unknown) => void;
}

const FRESH = { "cache-control": "no-store", vary: "Accept-Encoding" } as const;

/** Nobody in particular, for what is open to all. */
const ANYBODY: Principal = { token_id: "", name: "", role: "reader", via: "api" };

/** Contract: every answer passes the guard first, and is JSON, a stream, a file of the dashboard, or problem+json. */
export function createApp({ server, guard, web = WEB_FOLDER, onError, ...more }: AppOptions): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>();
  const throttle = more.throttle ?? createThrottle(() => performance.now());
  const fail = (error: unknown) => {
    const problem = problemOf(error);
    if (problem.status === 500) onError(error);
    return problemResponse(problem, error instanceof HttpProblem ? error.headers : {});
  };
  app.use("*", async (c, next) => {
    const began = performance.now();
    try {
      checkSource(c.env.incoming, guard);
    } catch (error) {
      const refused = fail(error);
      tellRequest(c, refused.status, began, server);
      return withHeaders(refused, guard);
    }
    await next();
    if (c.env.outgoing.headersSent) return undefined;
    tellRequest(c, c.res.status, began, server);
    c.res = withHeaders(c.res, guard);
    return undefined;
  });
  app.onError((error) => withHeaders(fail(error), guard));
  const tooLarge = bodyLimit({
    maxSize: MOST_BYTES,
    onError: async (c) => {
      await throwAway((c.env as HttpBindings).incoming);
      return problemResponse(
        makeProblem(413, "BODY_TOO_LARGE", "The body is larger than 1 MB", { fix: "Send less at once." }),
      );
    },
  });
  for (const one of ENDPOINTS) {
    const path = `${API}${one.path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    const answer = async (c: Context<Env>) => answerOne(one, c, { server, guard, throttle }).catch(fail);
    if (one.body === null) app.on(one.method.toUpperCase(), path, answer);
    else app.on(one.method.toUpperCase(), path, authorize(one, guard, throttle, fail), tooLarge, answer);
  }
  const takeHook = createHooks(server);
  app.post("/hooks/:project", tooLarge, async (c) => {
    c.set("operation", "hook");
    const address = plainAddress(c.env.incoming.socket.remoteAddress);
    try {
      throttle.admit(address, "");
      return jsonResponse(c.req.raw, await takeHook(c.req.param("project"), c.req.raw), 202);
    } catch (error) {
      if (error instanceof HttpProblem && error.problem.status === 401) throttle.recordFailure(address);
      return fail(error);
    }
  });
  app.get(`${API}/openapi.json`, (c) => jsonResponse(c.req.raw, openApiDocument()));
  app.get("/metrics", async (c) => {
    c.set("operation", "metrics");
    try {
      requireRole(authenticate(c.env.incoming, guard, throttle), "metrics");
      const text = Buffer.from(await server.metrics.render());
      return await packBody(c.req.raw, text, 200, {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        ...FRESH,
      });
    } catch (error) {
      return fail(error);
    }
  });
  app.all("/api/*", (c) => fail(unknownOperation(c.req.method, c.req.path)));
  app.get(
    "*",
    async (c) => (await staticFile(c.req.raw, c.req.path, web)) ?? fail(unknownOperation("GET", c.req.path)),
  );
  app.notFound((c) => fail(unknownOperation(c.req.method, c.req.path)));
  return app;
}

/** Nothing of a body is read before it is known who sends it and that they may. */
function authorize(one: Endpoint, guard: GuardOptions, throttle: Throttle, fail: (error: unknown) => Response) {
  return async (c: Context<Env>, next: () => Promise<void>): Promise<Response | undefined> => {
    try {
      principalFor(one, c, guard, throttle);
      requireJson(c.env.incoming);
    } catch (error) {
      return fail(error);
    }
    await next();
    return undefined;
  };
}

function principalFor(one: Endpoint, c: Context<Env>, guard: GuardOptions, throttle: Throttle): Principal {
  c.set("operation", one.id);
  if (one.role === null) return ANYBODY;
  const principal = authenticate(c.env.incoming, guard, throttle);
  c.set("token", principal.token_id);
  requireRole(principal, one.role);
  return principal;
}

async function answerOne(
  one: Endpoint,
  c: Context<Env>,
  {
    server: whole,
    guard,
    throttle,
  }: { readonly server: ServerContext; readonly guard: GuardOptions; readonly throttle: Throttle },
): Promise<Response> {
  const server = forOperation(whole);
  const principal = principalFor(one, c, guard, throttle);
  const params = one.params === null ? null : parseInput(one.params, c.req.param(), "the path");
  const query = one.query === null ? null : parseInput(one.query, c.req.query(), "the query");
  const body = one.body === null ? null : parseInput(one.body, await jsonBody(c.req.raw), "the body");
  const { project: named } = (params ?? {}) as { readonly project?: string };
  const place = named === undefined ? null : placeOf(server, named);
  if (one.command !== null && place !== null) await guardServed(place.project, one.command);
  const { incoming, outgoing } = c.env;
  const given = { params, query, body, principal, place, server, request: c.req.raw, node: { incoming, outgoing } };
  const stillMay = () => one.role === null || mayStill(incoming, one.role, guard);
  const value = await one.handle({ ...given, throttle, mayStill: stillMay } as never);
  if (value instanceof Response) return value;
  if (value === null) return RESPONSE_ALREADY_SENT;
  return jsonResponse(c.req.raw, value, one.status);
}

/** Streams of events last for as long as somebody looks, and are not told here. */
function tellRequest(c: Context<Env>, status: number, began: number, { metrics, log }: ServerContext): void {
  const seconds = (performance.now() - began) / 1000;
  const { method } = c.req;
  const operation = c.get("operation") ?? (c.req.path.startsWith("/api/") ? "unknown" : "dashboard");
  metrics.seen({ operation, method: KNOWN_METHODS.has(method) ? method : "other", status, seconds });
  const fields = { operation, method, status, ms: Math.round(seconds * 1000), token: c.get("token") };
  if (status >= 500) log.warn("request", fields);
  else if (status >= 400) log.info("request", fields);
  else log.debug("request", fields);
}

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"]);

async function jsonBody(request: Request): Promise<unknown> {
  const text = await request.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new HttpProblem(
      makeProblem(400, "DOCUMENT_SYNTAX", "The body is not JSON", { fix: "Send one JSON document, in UTF-8." }),
    );
  }
}

function parseInput(schema: ZodType, value: unknown, where: string): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const problems = diagnosticsOf(read.error, "DOCUMENT_INVALID");
  const [first] = problems;
  throw new HttpProblem(
    makeProblem(422, "DOCUMENT_INVALID", `${where}: ${first?.path ?? ""} ${first?.message ?? ""}`, {
      fix: "See /api/v1/openapi.json for what is taken.",
      problems,
    }),
  );
}

function unknownOperation(method: string, path: string): HttpProblem {
  return new HttpProblem(
    makeProblem(404, "NOT_FOUND", `There is no ${method} ${path}`, {
      fix: "See /api/v1/openapi.json for what there is.",
    }),
  );
}

function withHeaders(response: Response, { origins }: GuardOptions): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  if ([...origins].every((origin) => origin.startsWith("https:")))
    headers.set("strict-transport-security", "max-age=31536000");
  return new Response(response.body, { status: response.status, headers });
}
