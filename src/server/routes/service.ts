import { z } from "@hono/zod-openapi";
import { VERSION } from "../../version.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { cookieOf, plainAddress } from "../guard.js";
import { HttpProblem, makeProblem } from "../problem.js";
import { jsonResponse } from "../respond.js";
import { OWNER, readTokens, ROLES } from "../../app/serve/access-tokens.js";
import type { ServerContext } from "../context.js";

/* The server itself: whether it lives, and who is logged in. */

const Health = z.object({ type: z.literal("health"), status: z.literal("ok"), version: z.string() }).openapi("Health");
const Readiness = z
  .object({
    type: z.literal("readiness"),
    ready: z.boolean(),
    working_on: z.int().describe("How many runs and requests are being worked on."),
    problems: z.array(z.object({ project: z.string(), code: z.string() })),
  })
  .openapi("Readiness");
const Session = z
  .object({
    type: z.literal("session"),
    role: z.enum(ROLES),
    name: z.string().nullable().describe("Null for the person who started the server."),
    via: z.enum(["dashboard", "api", "command"]),
  })
  .openapi("Session");

const LoginLink = z.object({ type: z.literal("login"), url: z.string(), minutes: z.int() }).openapi("LoginLink");

export const SERVICE: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/health",
    id: "getHealth",
    tag: "service",
    summary: "Whether the server lives",
    role: null,
    answer: Health,
    handle: async () => ({ type: "health", status: "ok", version: VERSION }),
  }),
  endpoint({
    method: "get",
    path: "/ready",
    id: "getReadiness",
    tag: "service",
    summary: "Whether every project can be worked on",
    role: null,
    answer: Readiness,
    handle: async ({ server, request }) => {
      const problems = server
        .places()
        .flatMap(({ id, problem }) => (problem === null ? [] : [{ project: id, code: problem.code }]));
      const ready = problems.length === 0;
      const value = { type: "readiness", ready, working_on: server.worker.busy(), problems };
      return jsonResponse(request, value, ready ? 200 : 503);
    },
  }),
  endpoint({
    method: "get",
    path: "/session",
    id: "getSession",
    tag: "service",
    summary: "Who is logged in",
    role: "reader",
    answer: Session,
    handle: async ({ principal: { role, name, via } }) => ({ type: "session", role, name, via }),
  }),
  endpoint({
    method: "post",
    path: "/session",
    id: "logIn",
    tag: "service",
    summary: "Log a browser in, with the code of a one-time link or with a token",
    role: null,
    body: z.strictObject({ secret: z.string().min(8).max(200) }),
    answer: Session,
    handle: async ({ body, server, request, node, throttle }) => {
      const address = plainAddress(node.incoming.socket.remoteAddress);
      throttle.admit(address, body.secret);
      const found = server.access.logIn(body.secret);
      if (found === null) {
        throttle.recordFailure(address);
        throw new HttpProblem(
          makeProblem(401, "NOT_LOGGED_IN", "The link was used already, has expired, or the token is unknown", {
            fix: "coordinator token login makes a new link.",
          }),
        );
      }
      throttle.recordSuccess(found.session);
      const { role, name, via } = found.principal;
      const response = await jsonResponse(request, { type: "session", role, name, via });
      response.headers.append("set-cookie", cookie(server, found.session, found.maxAge));
      return response;
    },
  }),
  endpoint({
    method: "delete",
    path: "/session",
    id: "logOut",
    tag: "service",
    summary: "Log a browser out",
    role: "reader",
    answer: z.object({ type: z.literal("logged_out") }).openapi("LoggedOut"),
    handle: async ({ server, request, node }) => {
      const session = cookieOf(node.incoming, server.cookie);
      if (session !== null) server.access.logOut(session);
      const response = await jsonResponse(request, { type: "logged_out" });
      response.headers.append("set-cookie", cookie(server, "", 0));
      return response;
    },
  }),
  endpoint({
    method: "post",
    path: "/login-links",
    id: "makeLoginLink",
    tag: "service",
    summary: "Make a link that logs a browser in, once",
    role: "admin",
    body: z.strictObject({ token: z.string().min(1).max(100).optional() }),
    answer: LoginLink,
    status: 201,
    handle: async ({ body, server }) => {
      const found = readTokens(server.environment).find(
        ({ token_id, name }) => token_id === (body.token ?? OWNER) || name === body.token,
      );
      if (found === undefined)
        throw new HttpProblem(
          makeProblem(404, "NOT_FOUND", `There is no token ${body.token ?? OWNER}`, { fix: "coordinator token list" }),
        );
      return { type: "login", url: `${server.url}/#login=${server.access.makeLink(found.token_id)}`, minutes: 10 };
    },
  }),
];

function cookie({ cookie: name, secure }: ServerContext, value: string, maxAge: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? "; Secure" : ""}`;
}
