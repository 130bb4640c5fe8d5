import { CoordinatorError } from "../../model/errors.js";
import { type GitEnd, usersGit } from "../git/users-git.js";

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
  /** How long git may say nothing of its progress. */
  readonly silenceMs?: number;
}

/** Longer than a hook of the server takes; git tells of its progress every second. */
const SILENCE_MS = 120_000;

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

/**
 * Contract: its calls throw REMOTE_UNREACHABLE, which may pass, and REMOTE_REFUSED, which does not by itself. None of them waits for
 * ever: a remote that says nothing for `silenceMs` is unreachable.
 */
export function gitRemote({ remote, gitDir, environment, silenceMs = SILENCE_MS }: RemoteParts): GitRemote {
  const nobodyToAsk = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "" };
  const git = usersGit("/", { ...environment, ...nobodyToAsk }, silenceMs);
  const settings = ["protocol.ext.allow=never", "gc.auto=0", "maintenance.auto=false", "core.hooksPath=/dev/null"];
  const run = (args: readonly string[]) =>
    git.run([...settings.flatMap((setting) => ["-c", setting]), `--git-dir=${gitDir}`, ...args]);
  const fail = (what: string, { stderr, isSilent }: GitEnd) =>
    failureOf(remote, what, isSilent ? `It has said nothing for ${silenceMs / 1000} seconds.` : stderr);
  return {
    name: remote,
    async fetch(refs) {
      if (refs.length === 0) return true;
      const ended = await run([
        "-c",
        "fetch.fsckObjects=true",
        "fetch",
        "--quiet",
        "--progress",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--end-of-options",
        remote,
        ...refs.map((ref) => `+${ref}:${ref}`),
      ]);
      if (ended.code === 0) return true;
      if (/couldn't find remote ref/.test(ended.stderr)) return false;
      throw fail("fetched from", ended);
    },
    async list(patterns) {
      const ended = await run(["ls-remote", "--end-of-options", remote, ...patterns]);
      if (ended.code !== 0) throw fail("read", ended);
      const lines = ended.stdout.split("\n").filter(Boolean);
      return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
    },
    async push(updates) {
      const leases = updates.flatMap(({ ref, from }) =>
        from === undefined ? [] : [`--force-with-lease=${ref}:${from ?? ""}`],
      );
      const words = updates.map(({ ref, to }) => `${to ?? ""}:${ref}`);
      const ended = await run([
        "push",
        "--quiet",
        "--progress",
        "--atomic",
        "--no-verify",
        ...leases,
        "--end-of-options",
        remote,
        ...words,
      ]);
      if (ended.code === 0) return true;
      if (/stale info|\(fetch first\)|already exists|cannot lock ref|non-fast-forward/.test(ended.stderr)) return false;
      throw fail("pushed to", ended);
    },
    async tryPush({ ref, to }) {
      const words = ["push", "--quiet", "--dry-run", "--no-verify", "--end-of-options", remote, `${to}:${ref}`];
      const ended = await run(words);
      if (ended.code !== 0) throw fail("pushed to", ended);
    },
  };
}

function failureOf(remote: string, what: string, stderr: string): CoordinatorError {
  const said = stderr
    .split(/[\r\n]+/)
    .filter(isMessage)
    .slice(-3)
    .join(" ")
    .slice(0, 500);
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

/** Lines about progress are not. */
const isMessage = (line: string) =>
  line.trim() !== "" && !/^(?:remote: )?[A-Z][a-z]+ (?:[a-z]+ )?objects?:|^(?:remote: )?[A-Z][a-z ]+: +\d+%/.test(line);
