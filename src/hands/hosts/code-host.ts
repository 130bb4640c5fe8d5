/*
 * The calls that the Coordinator makes to a host of code: one port for all of them. Identity is an account's number, never its name,
 * which can be changed and taken by somebody else.
 */

export type HostKind = "github" | "gitlab" | "gitea";

/** Where people talk: below an issue or a pull request, which some hosts number apart. */
export interface Discussion {
  readonly kind: "issue" | "pull";
  readonly number: number;
}

export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
}

export interface HostRepository {
  readonly full_name: string;
  readonly default_branch: string;
  /** Null when the host does not say. */
  readonly mayPush: boolean | null;
}

export interface HostIssue {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: HostUser | null;
  readonly state: "open" | "closed";
  readonly created_at: string;
  readonly updated_at: string;
  readonly labels: readonly string[];
  readonly isPull: boolean;
}

export interface HostComment {
  readonly id: number;
  readonly body: string;
  readonly author: HostUser | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly address: string;
}

export interface HostPull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  readonly draft: boolean;
  readonly author: HostUser | null;
  readonly address: string;
  readonly head: { readonly branch: string; readonly commit: string; readonly repository: string | null };
  readonly base: string;
}

interface NewPull {
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly base: string;
  readonly draft: boolean;
}

/** A remark on a line of a pull request. `thread` is the remark that began it. */
export interface HostRemark extends HostComment {
  readonly thread: string;
  readonly path: string;
  readonly line: number | null;
  readonly commit: string;
}

export interface HostCheck {
  readonly id: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly summary: string;
  readonly address: string;
}

export interface HostStatus {
  readonly context: string;
  readonly state: "error" | "failure" | "pending" | "success";
  readonly description: string;
  readonly author: HostUser | null;
}

/** The rights of an account in a repository. */
export interface HostRight {
  readonly user: HostUser | null;
  readonly right: "admin" | "write" | "read" | "none";
}

/**
 * Contract: every function throws CoordinatorError with CODE_HOST_REFUSED (no right, not there, not accepted) or
 * CODE_HOST_UNAVAILABLE (no answer, limited; see `untilOf`). A write is sent once: whether one without an answer was taken is
 * found out by reading.
 */
export interface CodeHost {
  readonly kind: HostKind;
  /** The name of the server, as it stands in addresses. */
  readonly server: string;
  readonly repository: string;
  /** A token that says what it may do must say one of these; empty where tokens do not say it. */
  readonly wantedScopes: readonly string[];
  /** Whose login is used, and which rights it says to have; null where the host does not say. */
  readonly readUser: () => Promise<HostUser & { readonly scopes: readonly string[] | null }>;
  readonly readRepository: () => Promise<HostRepository>;
  readonly readIssue: (number: number) => Promise<HostIssue>;
  /** Open issues with this label, without pull requests. */
  readonly listIssues: (label: string) => Promise<readonly HostIssue[]>;
  readonly listComments: (on: Discussion) => Promise<readonly HostComment[]>;
  readonly createComment: (on: Discussion, body: string) => Promise<HostComment>;
  readonly updateComment: (on: Discussion, comment: number, body: string) => Promise<HostComment>;
  /** Contract: what the account may do at this moment; the number in the answer is whose right it is. */
  readonly readRight: (user: Pick<HostUser, "id" | "login">) => Promise<HostRight>;
  /** Pull requests of a branch of this repository, in any state. */
  readonly listPulls: (branch: string) => Promise<readonly HostPull[]>;
  readonly readPull: (number: number) => Promise<HostPull>;
  readonly createPull: (pull: NewPull) => Promise<HostPull>;
  readonly updatePull: (number: number, change: { readonly title: string; readonly body: string }) => Promise<HostPull>;
  readonly listRemarks: (pull: number) => Promise<readonly HostRemark[]>;
  readonly replyToRemark: (pull: number, thread: string, body: string) => Promise<void>;
  readonly listChecks: (commit: string) => Promise<readonly HostCheck[]>;
  readonly listStatuses: (commit: string) => Promise<readonly HostStatus[]>;
  readonly createStatus: (
    commit: string,
    status: Pick<HostStatus, "context" | "state" | "description">,
  ) => Promise<void>;
}
