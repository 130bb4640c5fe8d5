import { z } from "zod";
import type { CodeHost, HostPull, HostRemark, HostRight, HostUser } from "./code-host.js";
import { addDraftSign, withoutDraftSign } from "./draft-sign.js";
import { Comment, Repository } from "./github-answers.js";
import { HostRefused } from "./host-errors.js";
import type { HostHttp } from "./host-http.js";
import { text, typedCalls } from "./typed-calls.js";

/*
 * Gitea and Forgejo over their REST API, version 1. Much of it is as GitHub's; remarks belong to reviews, threads are the lines they are
 * about, and a draft is one by its title.
 */

const DRAFT = "WIP: ";
const id = z.int().min(1);

const Account = z
  .object({ id, login: z.string() })
  .transform(({ id: number, login }): HostUser => ({ id: number, login, isBot: false }));
/** A deleted account has no number. */
const author = z
  .object({ id: z.int(), login: z.string() })
  .nullish()
  .transform((user): HostUser | null =>
    user == null || user.id < 1 ? null : { id: user.id, login: user.login, isBot: false },
  );

const Issue = z
  .object({
    id,
    number: id,
    title: z.string(),
    body: text,
    user: author,
    state: z.enum(["open", "closed"]),
    created_at: z.string(),
    updated_at: z.string(),
    labels: z
      .array(z.object({ name: z.string() }))
      .nullish()
      .transform((labels) => (labels ?? []).map(({ name }) => name)),
    pull_request: z.unknown().optional(),
  })
  .transform(({ user, pull_request, ...rest }) => ({ ...rest, author: user, isPull: pull_request != null }));

const End = z.object({ ref: z.string(), sha: text, repo: z.object({ full_name: z.string() }).nullish() });
const Pull = z.object({
  number: id,
  title: z.string(),
  body: text,
  state: z.enum(["open", "closed"]),
  merged: z.boolean().default(false),
  draft: z.boolean().default(false),
  user: author,
  html_url: text,
  head: End,
  base: End,
});

const Review = z.object({ id, comments_count: z.int().default(0) });
const Remark = z.object({
  id,
  body: text,
  user: author,
  path: z.string(),
  /** The line in the new file; 0 where it is about the old one. */
  position: z.int().default(0),
  commit_id: text,
  created_at: z.string(),
  updated_at: z.string(),
  html_url: text,
});

const STATES = { success: "success", pending: "pending", error: "error", failure: "failure" } as const;
const CommitStatus = z.object({
  id,
  status: z.string(),
  context: z.string(),
  description: text,
  target_url: text,
  creator: author,
});

const RIGHTS: Readonly<Record<string, HostRight["right"]>> = {
  owner: "admin",
  admin: "admin",
  write: "write",
  read: "read",
};

/** `repository` is OWNER/NAME. */
export function createGitea(server: string, repository: string, http: HostHttp): CodeHost {
  const repo = `/repos/${repository}`;
  const { read, list, write } = typedCalls(server, http);

  const pullOf = (one: z.infer<typeof Pull>): HostPull => ({
    number: one.number,
    title: withoutDraftSign(one.title, DRAFT),
    body: one.body,
    state: one.state,
    merged: one.merged,
    draft: one.draft,
    author: one.user,
    address: one.html_url,
    head: { branch: one.head.ref, commit: one.head.sha, repository: one.head.repo?.full_name ?? null },
    base: one.base.ref,
  });

  async function listRemarks(n: number): Promise<HostRemark[]> {
    const reviews = await list(`${repo}/pulls/${n}/reviews?limit=50`, Review);
    const said = [];
    for (const review of reviews.filter(({ comments_count }) => comments_count > 0))
      said.push(...(await list(`${repo}/pulls/${n}/reviews/${review.id}/comments`, Remark)));
    said.sort((a, b) => a.id - b.id);
    // Everything about one line is one thread there.
    const first = new Map<string, number>();
    return said.map(({ user, position, commit_id, html_url, ...rest }) => {
      const where = JSON.stringify([rest.path, position]);
      if (!first.has(where)) first.set(where, rest.id);
      return {
        ...rest,
        author: user,
        address: html_url,
        thread: String(first.get(where)),
        line: position === 0 ? null : position,
        commit: commit_id,
      };
    });
  }

  /** Newest first, whatever order the server has. */
  const statusesOf = async (commit: string) =>
    [...(await list(`${repo}/commits/${commit}/statuses?limit=50`, CommitStatus))].sort((a, b) => b.id - a.id);

  return {
    kind: "gitea",
    server,
    repository,
    wantedScopes: [],
    readUser: async () => ({ ...(await read("/user", Account)), scopes: null }),
    readRepository: () => read(repo, Repository),
    readIssue: (n) => read(`${repo}/issues/${n}`, Issue),
    listIssues: (label) =>
      list(`${repo}/issues?labels=${encodeURIComponent(label)}&state=open&type=issues&limit=50`, Issue),
    listComments: ({ number: n }) => list(`${repo}/issues/${n}/comments`, Comment),
    createComment: ({ number: n }, body) => write("POST", `${repo}/issues/${n}/comments`, { body }, Comment),
    updateComment: (_, comment, body) => write("PATCH", `${repo}/issues/comments/${comment}`, { body }, Comment),
    readRight: async ({ login }) => {
      const asked = `${repo}/collaborators/${encodeURIComponent(login)}/permission`;
      const { permission, user } = await read(asked, z.object({ permission: z.string(), user: author }));
      return { user, right: RIGHTS[permission] ?? "none" };
    },
    listPulls: async (branch) =>
      (await list(`${repo}/pulls?state=all&sort=recentupdate&limit=50`, Pull))
        .filter(({ head }) => head.ref === branch)
        .map(pullOf),
    readPull: async (n) => pullOf(await read(`${repo}/pulls/${n}`, Pull)),
    createPull: async ({ title, body, branch, base, draft }) =>
      pullOf(
        await write(
          "POST",
          `${repo}/pulls`,
          { title: draft ? addDraftSign(title, DRAFT) : title, body, head: branch, base },
          Pull,
        ),
      ),
    updatePull: async (n, { title, body }) => {
      const { draft } = await read(`${repo}/pulls/${n}`, Pull);
      const change = { title: draft ? addDraftSign(title, DRAFT) : title, body };
      return pullOf(await write("PATCH", `${repo}/pulls/${n}`, change, Pull));
    },
    listRemarks,
    replyToRemark: async (n, thread, body) => {
      const about = (await listRemarks(n)).find((one) => one.thread === thread);
      if (about === undefined)
        throw new HostRefused(`${server} has no thread ${thread} any more`, 404, "Nothing is lost.");
      const comment = { path: about.path, body, new_position: about.line ?? 0 };
      await http.write("POST", `${repo}/pulls/${n}/reviews`, { event: "COMMENT", body: "", comments: [comment] });
    },
    listChecks: async (commit) =>
      (await statusesOf(commit)).map(({ id: number, context, status, description, target_url }) => ({
        id: number,
        name: context,
        conclusion: status === "error" ? "failure" : status,
        summary: description,
        address: target_url,
      })),
    listStatuses: async (commit) =>
      (await statusesOf(commit)).map(({ context, status, description, creator }) => ({
        context,
        state: Object.hasOwn(STATES, status) ? STATES[status as keyof typeof STATES] : "pending",
        description,
        author: creator,
      })),
    createStatus: async (commit, status) => void (await http.write("POST", `${repo}/statuses/${commit}`, status)),
  };
}
