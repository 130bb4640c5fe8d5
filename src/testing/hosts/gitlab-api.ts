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
import { problemsAtGitLab } from "./small-descriptions.js";
import type { Account, StoredPull, StoredRemark, Told, World } from "./world.js";

/** GitLab's REST API, as far as it is used: the same world, told in its words. */
export function gitlabApi(world: World): HostApi {
  const prefix = `/projects/${encodeURIComponent(world.repository)}`;
  const LEVELS: Readonly<Record<string, number>> = { admin: 40, write: 30, read: 20 };
  const levelOf = ({ login }: Account) => LEVELS[world.rights.get(login) ?? "none"] ?? 0;
  const user = ({ id, login, type }: Account) => ({ id, username: login, bot: type === "Bot" });
  // Notes say nothing of programs.
  const author = ({ id, login }: Account) => ({ id, username: login });
  const noteOf = ({ id, body, user: by, created_at, updated_at }: Told) => {
    return { id, body, author: author(by), created_at, updated_at, system: false };
  };

  const issueOf = (issue: ReturnType<typeof listLabelled>[number]) => {
    const { number, title, body, state, labels } = issue;
    const said = { ...noteOf(issue), iid: number, title, description: body };
    return { ...said, state: state === "open" ? "opened" : state, labels: labels.map(({ name }) => name) };
  };

  function answerTo({ method, path, query, body: given }: ApiRequest): ApiAnswer {
    const body = (given ?? {}) as Record<string, string>;
    if (path === "/user") return ok(user(world.me));
    if (path === "/personal_access_tokens/self") return ok({ scopes: ["api"] });
    const [, id] = /^\/users\/(\d+)$/.exec(path) ?? [];
    if (id !== undefined) {
      const found = world.accounts.find((one) => one.id === Number(id));
      return found === undefined ? MISSING : ok(user(found));
    }
    if (!path.startsWith(prefix)) return MISSING;
    const rest = path.slice(prefix.length);
    const [, kind = "", a = "", b = "", c = ""] = rest.split("/");
    if (method !== "GET" && !world.mayWrite()) return FORBIDDEN;
    if (rest === "") {
      const access = { access_level: levelOf(world.me) };
      const permissions = { project_access: access, group_access: null };
      return ok({ path_with_namespace: world.repository, default_branch: "main", permissions });
    }
    switch (kind) {
      case "members": {
        const member = world.accounts.find((one) => one.id === Number(b));
        if (member === undefined || levelOf(member) === 0) return MISSING;
        return ok({ ...author(member), access_level: levelOf(member) });
      }
      case "issues": {
        if (a === "") return ok(listLabelled(world, query).map(issueOf));
        const issue = world.issues.get(Number(a));
        if (issue === undefined) return MISSING;
        return b === "notes" ? notesAnswer(method, issue.number, "issue", c, body) : ok(issueOf(issue));
      }
      case "merge_requests":
        return a === "" ? pullsAnswer(method, query, body) : pullAnswer(method, rest, body);
      case "statuses":
        world.statuses.unshift({
          id: world.nextId(),
          sha: a,
          context: body["name"] ?? "",
          state: body["state"] === "failed" ? "failure" : (body["state"] ?? ""),
          description: body["description"] ?? "",
          creator: world.me,
        });
        return ok({}, 201);
      case "repository":
        return ok([...statusesOf(c === "statuses" ? b : ""), ...checksOf(b)]);
      default:
        return MISSING;
    }
  }

  function statusesOf(commit: string) {
    const found = world.statuses.filter(({ sha }) => sha === commit);
    return found.map(({ id, context, state, description, creator }) => {
      return {
        id,
        name: context,
        status: state === "failure" ? "failed" : state,
        description,
        author: author(creator),
      };
    });
  }

  function checksOf(commit: string) {
    const found = world.checks.filter(({ sha }) => sha === commit);
    return found.map(({ id, name, conclusion, html_url }) => {
      return {
        id,
        name,
        status: conclusion === "failure" ? "failed" : conclusion,
        target_url: html_url,
        description: null,
      };
    });
  }

  function notesAnswer(
    method: string,
    number: number,
    on: "issue" | "pull",
    note: string,
    body: Record<string, string>,
  ): ApiAnswer {
    if (method === "POST") return ok(noteOf(world.comment(number, world.me, body["body"] ?? "", on)), 201);
    if (method === "PUT") {
      const { status, value } = editComment(world, Number(note), body);
      return status === 200 ? ok(noteOf(value as Told)) : MISSING;
    }
    const found = [...world.comments.values()].filter((told) => told.issue === number && told.on === on);
    return ok(found.map(noteOf));
  }

  function pullsAnswer(method: string, query: URLSearchParams, body: Record<string, string>): ApiAnswer {
    if (method === "GET") {
      const branch = query.get("source_branch");
      return ok([...world.pulls.values()].filter(({ head }) => branch === null || head === branch).map(pullOf));
    }
    const made = world.openPull({
      title: (body["title"] ?? "").replace(/^Draft: /, ""),
      body: body["description"] ?? "",
      head: body["source_branch"] ?? "",
      base: body["target_branch"] ?? "",
      draft: body["title"]?.startsWith("Draft: ") === true,
    });
    return typeof made === "string" ? ok({ message: [made] }, 409) : ok(pullOf(made), 201);
  }

  function pullAnswer(method: string, rest: string, body: Record<string, string>): ApiAnswer {
    const [, , a, b = "", c = "", d = ""] = rest.split("/");
    const pull = world.pulls.get(Number(a));
    if (pull === undefined) return MISSING;
    if (b === "notes") return notesAnswer(method, pull.number, "pull", c, body);
    if (b === "discussions") return d === "notes" ? replyTo(pull, c, body) : ok(threadsOf(pull));
    if (method === "PUT") {
      const draft = body["title"]?.startsWith("Draft: ") === true;
      Object.assign(pull, { title: (body["title"] ?? "").replace(/^Draft: /, ""), body: body["description"], draft });
    }
    return ok(pullOf(pull));
  }

  const threadId = (remark: StoredRemark) => String(remark.in_reply_to_id ?? remark.id).padStart(40, "0");

  function threadsOf(pull: StoredPull) {
    const said = world.remarks.filter((one) => one.pull === pull.number);
    const first = said.filter(({ in_reply_to_id }) => in_reply_to_id === undefined);
    return first.map((one) => {
      const position = { new_path: one.path, old_path: one.path, new_line: one.line, head_sha: one.commit_id };
      const notes = said.filter((each) => threadId(each) === threadId(one));
      return { id: threadId(one), notes: notes.map((each) => ({ ...noteOf(each), position })) };
    });
  }

  function replyTo(pull: StoredPull, thread: string, body: Record<string, string>): ApiAnswer {
    const first = world.remarks.find((one) => threadId(one) === thread);
    if (first === undefined) return MISSING;
    return ok(noteOf(world.remark(pull.number, world.me, first.path, first.line, body["body"] ?? "", first.id)), 201);
  }

  function pullOf({ number, title, body, state, merged_at, draft, user: by, html_url, head, base, fork }: StoredPull) {
    return {
      iid: number,
      title: draft ? `Draft: ${title}` : title,
      description: body,
      state: merged_at !== null ? "merged" : state === "open" ? "opened" : "closed",
      draft,
      author: author(by),
      web_url: html_url,
      source_branch: head,
      target_branch: base,
      sha: world.tipOf(head),
      source_project_id: fork === undefined ? 1 : 2,
      target_project_id: 1,
    };
  }

  return { kind: "gitlab", prefix: "/api/v4", pageSize: "per_page", problemsOf: problemsAtGitLab, answerTo };
}
