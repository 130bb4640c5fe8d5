import {
  type ApiAnswer,
  type ApiRequest,
  editComment,
  FORBIDDEN,
  type HostApi,
  listLabelled,
  MISSING,
  ok,
} from "./github-api.js";
import { problemsAtGitea } from "./small-descriptions.js";
import type { Account, StoredPull, World } from "./world.js";

/** Gitea's REST API, as far as it is used. Accounts have no `type`: Gitea does not know programs. */
export function giteaApi(world: World): HostApi {
  const prefix = `/repos/${world.repository}`;
  const user = ({ id, login }: Account) => ({ id, login });

  function answerTo({ method, path, query, body: given }: ApiRequest): ApiAnswer {
    const body = (given ?? {}) as Record<string, string>;
    if (path === "/user") return ok(user(world.me));
    if (!path.startsWith(prefix)) return MISSING;
    const rest = path.slice(prefix.length);
    const [, kind = "", a = "", b = ""] = rest.split("/");
    if (method !== "GET" && !world.mayWrite()) return FORBIDDEN;
    if (rest === "") {
      const permissions = { admin: false, push: world.mayWrite(), pull: true };
      return ok({ full_name: world.repository, default_branch: "main", permissions });
    }
    switch (kind) {
      case "collaborators": {
        const found = world.accounts.find(({ login }) => login === decodeURIComponent(a));
        if (found === undefined) return MISSING;
        return ok({ permission: world.rights.get(found.login) ?? "none", user: user(found) });
      }
      case "issues": {
        if (a === "comments") return editComment(world, Number(b), body);
        if (a === "")
          return ok(listLabelled(world, query).map((one) => ({ ...one, user: user(one.user), pull_request: null })));
        const issue = world.issues.get(Number(a)) ?? world.pulls.get(Number(a));
        if (issue === undefined) return MISSING;
        if (b === "") return ok({ ...issue, user: user(issue.user), pull_request: null });
        if (method === "POST") return ok(world.comment(Number(a), world.me, body["body"] ?? ""), 201);
        return ok([...world.comments.values()].filter((told) => told.issue === Number(a)));
      }
      case "pulls":
        return a === "" ? pullsAnswer(method, query, body) : pullAnswer(method, rest, body);
      case "statuses":
        world.statuses.unshift({
          id: world.nextId(),
          sha: a,
          context: body["context"] ?? "",
          state: body["state"] ?? "",
          description: body["description"] ?? "",
          creator: world.me,
        });
        return ok({}, 201);
      case "commits":
        return ok([...statusesOf(a), ...checksOf(a)]);
      default:
        return MISSING;
    }
  }

  function statusesOf(commit: string) {
    const found = world.statuses.filter(({ sha }) => sha === commit);
    return found.map(({ state, creator, ...rest }) => ({ ...rest, status: state, creator: user(creator) }));
  }

  function checksOf(commit: string) {
    const found = world.checks.filter(({ sha }) => sha === commit);
    return found.map(({ id, name, conclusion, html_url }) => {
      return { id, context: name, status: conclusion, target_url: html_url, description: "", creator: null };
    });
  }

  function pullsAnswer(method: string, query: URLSearchParams, body: Record<string, string>): ApiAnswer {
    if (method === "GET") {
      const isAll = query.get("state") === "all";
      return ok([...world.pulls.values()].filter(({ state }) => isAll || state === "open").map(pullOf));
    }
    const { title = "", body: text = "", head = "", base = "" } = body;
    const draft = title.startsWith("WIP: ");
    const made = world.openPull({ title: title.replace(/^WIP: /, ""), body: text, head, base, draft });
    return typeof made === "string" ? ok({ message: made }, 409) : ok(pullOf(made), 201);
  }

  function pullAnswer(method: string, rest: string, body: Record<string, unknown>): ApiAnswer {
    const [, , a, b = "", c = "", d = ""] = rest.split("/");
    const pull = world.pulls.get(Number(a));
    if (pull === undefined) return MISSING;
    if (b === "reviews") {
      const said = world.remarks.filter((one) => one.pull === pull.number);
      // Each remark is a review of its own here; one without remarks is there, too.
      if (d === "comments") return ok(said.filter(({ id }) => id * 10 === Number(c)).map(remarkOf));
      if (method === "GET")
        return ok([{ id: 1, comments_count: 0 }, ...said.map(({ id }) => ({ id: id * 10, comments_count: 1 }))]);
      const [first] = body["comments"] as { path: string; body: string; new_position: number }[];
      if (first === undefined) return ok({ message: "no comments" }, 422);
      world.remark(pull.number, world.me, first.path, first.new_position, first.body);
      return ok({ id: 2, comments_count: 1 });
    }
    if (method === "PATCH") {
      const title = String(body["title"]);
      Object.assign(pull, { title: title.replace(/^WIP: /, ""), body: body["body"], draft: title.startsWith("WIP: ") });
    }
    return ok(pullOf(pull));
  }

  function remarkOf({ line, user: by, ...rest }: World["remarks"][number]) {
    return { ...rest, position: line, user: user(by) };
  }

  function pullOf({ head, base, fork, merged_at, title, draft, user: by, ...pull }: StoredPull) {
    const end = (ref: string, full_name = world.repository) => {
      return { ref, sha: world.tipOf(ref) ?? "", repo: { full_name } };
    };
    return {
      ...pull,
      title: draft ? `WIP: ${title}` : title,
      draft,
      merged: merged_at !== null,
      user: user(by),
      head: end(head, fork),
      base: end(base),
    };
  }

  return { kind: "gitea", prefix: "/api/v1", pageSize: "limit", problemsOf: problemsAtGitea, answerTo };
}
