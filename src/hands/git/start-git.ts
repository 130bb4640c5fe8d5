import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";

/*
 * The one place that starts git (test/architecture/one-of-each.test.ts). Which settings and variables a call has is decided by its
 * callers: `cgit.ts` for the Coordinator's own work, `users-git.ts` for what a person ordered in their checkout, and
 * `facts/git.ts` for reading a repository that is not trusted.
 */

export interface GitProcess {
  readonly cwd?: string;
  /** INVARIANT: the whole environment; nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  /** In a process group of its own, so that it is ended with everything it started, such as ssh. */
  readonly isGroup?: boolean;
}

/** Contract: no shell; all three streams are pipes, and a caller that has no input ends stdin. */
export function startGit(
  args: readonly string[],
  { cwd, env, isGroup = false }: GitProcess,
): ChildProcessWithoutNullStreams {
  return spawn("git", args, { cwd, env, detached: isGroup, stdio: ["pipe", "pipe", "pipe"] });
}

/** The output of a short call, as text; null when git failed, took too long or printed more than 1 MiB. Contract: blocks. */
export function readGitSync(
  args: readonly string[],
  { cwd, env, timeoutMs }: GitProcess & { readonly timeoutMs: number },
): string | null {
  const options = { cwd, env, encoding: "utf8", timeout: timeoutMs, maxBuffer: 1 << 20 } as const;
  const { status, stdout } = spawnSync("git", args, options);
  return status === 0 ? stdout : null;
}
