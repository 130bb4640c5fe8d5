import type { IncomingHttpHeaders } from "node:http";
import { problemsOf } from "./description.js";
import { now, type StoredIssue, type StoredPull, type World } from "./world.js";

/** The answers of the API of a stand-in. */
export interface HostApi {
  readonly kind: "github" | "gitlab" | "gitea";
  /** Where it stands in addresses. */
  readonly prefix: string;
  /** The parameter that says how long a page is. */
  readonly pageSize: string;
  /** The parts that do not fit the description of the API. */
  readonly problemsOf: (request: ApiRequest) => string[];
  readonly answerTo: (request: ApiRequest) => ApiAnswer;
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface ApiAnswer {
  readonly status: number;
  readonly value: unknown;
}

export const ok = (value: unknown, status = 200): ApiAnswer => ({ status, value });
export const MISSING = ok({ message: "Not Found" }, 404);
export const FORBIDDEN = ok({ message: "Resource not accessible by this token" }, 403);

/** GitHub's REST API, as far as it is used. */
export function githubApi(world: World): HostApi {
  const prefix = `/repos/${world.repository}`;

  function answerTo({ method, path, query, body: given }: ApiRequest): ApiAnswer {
    const body = (given ?? {}) as Record<string, string>;
    if (path === "/user") return ok(world.me);
    if (!path.startsWith(prefix)) return MISSING;
    const rest = path.slice(prefix.length);
    const [, kind = "", a = "", b = ""] = rest.split("/");
    if (method !== "GET" && !world.mayWrite()) return FORBIDDEN;
    if (rest === "")
      return ok({ full_name: world.repository, default_branch: "main", permissions: { push: world.mayWrite() } });
    switch (kind) {
      case "collaborators": {
        const user = world.accounts.find(({ login }) => login === decodeURIComponent(a));
        return user === undefined ? MISSING : ok({ permission: world.rights.get(user.login) ?? "none", user });
      }
      case "issues":
        if (a === "") return ok(listLabelled(world, query));
        return a === "comments" ? editComment(world, Number(b), body) : issueAnswer(method, Number(a), b, body);
      case "pulls":
        return a === "" ? pullsAnswer(method, query, body) : pullAnswer(method, rest, body);
      case "statuses":
        world.statuses.unshift({ id: world.nextId(), ...(body as unknown as Status), sha: a, creator: world.me });
        return ok(world.statuses[0], 201);
      case "commits": {
        if (b === "statuses") return ok(world.statuses.filter(({ sha }) => sha === a));
        const found = world.checks.filter(({ sha }) => sha === a);
        return ok({ total_count: found.length, check_runs: found });
      }
      default:
        return MISSING;
    }
  }

  function issueAnswer(method: string, number: number, what: string, body: Record<string, string>): ApiAnswer {
    // A pull request is an issue, too.
    const issue = world.issues.get(number) ?? world.pulls.get(number);
    if (issue === undefined) return MISSING;
    if (what === "") return ok(issue);
    if (method === "POST") return ok(world.comment(number, world.me, body["body"] ?? ""), 201);
    return ok([...world.comments.values()].filter((told) => told.issue === number));
  }

  function pullsAnswer(method: string, query: URLSearchParams, body: Record<string, string>): ApiAnswer {
    if (method === "POST") {
      const made = world.openPull(body as unknown as Pick<StoredPull, "title" | "body" | "head" | "base" | "draft">);
      if (typeof made !== "string") return ok(pullOf(made), 201);
      return ok({ message: "Validation Failed", errors: [{ message: made }] }, 422);
    }
    const [owner, branch] = (query.get("head") ?? "").split(":");
    const ownerOf = ({ fork = world.repository }: StoredPull) => fork.split("/")[0];
    const found = [...world.pulls.values()].filter(
      (pull) =>
        (branch === undefined || (pull.head === branch && ownerOf(pull) === owner)) &&
        (query.get("state") === "all" || pull.state === "open"),
    );
    return ok(found.map(pullOf));
  }

  function pullAnswer(method: string, rest: string, body: Record<string, string>): ApiAnswer {
    const [, , a, b = "", c, d] = rest.split("/");
    const pull = world.pulls.get(Number(a));
    if (pull === undefined) return MISSING;
    if (b === "comments" && d === "replies") {
      const first = world.remarks.find((one) => one.id === Number(c));
      if (first === undefined) return MISSING;
      return ok(world.remark(pull.number, world.me, first.path, first.line, body["body"] ?? "", first.id), 201);
    }
    if (b === "comments") return ok(world.remarks.filter((one) => one.pull === pull.number));
    if (method === "PATCH") Object.assign(pull, body);
    return ok(pullOf(pull));
  }

  function pullOf({ head, base, fork, ...pull }: StoredPull) {
    const end = (ref: string, full_name = world.repository) => {
      return { ref, sha: world.tipOf(ref) ?? "0".repeat(40), repo: { full_name } };
    };
    return { ...pull, head: end(head, fork), base: end(base) };
  }

  return {
    kind: "github",
    prefix: "/api",
    pageSize: "per_page",
    problemsOf: ({ method, path, query, body, headers }) => [
      ...problemsOf(method, path, query, body),
      ...(headers["x-github-api-version"] === "2022-11-28" ? [] : ["the version of the API is not named"]),
    ],
    answerTo,
  };
}

interface Status {
  readonly context: string;
  readonly state: string;
  readonly description: string;
}

/** Open issues with all the labels that are named. */
export function listLabelled({ issues }: World, query: URLSearchParams): StoredIssue[] {
  const wanted = (query.get("labels") ?? "").split(",").filter(Boolean);
  return [...issues.values()].filter(
    ({ state, labels }) => state === "open" && wanted.every((one) => labels.some(({ name }) => name === one)),
  );
}

export function editComment(world: World, id: number, { body }: Record<string, string>): ApiAnswer {
  const told = world.comments.get(id);
  return told === undefined ? MISSING : ok(Object.assign(told, { body, updated_at: now() }));
}
