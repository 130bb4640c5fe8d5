import { Agent, request as httpRequest } from "node:http";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/server/routes/all.js";
import { ensureBuilt } from "../build.js";
import { desk, projectOf } from "./desk.js";
import { serve } from "./served.js";

beforeAll(ensureBuilt);

const REQUESTS = 10_000;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Requests near to those there are: the right places with wrong values, and wrong places. */
function requests(project: string, cookie: string): fc.Arbitrary<Sent> {
  const word = fc.oneof(
    fc.constantFrom(project, "last", "run_x", "..", "%00", "%2e%2e", "", "null", "1e999", "__proto__", "a'b\"c", "💥"),
    fc.string({ maxLength: 30 }),
  );
  const known = fc.constantFrom(...ENDPOINTS).chain(({ method, path }) =>
    fc.array(word, { minLength: 5, maxLength: 5 }).map((words) => {
      let i = 0;
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === "project" && i === 0 && (words[4]?.length ?? 0) % 3 > 0
          ? project
          : encodeURIComponent(words[i++] ?? ""),
      );
      return { method: method.toUpperCase(), path: `/api/v1${filled}` };
    }),
  );
  const strange = fc.record({
    method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"),
    path: fc.array(word, { maxLength: 5 }).map((words) => `/${words.map((one) => encodeURIComponent(one)).join("/")}`),
  });
  const value = fc.oneof(fc.json(), fc.string({ maxLength: 200 }), fc.constant('{"__proto__":{"role":"admin"}}'));
  const plain = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?"));
  return fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: known }, strange),
      fc.option(value, { freq: 3 }),
      fc.option(fc.tuple(word, word), { freq: 3 }),
      fc.constantFrom(true, true, true, false),
      fc.option(fc.tuple(fc.constantFrom("if-none-match", "last-event-id", "accept-encoding", "authorization"), plain)),
    )
    .map(([{ method, path }, body, query, isLoggedIn, extra]) => ({
      method,
      path: query === null ? path : `${path}?${encodeURIComponent(query[0])}=${encodeURIComponent(query[1])}`,
      headers: {
        ...(isLoggedIn ? { cookie } : {}),
        ...(body === null || method === "GET" || method === "HEAD"
          ? {}
          : // Node.js frames the bodies of some methods only when it is told how long they are.
            { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
        ...(extra === null ? {} : { [extra[0]]: extra[1] }),
      },
      body: method === "GET" || method === "HEAD" ? null : body,
    }));
}

function answerTo(
  url: string,
  agent: Agent,
  { method, path, headers, body }: Sent,
): Promise<{ status: number; type: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}${path}`, { method, headers, agent }, (response) => {
      const type = response.headers["content-type"] ?? "";
      const found = { status: response.statusCode ?? 0, type };
      // A stream goes on for ever.
      if (type.startsWith("text/event-stream")) {
        response.destroy();
        resolve(found);
        return;
      }
      response.resume();
      response.on("end", () => resolve(found));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

describe("requests of every kind", () => {
  it(`${REQUESTS} of them get an answer that is no mistake of the program, and change nothing`, async () => {
    const project = desk();
    const served = await serve(project);
    const id = await projectOf(served);
    const all = fc.sample(requests(id, served.cookie), { numRuns: REQUESTS, seed: 17 });
    // A request that could log out or begin work would change what the others see.
    const harmless = all.filter(
      ({ method, path }) =>
        !(method === "DELETE" && path.startsWith("/api/v1/session")) && !/\/(?:requests|merge)$/.test(path),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const statuses = new Map<number, number>();
    const wrong: unknown[] = [];
    let next = 0;
    const worker = async () => {
      for (let one = harmless[next++]; one !== undefined; one = harmless[next++]) {
        const found = await answerTo(served.url, agent, one).catch((error: Error) => ({
          status: 0,
          type: error.message,
        }));
        statuses.set(found.status, (statuses.get(found.status) ?? 0) + 1);
        const isProblem =
          found.status < 400 || found.type.startsWith("application/problem+json") || one.method === "HEAD";
        const isStatic = !one.path.startsWith("/api/");
        if (found.status === 0 || found.status >= 500 || !(isProblem || isStatic)) wrong.push({ one, found });
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    agent.destroy();
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(harmless.length).toBeGreaterThan(REQUESTS * 0.9);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 401, 404, 422]));
    expect((await served.ask("/projects")).status).toBe(200);
    expect(await project.runs()).toEqual([]);
  }, 180_000);
});
