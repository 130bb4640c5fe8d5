import type { CodeHost } from "./code-host.js";
import { CheckRun, Comment, Issue, Pull, Remark, Repository, Right, Status, User } from "./github-answers.js";
import type { HostHttp } from "./host-http.js";
import { parseAnswer, typedCalls } from "./typed-calls.js";

/*
 * GitHub over its REST API. GraphQL has a limit of its own that polling empties, and statuses stand where check runs
 * would need an App.
 */

/** Its answers are asked for in one version, whatever is newest. */
export const GITHUB_HEADERS = {
  accept: "application/vnd.github+json",
  "x-github-api-version": "2022-11-28",
} as const;

/** `repository` is OWNER/NAME. */
export function createGitHub(server: string, repository: string, http: HostHttp): CodeHost {
  const repo = `/repos/${repository}`;
  const { read, list, write } = typedCalls(server, http);
  const word = encodeURIComponent;
  const [owner = ""] = repository.split("/");

  return {
    kind: "github",
    server,
    repository,
    wantedScopes: ["repo", "public_repo"],
    readUser: async () => {
      const { value, headers } = await http.get("/user");
      const scopes = headers.get("x-oauth-scopes");
      return {
        ...parseAnswer(User, value, "GET /user", server),
        scopes: scopes === null ? null : scopes.split(",").map((scope) => scope.trim()),
      };
    },
    readRepository: () => read(repo, Repository),
    readIssue: (n) => read(`${repo}/issues/${n}`, Issue),
    listIssues: async (label) =>
      (await list(`${repo}/issues?labels=${word(label)}&state=open&per_page=100`, Issue)).filter(
        ({ isPull }) => !isPull,
      ),
    // A pull request is an issue here.
    listComments: ({ number: n }) => list(`${repo}/issues/${n}/comments?per_page=100`, Comment),
    createComment: ({ number: n }, body) => write("POST", `${repo}/issues/${n}/comments`, { body }, Comment),
    updateComment: (_, id, body) => write("PATCH", `${repo}/issues/comments/${id}`, { body }, Comment),
    readRight: ({ login }) => read(`${repo}/collaborators/${word(login)}/permission`, Right),
    listPulls: (branch) => list(`${repo}/pulls?state=all&head=${word(`${owner}:${branch}`)}&per_page=100`, Pull),
    readPull: (n) => read(`${repo}/pulls/${n}`, Pull),
    createPull: ({ branch, ...pull }) => write("POST", `${repo}/pulls`, { ...pull, head: branch }, Pull),
    updatePull: (n, change) => write("PATCH", `${repo}/pulls/${n}`, change, Pull),
    listRemarks: (n) => list(`${repo}/pulls/${n}/comments?per_page=100`, Remark),
    replyToRemark: async (n, thread, body) =>
      void (await http.write("POST", `${repo}/pulls/${n}/comments/${thread}/replies`, { body })),
    listChecks: (commit) => list(`${repo}/commits/${commit}/check-runs?per_page=100`, CheckRun),
    listStatuses: (commit) => list(`${repo}/commits/${commit}/statuses?per_page=100`, Status),
    createStatus: async (commit, status) => void (await http.write("POST", `${repo}/statuses/${commit}`, status)),
  };
}
