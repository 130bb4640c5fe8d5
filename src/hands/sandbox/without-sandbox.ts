import { spawn as spawnProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { mkdirSync, rmSync, symlinkSync } from "../../foundation/files/write-files-sync.js";
import { CoordinatorError } from "../../model/errors.js";
import { isPlainPath } from "../../foundation/globs/glob.js";
import { privateCaches } from "./caches.js";
import type { SandboxedCommand, SandboxedProcess } from "./sandbox.js";
import type { Abilities } from "./grade.js";
import { keepRecord } from "./kill.js";
import { MARK } from "./launch.js";
import { HOME, toolMounts } from "./layout.js";
import type { OpenSandbox } from "./open-sandbox.js";
import { type SandboxOptions, limitsOf } from "./options.js";
import { identityOf } from "../../foundation/processes/process-identity.js";
import { findMarked, killProcess, signal } from "./processes.js";
import { seatbelt } from "./seatbelt.js";
import { makeNotStarted, supervise } from "./supervise.js";
import { temporaryDirectory } from "../workspace/state-places.js";

/** Node.js may stand anywhere, and `npm` stands beside it. */
const NODE_PATH = dirname(process.execPath);

/*
 * Where there is no bubblewrap: Seatbelt on macOS, and nothing at all elsewhere, by explicit order only. Nothing of the
 * Coordinator's environment is passed, and processes are found again by their group and by a mark in their environment.
 * An agent that means harm can take the mark away and leave the group: this is not a sandbox.
 */
export async function openWithoutSandbox(options: SandboxOptions, abilities: Abilities): Promise<OpenSandbox> {
  const { grade, reasons, fix } = abilities;
  if (grade === "none" && options.unsafeNoSandbox !== true)
    throw new CoordinatorError("SANDBOX_MISSING", `There is no sandbox on this machine: ${reasons.join("; ")}`, {
      fix: fix.join("\n"),
    });
  if (options.network !== undefined)
    throw new CoordinatorError("SANDBOX_MISSING", "Without a sandbox there is no network to close, and no proxy", {
      fix: fix.join("\n"),
    });
  const limits = limitsOf(options.limits);
  const workspace = realpathSync(options.workspace);
  const id = `coord-sandbox-${randomBytes(8).toString("hex")}`;
  const state = join(temporaryDirectory(), id);
  const home = options.home ?? join(state, "home");
  const temporary = join(state, "tmp");
  for (const folder of [state, home, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { path } = toolMounts(options.tools ?? []);
  const caches = await privateCaches(options.caches ?? {}, options.cachesFolder ?? join(state, "caches"));
  for (const { from, to } of caches.mounts) linkInHome(from, join(home, relative(HOME, to)));
  const record = keepRecord(options.records, id, state);
  const running = new Set<SandboxedProcess>();

  const spawn = ({ argv, env = {}, cwd = "" }: SandboxedCommand): SandboxedProcess => {
    if (cwd !== "" && (!isPlainPath(cwd) || cwd.startsWith("/")))
      return makeNotStarted(`${cwd} is not below the workspace`);
    const command =
      grade === "reduced" ? seatbelt({ workspace, writable: options.writable, home, temporary, argv }) : argv;
    const started = start(command, join(workspace, cwd), env);
    running.add(started);
    void started.exited.then(() => running.delete(started));
    return started;
  };
  function start(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): SandboxedProcess {
    const child = spawnProcess(command[0] as string, command.slice(1), {
      cwd,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: `${NODE_PATH}:${path}`, HOME: home, TMPDIR: temporary, LANG: "C.UTF-8", ...env, [MARK]: id },
    });
    const { pid } = child;
    const name = pid === undefined ? null : identityOf(pid);
    if (name !== null) record.note([name]);
    const killAll = () => {
      if (pid !== undefined) signal(-pid, "SIGKILL");
      const { found, isSure } = findMarked(MARK, id);
      found.forEach(killProcess);
      return found.length > 0 || !isSure;
    };
    return supervise(child, limits, {
      kill: killAll,
      gone: async () => {
        while (killAll()) await new Promise((resolve) => setTimeout(resolve, 2));
      },
    });
  }
  const kill = () => running.forEach((started) => started.kill());
  return {
    grade,
    root: workspace,
    path: `${NODE_PATH}:${path}`,
    spawn,
    kill,
    close: async () => {
      const left = [...running];
      kill();
      await Promise.all(left.map(({ exited }) => exited));
      rmSync(state, { recursive: true, force: true });
      record.remove();
    },
    inside: (path) => realpathSync(path),
    traffic: () => ({ models: {}, hosts: null }),
    notices: caches.notices,
  };
}

/** Nothing can be mounted here: a link stands where a mount would, in place of the empty folder a copy has there. */
function linkInHome(from: string, at: string): void {
  mkdirSync(dirname(at), { recursive: true });
  rmSync(at, { recursive: true, force: true });
  symlinkSync(from, at);
}
