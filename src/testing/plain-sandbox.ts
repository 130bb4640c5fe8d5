import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Sandbox, SandboxedCommand, SandboxedProcess } from "../hands/sandbox/sandbox.js";

/*
 * A sandbox without bars, for tests of what happens inside of one: a workspace, a home and an environment of its own, and
 * nothing that keeps anybody in. Processes it started are found again by a mark in its environment, which only works because
 * nobody in a test removes it.
 */

const MARK = "COORDINATOR_PLAIN_CAGE";

export interface PlainSandbox extends Sandbox {
  readonly home: string;
  /** Lists processes that still run, of all that were ever started in it. */
  readonly alive: () => number[];
}

export function createPlainSandbox(options: { readonly path?: string } = {}): PlainSandbox {
  const folder = mkdtempSync(join(tmpdir(), "coord-sandbox-"));
  const mark = randomUUID();
  const [root, home, temporary] = ["workspace", "home", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [root, home, temporary]) mkdirSync(path);
  let spawned = 0;
  return {
    grade: "none",
    root,
    home,
    alive: () => findMarked(mark),
    spawn: (command) => {
      const own = `${mark}:${++spawned};`;
      const env = {
        PATH: options.path ?? "/usr/local/bin:/usr/bin:/bin",
        HOME: home,
        TMPDIR: temporary,
        LANG: "C.UTF-8",
        TERM: "dumb",
        ...command.env,
        [MARK]: own,
      };
      return start(command, root, env, () => killMarked(own));
    },
    close: async () => {
      killMarked(mark);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function start(
  command: SandboxedCommand,
  root: string,
  env: Record<string, string>,
  killAll: () => void,
): SandboxedProcess {
  const [program, ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: join(root, command.cwd ?? "."),
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = new Promise<Awaited<SandboxedProcess["exited"]>>((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, error: error.message }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    stdin: child.stdin ?? new PassThrough(),
    stdout: child.stdout ?? new PassThrough(),
    stderr: child.stderr ?? new PassThrough(),
    exited,
    kill: () => {
      if (child.pid !== undefined) signal(-child.pid);
      killAll();
    },
  };
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

function killMarked(mark: string): void {
  // Twice: one that was being started while the list was made is in the second.
  for (let round = 0; round < 2; round++) for (const pid of findMarked(mark)) signal(pid);
}

function findMarked(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const zombie = /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
        return !zombie && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${MARK}=${mark}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}
