import { z } from "zod";
import type { CodeHost, Discussion, HostKind, HostPull, HostRight, HostStatus, HostUser } from "./code-host.js";
import { HostRefused } from "./host-errors.js";
import { addDraftSign, withoutDraftSign } from "./draft-sign.js";
import type { HostHttp } from "./host-http.js";
import { text, typedCalls } from "./typed-calls.js";

/*
 * GitLab over its REST API, version 4. Issues and merge requests are numbered apart; what stands on lines is in discussions; a draft is
 * one by its title.
 */

const KIND: HostKind = "gitlab";
const DRAFT = "Draft: ";
const id = z.int().min(1);

const Account = z
  .object({ id, username: z.string(), bot: z.boolean().optional() })
  .transform(({ id: number, username, bot }): HostUser => ({ id: number, login: username, isBot: bot === true }));
const author = Account.nullish().transform((user) => user ?? null);

const Access = z.object({ access_level: z.int() }).nullish();
const Project = z.object({
  path_with_namespace: z.string(),
  default_branch: z.string().nullish(),
  permissions: z.object({ project_access: Access, group_access: Access }).nullish(),
});

/** From here on somebody may push to branches that are not protected. */
const DEVELOPER = 30;
const MAINTAINER = 40;

const Issue = z
  .object({
    id,
    iid: id,
    title: z.string(),
    description: text,
    author,
    state: z.enum(["opened", "closed"]),
    created_at: z.string(),
    updated_at: z.string(),
    labels: z.array(z.string()).default([]),
  })
  .transform(({ iid, description, state, ...rest }) => ({
    ...rest,
    number: iid,
    body: description,
    state: state === "opened" ? ("open" as const) : ("closed" as const),
    isPull: false,
  }));

const noteFields = {
  id,
  body: text,
  author,
  created_at: z.string(),
  updated_at: z.string(),
  /** Written by GitLab itself: "changed the milestone". */
  system: z.boolean().default(false),
};
const Note = z.object(noteFields).transform((note) => ({ ...note, address: "" }));

const Thread = z.object({
  id: z.string().regex(/^[0-9a-f]{1,64}$/),
  notes: z.array(
    z.object({
      ...noteFields,
      position: z
        .object({
          new_path: z.string().nullish(),
          old_path: z.string().nullish(),
          new_line: z.int().nullish(),
          head_sha: text,
        })
        .nullish(),
    }),
  ),
});

const MergeRequest = z.object({
  iid: id,
  title: z.string(),
  description: text,
  state: z.enum(["opened", "closed", "merged", "locked"]),
  draft: z.boolean().default(false),
  author,
  web_url: text,
  source_branch: z.string(),
  target_branch: z.string(),
  sha: z.string().nullish(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int().nullish(),
});

const STATES: Readonly<Record<string, HostStatus["state"]>> = {
  success: "success",
  failed: "failure",
  canceled: "error",
};
const CommitStatus = z.object({
  id,
  name: z.string(),
  status: z.string(),
  description: text,
  target_url: text,
  allow_failure: z.boolean().default(false),
  author,
});

/** `repository` is the path of the project, with all its groups. */
export function createGitLab(server: string, repository: string, http: HostHttp): CodeHost {
  const project = `/projects/${encodeURIComponent(repository)}`;
  const { read, list, write } = typedCalls(server, http);
  const place = ({ kind, number }: Discussion) =>
    `${project}/${kind === "issue" ? "issues" : "merge_requests"}/${number}`;
  const pull = (n: number) => place({ kind: "pull", number: n });

  const pullOf = (one: z.infer<typeof MergeRequest>): HostPull => ({
    number: one.iid,
    title: withoutDraftSign(one.title, DRAFT),
    body: one.description,
    state: one.state === "opened" || one.state === "locked" ? "open" : "closed",
    merged: one.state === "merged",
    draft: one.draft,
    author: one.author,
    address: one.web_url,
    head: {
      branch: one.source_branch,
      commit: one.sha ?? "",
      repository: one.source_project_id === one.target_project_id ? repository : null,
    },
    base: one.target_branch,
  });

  /** Newest first, whatever order the server has. */
  const statusesOf = async (commit: string) =>
    [...(await list(`${project}/repository/commits/${commit}/statuses?per_page=100`, CommitStatus))].sort(
      (a, b) => b.id - a.id,
    );

  return {
    kind: KIND,
    server,
    repository,
    wantedScopes: ["api"],
    readUser: async () => {
      const user = await read("/user", Account);
      // Not every token says what it may do.
      const token = await read("/personal_access_tokens/self", z.object({ scopes: z.array(z.string()) })).catch(
        (error: unknown) => {
          if (error instanceof HostRefused) return null;
          throw error;
        },
      );
      return { ...user, scopes: token?.scopes ?? null };
    },
    readRepository: async () => {
      const { path_with_namespace, default_branch, permissions } = await read(project, Project);
      const levels = [permissions?.project_access?.access_level, permissions?.group_access?.access_level];
      const known = levels.filter((level) => level !== undefined);
      return {
        full_name: path_with_namespace,
        default_branch: default_branch ?? "main",
        mayPush: known.length === 0 ? null : Math.max(...known) >= DEVELOPER,
      };
    },
    readIssue: (n) => read(place({ kind: "issue", number: n }), Issue),
    listIssues: (label) =>
      list(`${project}/issues?labels=${encodeURIComponent(label)}&state=opened&per_page=100`, Issue),
    listComments: async (on) =>
      (await list(`${place(on)}/notes?sort=asc&order_by=created_at&per_page=100`, Note)).filter(
        ({ system }) => !system,
      ),
    createComment: (on, body) => write("POST", `${place(on)}/notes`, { body }, Note),
    updateComment: (on, note, body) => write("PUT", `${place(on)}/notes/${note}`, { body }, Note),
    readRight: async ({ id: account }) => {
      const user = await read(`/users/${account}`, Account);
      const level = await read(`${project}/members/all/${account}`, z.object({ access_level: z.int() })).catch(
        (error: unknown) => {
          // Somebody who is no member.
          if (error instanceof HostRefused && error.status === 404) return { access_level: 0 };
          throw error;
        },
      );
      return { user, right: rightOf(level.access_level) };
    },
    listPulls: async (branch) =>
      (
        await list(
          `${project}/merge_requests?state=all&source_branch=${encodeURIComponent(branch)}&per_page=100`,
          MergeRequest,
        )
      ).map(pullOf),
    readPull: async (n) => pullOf(await read(pull(n), MergeRequest)),
    createPull: async ({ title, body, branch, base, draft }) =>
      pullOf(
        await write(
          "POST",
          `${project}/merge_requests`,
          {
            title: draft ? addDraftSign(title, DRAFT) : title,
            description: body,
            source_branch: branch,
            target_branch: base,
          },
          MergeRequest,
        ),
      ),
    updatePull: async (n, { title, body }) => {
      const { draft } = await read(pull(n), MergeRequest);
      const change = { title: draft ? addDraftSign(title, DRAFT) : title, description: body };
      return pullOf(await write("PUT", pull(n), change, MergeRequest));
    },
    listRemarks: async (n) =>
      (await list(`${pull(n)}/discussions?per_page=100`, Thread)).flatMap(({ id: thread, notes }) => {
        const { position } = notes[0] ?? {};
        if (position == null) return [];
        const where = {
          thread,
          path: position.new_path ?? position.old_path ?? "",
          line: position.new_line ?? null,
          commit: position.head_sha,
          address: "",
        };
        return notes
          .filter(({ system }) => !system)
          .map(({ position: _, system: __, ...note }) => ({ ...note, ...where }));
      }),
    replyToRemark: async (n, thread, body) =>
      void (await http.write("POST", `${pull(n)}/discussions/${encodeURIComponent(thread)}/notes`, { body })),
    // Jobs of pipelines are among the statuses of a commit.
    listChecks: async (commit) =>
      (await statusesOf(commit))
        .filter(({ allow_failure }) => !allow_failure)
        .map(({ id: number, name, status, description, target_url }) => ({
          id: number,
          name,
          conclusion: status === "failed" ? "failure" : status,
          summary: description,
          address: target_url,
        })),
    listStatuses: async (commit) =>
      (await statusesOf(commit)).map(({ name, status, description, author: by }) => ({
        context: name,
        state: STATES[status] ?? "pending",
        description,
        author: by,
      })),
    createStatus: async (commit, { context, state, description }) =>
      void (await http.write("POST", `${project}/statuses/${commit}`, {
        state: state === "failure" || state === "error" ? "failed" : state,
        name: context,
        description,
      })),
  };
}

function rightOf(level: number): HostRight["right"] {
  if (level >= MAINTAINER) return "admin";
  if (level >= DEVELOPER) return "write";
  return level >= 10 ? "read" : "none";
}
