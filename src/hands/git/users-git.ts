import type { Author } from "../integration/merging/quarantine-git.js";
import { gitWords } from "./nothing-of-clone.js";
import { startGit } from "./start-git.js";

/*
 * The person's own git, with their settings and hooks, in their checkout. Only for what they have ordered themselves:
 * everything else goes through the hardened git.
 */

export interface UsersGit {
  /** Contract: an exit code is a value. */
  readonly run: (args: readonly string[], cwd?: string) => Promise<GitEnd>;
}

export interface GitEnd {
  /** Null when it could not be started, or was ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Ended because it had said nothing for as long as it may. */
  readonly isSilent: boolean;
}

/** Variables that name another repository, or a part of one: they would lead somewhere the person did not mean. */
const ELSEWHERE =
  /^GIT_((COMMON_)?DIR|(IMPLICIT_)?WORK_TREE|(INDEX|SHALLOW|GRAFT)_FILE|(ALTERNATE_)?OBJECT_DIRECTOR(Y|IES)|NAMESPACE|PREFIX|REPLACE_REF_BASE|QUARANTINE_PATH)$/;

/** With `silenceMs`, a call that says nothing for so long is ended with everything it started. */
export function usersGit(checkout: string, environment: NodeJS.ProcessEnv, silenceMs?: number): UsersGit {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !ELSEWHERE.test(name)));
  return {
    run: (args, cwd = checkout) =>
      new Promise((resolve) => {
        const { words, cwd: outside } = gitWords(cwd, ["safe.bareRepository=explicit"]);
        const isGroup = silenceMs !== undefined;
        const child = startGit([...words, ...args], { cwd: outside, env: { ...env, LC_ALL: "C" }, isGroup });
        child.stdin.on("error", () => undefined).end();
        let isSilent = false;
        const end = () => {
          isSilent = true;
          if (child.pid !== undefined) killGroup(child.pid);
        };
        const limit = silenceMs === undefined ? undefined : setTimeout(end, silenceMs);
        const out: Buffer[] = [];
        const err: Buffer[] = [];
        for (const [stream, into] of [
          [child.stdout, out],
          [child.stderr, err],
        ] as const)
          stream.on("data", (chunk: Buffer) => {
            into.push(chunk);
            limit?.refresh();
          });
        const finish = (code: number | null, more = "") => {
          clearTimeout(limit);
          const stderr = `${Buffer.concat(err).toString("utf8")}${more}`;
          resolve({ code, stdout: Buffer.concat(out).toString("utf8"), stderr, isSilent });
        };
        child.on("error", ({ message }) => finish(null, message));
        child.on("close", (code) => finish(code));
      }),
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

/** The person as their own git names them; null where it does not. */
export async function authorOf(git: UsersGit): Promise<Author | null> {
  const [name, email] = await Promise.all(
    ["user.name", "user.email"].map(async (key) => {
      const { code, stdout } = await git.run(["config", "--get", key]);
      // Characters that end a line or an address would end the commit's header, too.
      return code === 0 ? stdout.replaceAll(/[<>\p{Cc}]/gu, "").trim() : "";
    }),
  );
  return name && email ? { name, email } : null;
}

/** The checkout a branch is checked out in; null when it is in none. */
export async function checkoutOf(git: UsersGit, branch: string): Promise<string | null> {
  const { stdout } = await git.run(["worktree", "list", "--porcelain", "-z"]);
  for (const block of stdout.split("\0\0")) {
    const lines = block.split("\0");
    const path = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
    if (path !== undefined && lines.includes(`branch refs/heads/${branch}`)) return path;
  }
  return null;
}
