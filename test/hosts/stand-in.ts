import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { problemsOf } from "./description.js";

/*
 * A host of code on loopback: GitHub's API over a repository that takes real pushes. Every request is compared with the
 * description of the API; one that does not fit is answered with 422 and kept for the test to see.
 */

interface Account {
  readonly id: number;
  login: string;
  readonly type: "User" | "Bot";
}

interface Told {
  id: number;
  body: string;
  user: Account;
  created_at: string;
  updated_at: string;
  html_url: string;
}

interface StoredPull {
  number: number;
  title: string;
  body: string;
  state: "open" | "closed";
  merged_at: string | null;
  draft: boolean;
  user: Account;
  html_url: string;
  head: string;
  base: string;
}

interface StoredIssue extends Told {
  number: number;
  title: string;
  state: "open" | "closed";
  labels: { name: string }[];
}

/** What happens to a request instead of its answer, or after it was done. */
type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | "refuse"
  | "lose_answer";

export interface Seen {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface StandIn {
  readonly url: string;
  readonly server: string;
  readonly repository: string;
  /** Where its repository lies. */
  readonly folder: string;
  readonly ada: Account;
  readonly me: Account;
  readonly token: string;
  readonly rights: Map<string, string>;
  readonly accounts: Account[];
  readonly issues: Map<number, StoredIssue>;
  readonly comments: Map<number, Told & { issue: number }>;
  readonly pulls: Map<number, StoredPull>;
  readonly statuses: { sha: string; context: string; state: string; description: string; creator: Account }[];
  readonly remarks: (Told & { pull: number; path: string; line: number; commit_id: string; in_reply_to_id?: number })[];
  readonly reviews: (Told & { pull: number; state: string; commit_id: string })[];
  readonly checks: { id: number; sha: string; name: string; conclusion: string; html_url: string; output: object }[];
  readonly seen: Seen[];
  /** Requests that do not fit the description of the API. */
  readonly misfits: string[];
  fault: (request: Seen) => Fault | undefined;
  /** Told when a request has come in, and again when it was done and not yet answered. */
  watch: (request: Seen, when: "before" | "after") => void;
  readonly git: (...args: string[]) => string;
  readonly comment: (issue: number, user: Account, body: string) => Told;
  readonly close: () => Promise<void>;
}

let clock = Date.parse("2026-03-01T10:00:00Z");
const now = () => new Date((clock += 1000)).toISOString().replace(".000Z", "Z");

export async function startStandIn(folder: string): Promise<StandIn> {
  const repository = "ada/app";
  const bare = join(folder, `${repository}.git`);
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", bare]);
  execFileSync("git", ["-C", bare, "config", "http.receivepack", "true"]);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", bare, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const me: Account = { id: 7001, login: "coordinator-of-ada", type: "User" };
  const ada: Account = { id: 7002, login: "ada", type: "User" };
  let lastId = 100;
  const state: Omit<StandIn, "url" | "server" | "close"> = {
    repository,
    folder: bare,
    ada,
    me,
    token: "host-token-of-the-tests-0123456789",
    rights: new Map([
      [ada.login, "admin"],
      [me.login, "write"],
    ]),
    accounts: [ada, me],
    issues: new Map(),
    comments: new Map(),
    pulls: new Map(),
    statuses: [],
    remarks: [],
    reviews: [],
    checks: [],
    seen: [],
    misfits: [],
    fault: () => undefined,
    watch: () => undefined,
    git,
    comment: (issue, user, body) => {
      const at = now();
      const id = ++lastId;
      const told = {
        id,
        issue,
        body,
        user,
        created_at: at,
        updated_at: at,
        html_url: `${base()}/${repository}/issues/${issue}#issuecomment-${id}`,
      };
      state.comments.set(id, told);
      return told;
    },
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const base = () => `http://127.0.0.1:${port}`;
  const standIn = Object.assign(state, {
    url: base(),
    server: `127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  }) as StandIn;
  return standIn;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", base());
    const method = request.method ?? "GET";
    const isApi = url.pathname.startsWith("/api/");
    const body: unknown = isApi && bytes.length > 0 ? JSON.parse(bytes.toString("utf8")) : null;
    const path = isApi ? url.pathname.slice("/api".length) : url.pathname;
    const seen: Seen = { index: state.seen.length, method, path, body };
    state.seen.push(seen);
    standIn.watch(seen, "before");
    const fault = standIn.fault(seen);
    if (fault === "refuse") return void request.socket.destroy();
    if (typeof fault === "object")
      return void response
        .writeHead(fault.status, { "content-type": "application/json", ...fault.headers })
        .end(JSON.stringify(fault.body ?? { message: "no" }));
    const answer = isApi
      ? apiAnswer(method, path, url.searchParams, body, request)
      : await gitAnswer(request, url, bytes, folder, standIn.token);
    standIn.watch(seen, "after");
    if (fault === "lose_answer") return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.bytes);
  }

  function apiAnswer(
    method: string,
    path: string,
    query: URLSearchParams,
    body: unknown,
    request: IncomingMessage,
  ): Answer {
    const wrong = problemsOf(method, path, query, body);
    if (request.headers["x-github-api-version"] !== "2022-11-28") wrong.push("the version of the API is not named");
    if (wrong.length > 0) {
      state.misfits.push(...wrong);
      return json(422, { message: wrong.join("; ") });
    }
    if (request.headers.authorization !== `Bearer ${standIn.token}`) return json(401, { message: "Bad credentials" });
    const { status, value } = answerTo(method, path, query, (body ?? {}) as Record<string, string>);
    const tag = `"${createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16)}"`;
    if (method === "GET" && status === 200 && request.headers["if-none-match"] === tag)
      return { status: 304, headers: { etag: tag }, bytes: Buffer.alloc(0) };
    if (!Array.isArray(value)) return json(status, value, { etag: tag });
    const [size, page] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)];
    const more = value.length > page * size;
    const next = new URLSearchParams(query);
    next.set("page", String(page + 1));
    const link = more ? { link: `<${base()}/api${path}?${next.toString()}>; rel="next"` } : {};
    return json(status, value.slice((page - 1) * size, page * size), { etag: tag, ...link });
  }

  function answerTo(
    method: string,
    path: string,
    query: URLSearchParams,
    body: Record<string, string>,
  ): { status: number; value: unknown } {
    const ok = (value: unknown, status = 200) => ({ status, value });
    const missing = ok({ message: "Not Found" }, 404);
    if (path === "/user") return ok(me);
    const prefix = `/repos/${repository}`;
    if (!path.startsWith(prefix)) return missing;
    const rest = path.slice(prefix.length);
    const [, kind = "", a = "", b = "", c = "", d = ""] = rest.split("/");
    const mayWrite = ["admin", "write"].includes(state.rights.get(me.login) ?? "none");
    if (method !== "GET" && !mayWrite) return ok({ message: "Resource not accessible by personal access token" }, 403);
    if (rest === "") return ok({ full_name: repository, default_branch: "main", permissions: { push: mayWrite } });
    if (kind === "collaborators") {
      const user = state.accounts.find(({ login }) => login === decodeURIComponent(a));
      return user === undefined ? missing : ok({ permission: state.rights.get(user.login) ?? "none", user });
    }
    if (kind === "issues" && a === "comments") {
      const told = state.comments.get(Number(b));
      if (told === undefined) return missing;
      return ok(Object.assign(told, { body: body["body"], updated_at: now() }));
    }
    if (kind === "issues") {
      const issue = state.issues.get(Number(a));
      if (issue === undefined) return missing;
      if (b === "") return ok(issue);
      if (method === "POST") return ok(state.comment(issue.number, me, body["body"] ?? ""), 201);
      return ok([...state.comments.values()].filter((told) => told.issue === issue.number));
    }
    if (kind === "pulls" && a === "") {
      if (method === "POST") return openPull(body);
      const [, branch] = (query.get("head") ?? "").split(":");
      const found = [...state.pulls.values()].filter(
        (pull) =>
          (branch === undefined || pull.head === branch) && (query.get("state") === "all" || pull.state === "open"),
      );
      return ok(found.map(pullOf));
    }
    if (kind === "pulls") {
      const pull = state.pulls.get(Number(a));
      if (pull === undefined) return missing;
      if (b === "comments" && d === "replies") {
        const at = now();
        const id = ++lastId;
        const first = state.remarks.find((one) => one.id === Number(c));
        if (first === undefined) return missing;
        state.remarks.push({
          ...first,
          id,
          user: me,
          body: body["body"] ?? "",
          created_at: at,
          updated_at: at,
          in_reply_to_id: first.id,
        });
        return ok(state.remarks.at(-1), 201);
      }
      if (b === "comments") return ok(state.remarks.filter((one) => one.pull === pull.number));
      if (b === "reviews") return ok(state.reviews.filter((one) => one.pull === pull.number));
      if (method === "PATCH") Object.assign(pull, body);
      return ok(pullOf(pull));
    }
    if (kind === "statuses") {
      state.statuses.unshift({
        sha: a,
        ...(body as unknown as { context: string; state: string; description: string }),
        creator: me,
      });
      return ok(state.statuses[0], 201);
    }
    if (kind === "commits" && b === "statuses") return ok(state.statuses.filter(({ sha }) => sha === a));
    if (kind === "commits") {
      const found = state.checks.filter(({ sha }) => sha === a);
      return ok({ total_count: found.length, check_runs: found });
    }
    return missing;
  }

  function openPull(body: Record<string, string>): { status: number; value: unknown } {
    const { head, base: onto } = body as unknown as { head: string; base: string };
    const invalid = (message: string) => ({
      status: 422,
      value: { message: "Validation Failed", errors: [{ message }] },
    });
    if (tipOf(head) === null) return invalid(`head ${head} is invalid`);
    if (tipOf(onto) === null) return invalid(`base ${onto} is invalid`);
    if ([...state.pulls.values()].some((pull) => pull.state === "open" && pull.head === head && pull.base === onto))
      return invalid(`A pull request already exists for ada:${head}.`);
    const number = ++lastId;
    const { title, body: text, draft } = body as unknown as { title: string; body: string; draft: boolean };
    const html_url = `${base()}/${repository}/pull/${number}`;
    const pull: StoredPull = {
      number,
      title,
      body: text,
      state: "open",
      merged_at: null,
      draft,
      user: me,
      html_url,
      head,
      base: onto,
    };
    state.pulls.set(number, pull);
    return { status: 201, value: pullOf(pull) };
  }

  function pullOf({ head, base: onto, ...pull }: StoredPull) {
    const end = (ref: string) => ({ ref, sha: tipOf(ref) ?? "0".repeat(40), repo: { full_name: repository } });
    return { ...pull, head: end(head), base: end(onto) };
  }

  function tipOf(branch: string): string | null {
    try {
      return git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
    } catch {
      return null;
    }
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    bytes: Buffer.from(JSON.stringify(value)),
  };
}

/** Fetch and push through the program that git itself brings for servers. */
async function gitAnswer(
  request: IncomingMessage,
  url: URL,
  bytes: Buffer,
  folder: string,
  token: string,
): Promise<Answer> {
  const [, credentials = ""] = /^Basic (.*)$/.exec(request.headers.authorization ?? "") ?? [];
  const [user = "", password = ""] = Buffer.from(credentials, "base64").toString("utf8").split(":");
  if (password !== token)
    return { status: 401, headers: { "www-authenticate": 'Basic realm="git"' }, bytes: Buffer.alloc(0) };
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: String(bytes.length),
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: (request.headers["git-protocol"] as string | undefined) ?? "",
      REMOTE_USER: user,
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined).end(bytes);
  const out: Buffer[] = [];
  for await (const chunk of child.stdout) out.push(chunk as Buffer);
  const whole = Buffer.concat(out);
  const end = whole.indexOf("\r\n\r\n");
  const headers = Object.fromEntries(
    whole
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const { status = "200", ...rest } = headers;
  return { status: Number(status.slice(0, 3)), headers: rest, bytes: whole.subarray(end + 4) };
}
