import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { ZodType } from "zod";
import { VERSION } from "../version.js";
import type { Endpoint } from "./endpoint.js";
import { ENDPOINTS } from "./routes/all.js";

/* The OpenAPI 3.1 document, made from the declarations of the operations. It is published as schemas/openapi.json. */

const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe("See docs/errors."),
    fix: z.string().nullable(),
    problems: z.array(z.record(z.string(), z.unknown())),
  })
  .openapi("Problem");

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: Problem } },
});

let made: object | null = null;

/** Contract: the same bytes for the same version. */
export function openApiDocument(): object {
  made ??= makeDocument();
  return made;
}

function makeDocument(): object {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono();
  registry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  registry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "coordinator_session",
    description: "Set by POST /session; its name ends with the port of the server.",
  });
  for (const one of ENDPOINTS) registry.registerPath(pathOf(one));
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Coordinator",
      version: VERSION,
      description: "Requests, plans, runs and decisions of the projects that `coordinator serve` serves.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/api/v1" }],
  });
}

function pathOf(one: Endpoint): Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0] {
  const content = contentOf(one.answer);
  return {
    method: one.method,
    path: one.path,
    operationId: one.id,
    tags: [one.tag],
    summary: one.summary,
    description: one.role === null ? "Open to all." : `Takes the role ${one.role}.`,
    security: one.role === null ? [] : [{ token: [] }, { session: [] }],
    request: {
      ...(one.params === null ? {} : { params: one.params }),
      ...(one.query === null ? {} : { query: one.query }),
      ...(one.body === null ? {} : { body: { required: true, content: { "application/json": { schema: one.body } } } }),
    },
    responses: {
      [one.status]: { description: one.summary, content },
      ...(one.params === null && one.query === null && one.body === null ? {} : { 422: problem("Invalid input") }),
      ...(one.role === null ? {} : { 401: problem("Not logged in"), 403: problem("Refused") }),
      ...(one.params === null ? {} : { 404: problem("Not found") }),
      ...(one.method === "get" ? {} : { 409: problem("Conflict: somebody else was first, or it is not possible now") }),
      ...(one.body === null ? {} : { 413: problem("Too large"), 415: problem("Not JSON") }),
    },
  };
}

function contentOf(answer: Endpoint["answer"]): Record<string, { schema: ZodType }> {
  if ("stream" in answer) return { "text/event-stream": { schema: answer.stream } };
  if ("bytes" in answer) return { [answer.bytes]: { schema: z.string() } };
  return { "application/json": { schema: answer } };
}
