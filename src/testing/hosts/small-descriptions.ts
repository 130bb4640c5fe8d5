import type { ApiRequest } from "./github-api.js";

/*
 * The form of requests to GitLab and Gitea: the calls that are used, and nothing else. Written by hand from what their
 * documentation says of each call; a call, a parameter or a field that does not stand here is wrong.
 */

interface Call {
  readonly query?: readonly string[];
  /** Fields of the body, with what they may hold. A name that ends in `!` must be there. */
  readonly body?: Readonly<Record<string, "string" | "list" | readonly string[]>>;
}
type Calls = Readonly<Record<string, Call>>;

const P = "/projects/{id}";
const notes = { query: ["sort", "order_by", "per_page", "page"] };
const pages = ["per_page", "page"];

const GITLAB: Calls = {
  "GET /user": {},
  "GET /users/{id}": {},
  "GET /personal_access_tokens/self": {},
  [`GET ${P}`]: {},
  [`GET ${P}/members/all/{user}`]: {},
  [`GET ${P}/issues`]: { query: ["labels", "state", ...pages] },
  [`GET ${P}/issues/{iid}`]: {},
  [`GET ${P}/issues/{iid}/notes`]: notes,
  [`POST ${P}/issues/{iid}/notes`]: { body: { "body!": "string" } },
  [`PUT ${P}/issues/{iid}/notes/{note}`]: { body: { "body!": "string" } },
  [`GET ${P}/merge_requests`]: { query: ["state", "source_branch", ...pages] },
  [`POST ${P}/merge_requests`]: {
    body: { "title!": "string", description: "string", "source_branch!": "string", "target_branch!": "string" },
  },
  [`GET ${P}/merge_requests/{iid}`]: {},
  [`PUT ${P}/merge_requests/{iid}`]: { body: { title: "string", description: "string" } },
  [`GET ${P}/merge_requests/{iid}/notes`]: notes,
  [`POST ${P}/merge_requests/{iid}/notes`]: { body: { "body!": "string" } },
  [`PUT ${P}/merge_requests/{iid}/notes/{note}`]: { body: { "body!": "string" } },
  [`GET ${P}/merge_requests/{iid}/discussions`]: { query: pages },
  [`POST ${P}/merge_requests/{iid}/discussions/{discussion}/notes`]: { body: { "body!": "string" } },
  [`GET ${P}/repository/commits/{sha}/statuses`]: { query: pages },
  [`POST ${P}/statuses/{sha}`]: {
    body: {
      "state!": ["pending", "running", "success", "failed", "canceled", "skipped"],
      name: "string",
      description: "string",
    },
  },
};

const R = "/repos/{owner}/{repo}";
const limits = ["limit", "page"];
const GITEA: Calls = {
  "GET /user": {},
  [`GET ${R}`]: {},
  [`GET ${R}/issues`]: { query: ["labels", "state", "type", ...limits] },
  [`GET ${R}/issues/{index}`]: {},
  [`GET ${R}/issues/{index}/comments`]: { query: ["since", "before", "page"] },
  [`POST ${R}/issues/{index}/comments`]: { body: { "body!": "string" } },
  [`PATCH ${R}/issues/comments/{id}`]: { body: { "body!": "string" } },
  [`GET ${R}/collaborators/{user}/permission`]: {},
  [`GET ${R}/pulls`]: { query: ["state", "sort", ...limits] },
  [`POST ${R}/pulls`]: { body: { title: "string", body: "string", head: "string", base: "string" } },
  [`GET ${R}/pulls/{index}`]: {},
  [`PATCH ${R}/pulls/{index}`]: { body: { title: "string", body: "string" } },
  [`GET ${R}/pulls/{index}/reviews`]: { query: limits },
  [`POST ${R}/pulls/{index}/reviews`]: {
    body: { event: ["APPROVED", "PENDING", "COMMENT", "REQUEST_CHANGES"], body: "string", comments: "list" },
  },
  [`GET ${R}/pulls/{index}/reviews/{id}/comments`]: {},
  [`GET ${R}/commits/{ref}/statuses`]: { query: limits },
  [`POST ${R}/statuses/{sha}`]: {
    body: {
      state: ["pending", "success", "error", "failure", "warning"],
      context: "string",
      description: "string",
    },
  },
};

export const problemsAtGitLab = (request: ApiRequest) => problemsIn(GITLAB, request);
export const problemsAtGitea = (request: ApiRequest) => problemsIn(GITEA, request);

function problemsIn(calls: Calls, { method, path, query, body }: ApiRequest): string[] {
  const found = Object.entries(calls)
    .filter(([template]) => matches(template, `${method} ${path}`))
    // A path that is spelt out counts before one with a part that could be anything.
    .sort(([a], [b]) => a.split("{").length - b.split("{").length)[0];
  if (found === undefined) return [`${method} ${path} is not a call`];
  const [template, call] = found;
  const wrong = [...query.keys()]
    .filter((name) => call.query?.includes(name) !== true)
    .map((name) => `${template} has no parameter ${name}`);
  if (call.body === undefined) return body === null ? wrong : [...wrong, `${template} takes no body`];
  const fields = new Map(Object.entries(call.body).map(([name, kind]) => [name.replace(/!$/, ""), kind]));
  const given = (body ?? {}) as Record<string, unknown>;
  const missing = Object.keys(call.body)
    .filter((name) => name.endsWith("!") && !(name.slice(0, -1) in given))
    .map((name) => `${template} wants ${name.slice(0, -1)}`);
  const bad = Object.entries(given).flatMap(([name, value]) => {
    const kind = fields.get(name);
    if (kind === undefined) return [`${template} takes no ${name}`];
    const fits = kind === "list" ? Array.isArray(value) : typeof value === "string";
    const isNamed = typeof kind === "string" || kind.includes(value as string);
    return fits && isNamed ? [] : [`${template}: ${name} cannot be ${JSON.stringify(value)}`];
  });
  return [...wrong, ...missing, ...bad];
}

function matches(template: string, asked: string): boolean {
  const pattern = template.replaceAll(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${pattern}$`).test(asked);
}
