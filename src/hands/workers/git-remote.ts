import { CoordinatorError } from "../../model/errors.js";
import { usersGit } from "../git/users-git.js";

/*
 * The git remote that coordinators and workers exchange commits through. It is reached with the person's own git, its
 * settings and its credentials, and only refs/coord/* is ever written there.
 */

export interface GitRemote {
  /** The remote as messages name it. */
  readonly name: string;
  /** Contract: brings these refs into the repository under the same names; false where one of them is not there. */
  readonly fetch: (refs: readonly string[]) => Promise<boolean>;
  /** Refs of the remote under these patterns, with their commits. */
  readonly list: (patterns: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /**
   * Write refs, all of them or none: each only where the remote has what `from` says, null for nothing at all. Contract:
   * false where somebody else was first.
   */
  readonly push: (updates: readonly RefUpdate[]) => Promise<boolean>;
  /** Ask whether this ref could be created, and write nothing. Contract: throws as `push` does; hooks of the server are not asked. */
  readonly tryPush: (update: { readonly ref: string; readonly to: string }) => Promise<void>;
}

export interface RefUpdate {
  readonly ref: string;
  readonly to: string | null;
  /** The commit that must be there now; undefined where it does not matter. */
  readonly from?: string | null | undefined;
}

export interface RemoteParts {
  readonly remote: string;
  /** The git directory that is fetched into and pushed from. */
  readonly gitDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

const SCHEMES = /^(?:https?|ssh|git|file):\/\//;
const SCP_FORM = /^[\w.-]+@[\w.-]+:[^:]/;

/** Contract: pure; throws ENGINE_SETTING for what cannot be a remote, and repeats nothing of a password. */
export function checkRemote(remote: string): string {
  const wrong = (message: string, fix: string) => new CoordinatorError("ENGINE_SETTING", message, { fix });
  if (!SCHEMES.test(remote) && !SCP_FORM.test(remote) && !remote.startsWith("/"))
    throw wrong(
      `${JSON.stringify(remote.slice(0, 80))} is not the address of a git remote`,
      "Write it as ssh://HOST/PATH, USER@HOST:PATH, https://HOST/PATH, or an absolute path.",
    );
  if (URL.canParse(remote) && new URL(remote).password !== "")
    throw wrong(
      "The address of the git remote holds a password",
      "Take it out, and let git's credential helper give it.",
    );
  return remote;
}

/** Contract: its calls throw REMOTE_UNREACHABLE, which may pass, and REMOTE_REFUSED, which does not by itself. */
export function gitRemote({ remote, gitDir, environment }: RemoteParts): GitRemote {
  const git = usersGit("/", { ...environment, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "" });
  const settings = ["protocol.ext.allow=never", "gc.auto=0", "maintenance.auto=false", "core.hooksPath=/dev/null"];
  const run = (args: readonly string[]) =>
    git.run([...settings.flatMap((setting) => ["-c", setting]), `--git-dir=${gitDir}`, ...args]);
  const fail = (what: string, stderr: string) => failureOf(remote, what, stderr);
  return {
    name: remote,
    async fetch(refs) {
      if (refs.length === 0) return true;
      const { code, stderr } = await run([
        "-c",
        "fetch.fsckObjects=true",
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--end-of-options",
        remote,
        ...refs.map((ref) => `+${ref}:${ref}`),
      ]);
      if (code === 0) return true;
      if (/couldn't find remote ref/.test(stderr)) return false;
      throw fail("fetched from", stderr);
    },
    async list(patterns) {
      const { code, stdout, stderr } = await run(["ls-remote", "--end-of-options", remote, ...patterns]);
      if (code !== 0) throw fail("read", stderr);
      const lines = stdout.split("\n").filter(Boolean);
      return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
    },
    async push(updates) {
      const leases = updates.flatMap(({ ref, from }) =>
        from === undefined ? [] : [`--force-with-lease=${ref}:${from ?? ""}`],
      );
      const words = updates.map(({ ref, to }) => `${to ?? ""}:${ref}`);
      const { code, stderr } = await run([
        "push",
        "--quiet",
        "--atomic",
        "--no-verify",
        ...leases,
        "--end-of-options",
        remote,
        ...words,
      ]);
      if (code === 0) return true;
      if (/stale info|\(fetch first\)|already exists|cannot lock ref|non-fast-forward/.test(stderr)) return false;
      throw fail("pushed to", stderr);
    },
    async tryPush({ ref, to }) {
      const words = ["push", "--quiet", "--dry-run", "--no-verify", "--end-of-options", remote, `${to}:${ref}`];
      const { code, stderr } = await run(words);
      if (code !== 0) throw fail("pushed to", stderr);
    },
  };
}

function failureOf(remote: string, what: string, stderr: string): CoordinatorError {
  const said = stderr.trim().split("\n").slice(-3).join(" ").slice(0, 500);
  if (
    /remote rejected|denied|declined|not authorized|\b40[13]\b|Authentication failed|could not read Username/i.test(
      stderr,
    )
  )
    return new CoordinatorError("REMOTE_REFUSED", `The git remote ${remote} cannot be ${what}: it refuses. ${said}`, {
      fix: "Give the user that git goes by there the right to read it and to write refs/coord/*.",
    });
  return new CoordinatorError("REMOTE_UNREACHABLE", `The git remote ${remote} cannot be ${what}. ${said}`, {
    retryable: true,
    fix: "Check the address, the network and git's credentials on this machine: git ls-remote ADDRESS.",
  });
}
