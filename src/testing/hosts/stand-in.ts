import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, gitAnswer } from "./git-backend.js";
import { type ApiRequest, githubApi, type HostApi } from "./github-api.js";
import { createWorld, type World } from "./world.js";

/*
 * A host of code on loopback: its API over a repository that takes real pushes. Every request is compared with the
 * description of the API; one that does not fit is answered with 422 and kept for the test to see.
 */

/** A fault that happens to a request instead of its answer, or after it was done. */
type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | "refuse"
  | "lose_answer";

export interface Seen {
  readonly index: number;
  readonly method: string;
  /** Without the beginning that all paths of the API have. */
  readonly path: string;
  readonly body: unknown;
  readonly isApi: boolean;
  /** The answer; absent before there is one. */
  status?: number;
}

export interface StandIn extends World {
  readonly kind: HostApi["kind"];
  readonly server: string;
  /** The address of its API. */
  readonly api: string;
  readonly seen: Seen[];
  /** Requests that do not fit the description of the API. */
  readonly misfits: string[];
  fault: (request: Seen) => Fault | undefined;
  /** Told when a request has come in, and again when it was done and not yet answered. */
  watch: (request: Seen, when: "before" | "after") => void;
  readonly close: () => Promise<void>;
}

export async function startStandIn(folder: string, makeApi: (world: World) => HostApi = githubApi): Promise<StandIn> {
  let url = "";
  const world = createWorld(folder, () => url);
  const api = makeApi(world);
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const standIn: StandIn = {
    ...world,
    url,
    kind: api.kind,
    server: `127.0.0.1:${port}`,
    api: `${url}${api.prefix}`,
    seen: [],
    misfits: [],
    fault: () => undefined,
    watch: () => undefined,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return standIn;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const asked = new URL(request.url ?? "/", url);
    const method = request.method ?? "GET";
    const isApi = asked.pathname.startsWith(`${api.prefix}/`);
    const body: unknown = isApi && bytes.length > 0 ? JSON.parse(bytes.toString("utf8")) : null;
    const path = isApi ? asked.pathname.slice(api.prefix.length) : asked.pathname;
    const seen: Seen = { index: standIn.seen.length, method, path, body, isApi };
    standIn.seen.push(seen);
    standIn.watch(seen, "before");
    const fault = standIn.fault(seen);
    if (fault === "refuse") return void request.socket.destroy();
    if (typeof fault === "object")
      return void response
        .writeHead(fault.status, { "content-type": "application/json", ...fault.headers })
        .end(JSON.stringify(fault.body ?? { message: "no" }));
    const answer = isApi
      ? apiAnswer({ method, path, query: asked.searchParams, body, headers: request.headers })
      : await gitAnswer(request, asked, bytes, folder, world.token);
    standIn.watch(seen, "after");
    if (fault === "lose_answer") return void request.socket.destroy();
    seen.status = answer.status;
    response.writeHead(answer.status, answer.headers).end(answer.bytes);
  }

  function apiAnswer(request: ApiRequest): Answer {
    const { method, path, query, headers } = request;
    const wrong = api.problemsOf(request);
    if (wrong.length > 0) {
      standIn.misfits.push(...wrong);
      return json(422, { message: wrong.join("; ") });
    }
    if (headers.authorization !== `Bearer ${world.token}`) return json(401, { message: "Bad credentials" });
    const { status, value } = api.answerTo(request);
    const tag = `"${createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16)}"`;
    if (method === "GET" && status === 200 && headers["if-none-match"] === tag)
      return { status: 304, headers: { etag: tag }, bytes: Buffer.alloc(0) };
    if (!Array.isArray(value)) return json(status, value, { etag: tag });
    const [size, page] = [Number(query.get(api.pageSize) ?? 30), Number(query.get("page") ?? 1)];
    const more = value.length > page * size;
    const next = new URLSearchParams(query);
    next.set("page", String(page + 1));
    const link = more ? { link: `<${standIn.api}${path}?${next.toString()}>; rel="next"` } : {};
    return json(status, value.slice((page - 1) * size, page * size), { etag: tag, ...link });
  }
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    bytes: Buffer.from(JSON.stringify(value)),
  };
}
