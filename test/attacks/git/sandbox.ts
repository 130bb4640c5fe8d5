import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/* The least of a sandbox: the workspace can be written to under its own path, programs can be read, nothing else is there. */

const READ_ONLY = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/passwd", "/etc/ld.so.cache"];

export const hasSandbox = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;

/** Run a script as an agent would. Contract: returns when everything it started is gone. */
export function runSandboxed(script: string, workspace: string, env: Readonly<Record<string, string>>): Promise<void> {
  const args = [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--uid",
    "1000",
    "--gid",
    "1000",
    ...READ_ONLY.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/home/agent",
    "--bind",
    workspace,
    workspace,
    "--chdir",
    workspace,
    "--",
    "sh",
    "-c",
    script,
  ];
  return run("bwrap", args, { ...env, HOME: "/home/agent" }, "/");
}

/** The same without any protection, to show that the script does harm. */
export function runFree(script: string, workspace: string, env: Readonly<Record<string, string>>): Promise<void> {
  return run("sh", ["-c", script], env, workspace);
}

/** Never waits in place: others of the same process take over what their agents left meanwhile. */
function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<void> {
  const person = { GIT_AUTHOR_NAME: "evil", GIT_AUTHOR_EMAIL: "e@x", GIT_COMMITTER_NAME: "evil" };
  const options = {
    cwd,
    env: { PATH: "/usr/bin:/bin", ...person, GIT_COMMITTER_EMAIL: "e@x", ...env },
    timeout: 60_000,
    killSignal: "SIGKILL" as const,
  };
  return new Promise((resolve) => execFile(program, args, options, () => resolve()));
}
