import { execFileSync } from "node:child_process";
import { join } from "node:path";

/* Data of a stand-in host, whatever API it speaks: accounts, issues, comments, pull requests and a repository of git. */

export interface Account {
  readonly id: number;
  login: string;
  readonly type: "User" | "Bot";
}

export interface Told {
  id: number;
  body: string;
  user: Account;
  created_at: string;
  updated_at: string;
  html_url: string;
}

export interface StoredPull {
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
  /** The repository of the branch, where that is another one. */
  fork?: string;
}

export interface StoredIssue extends Told {
  number: number;
  title: string;
  state: "open" | "closed";
  labels: { name: string }[];
}

export interface StoredRemark extends Told {
  readonly pull: number;
  readonly path: string;
  readonly line: number;
  readonly commit_id: string;
  /** The remark that began the thread. */
  readonly in_reply_to_id?: number;
}

export interface World {
  readonly url: string;
  readonly repository: string;
  /** Where its repository lies. */
  readonly folder: string;
  readonly ada: Account;
  readonly me: Account;
  readonly token: string;
  readonly rights: Map<string, string>;
  readonly accounts: Account[];
  readonly issues: Map<number, StoredIssue>;
  readonly comments: Map<number, Told & { issue: number; on: "issue" | "pull" }>;
  readonly pulls: Map<number, StoredPull>;
  readonly statuses: {
    id: number;
    sha: string;
    context: string;
    state: string;
    description: string;
    creator: Account;
  }[];
  readonly remarks: StoredRemark[];
  readonly checks: { id: number; sha: string; name: string; conclusion: string; html_url: string; output: object }[];
  readonly git: (...args: string[]) => string;
  readonly comment: (number: number, user: Account, body: string, on?: "issue" | "pull") => Told;
  readonly remark: (
    pull: number,
    user: Account,
    path: string,
    line: number,
    body: string,
    thread?: number,
  ) => StoredRemark;
  readonly nextId: () => number;
  readonly mayWrite: () => boolean;
  readonly tipOf: (branch: string) => string | null;
  /** A pull request, or why there cannot be one. */
  readonly openPull: (pull: Pick<StoredPull, "title" | "body" | "head" | "base" | "draft">) => StoredPull | string;
}

let clock = Date.parse("2026-03-01T10:00:00Z");
export const now = () => new Date((clock += 1000)).toISOString().replace(".000Z", "Z");

export function createWorld(folder: string, url: () => string): World {
  const repository = "ada/app";
  const bare = join(folder, `${repository}.git`);
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", bare]);
  execFileSync("git", ["-C", bare, "config", "http.receivepack", "true"]);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", bare, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const me: Account = { id: 7001, login: "coordinator-of-ada", type: "User" };
  const ada: Account = { id: 7002, login: "ada", type: "User" };
  let lastId = 100;
  const nextId = () => ++lastId;
  const makeComment = (user: Account, body: string, where: string): Told => {
    const at = now();
    return { id: nextId(), body, user, created_at: at, updated_at: at, html_url: `${url()}/${repository}/${where}` };
  };
  const world: World = {
    get url() {
      return url();
    },
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
    checks: [],
    git,
    nextId,
    mayWrite: () => ["admin", "write"].includes(world.rights.get(me.login) ?? "none"),
    comment: (issue, user, body, on = "issue") => {
      const made = { ...makeComment(user, body, `issues/${issue}`), issue, on };
      world.comments.set(made.id, made);
      return made;
    },
    remark: (pull, user, path, line, body, thread) => {
      const commit_id = world.tipOf(world.pulls.get(pull)?.head ?? "") ?? "";
      const made: StoredRemark = {
        ...makeComment(user, body, `pull/${pull}`),
        pull,
        path,
        line,
        commit_id,
        ...(thread === undefined ? {} : { in_reply_to_id: thread }),
      };
      world.remarks.push(made);
      return made;
    },
    tipOf: (branch) => {
      try {
        return git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
      } catch {
        return null;
      }
    },
    openPull: (pull) => {
      const { head, base } = pull;
      if (world.tipOf(head) === null) return `head ${head} is invalid`;
      if (world.tipOf(base) === null) return `base ${base} is invalid`;
      const isThere = [...world.pulls.values()].some(
        (one) => one.state === "open" && one.head === head && one.base === base && one.fork === undefined,
      );
      if (isThere) return `A pull request already exists for ada:${head}.`;
      const number = nextId();
      const html_url = `${url()}/${repository}/pull/${number}`;
      const made: StoredPull = { ...pull, number, state: "open", merged_at: null, user: me, html_url };
      world.pulls.set(number, made);
      return made;
    },
  };
  return world;
}
