import { randomBytes } from "node:crypto";
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isMainThread } from "node:worker_threads";
import { readdirSync } from "../../foundation/files/read-files.js";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lchownSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from "../../foundation/files/write-files-sync.js";
import { CoordinatorError } from "../../model/errors.js";
import { isPlainPath } from "../../foundation/globs/glob.js";
import type { SandboxLayout } from "./bwrap.js";
import { privateCaches } from "./caches.js";
import type { Sandbox, SandboxedCommand, SandboxedProcess } from "./sandbox.js";
import { type Abilities, findAbilities } from "./grade.js";
import { keepRecord } from "./kill.js";
import { launch } from "./launch.js";
import {
  coversOfProc,
  HOME,
  insideWorkspace,
  type Mount,
  nodeMounts,
  programMounts,
  ROOT,
  SOCKETS,
  systemMounts,
  toolMounts,
} from "./layout.js";
import { type Network, openNetwork } from "./network/network.js";
import { type SandboxOptions, limitsOf } from "./options.js";
import { giveWorkspace, ownerOf } from "./owner.js";
import { seccompFilter } from "./seccomp.js";
import { isBelow } from "../../foundation/files/is-below.js";
import { peopleHere } from "./shown/secret-places.js";
import { sharedView } from "./shown/views.js";
import { makeNotStarted } from "./supervise.js";
import { openWithoutSandbox } from "./without-sandbox.js";
import { temporaryDirectory } from "../workspace/state-places.js";

/** A sandbox, and what only its opener needs to know of it. */
export interface OpenSandbox extends Sandbox {
  /** Where programs are searched inside. */
  readonly path: string;
  /** Contract: SIGKILL to everything that runs in it, at once; the sandbox stays open. */
  readonly kill: () => void;
  /** Where something outside stands inside; null when it is not there. */
  readonly inside: (path: string) => string | null;
  /** Traffic of its proxies. */
  readonly traffic: Network["traffic"];
  /** Requests that could not be granted as they were, in words. */
  readonly notices: readonly string[];
}

/**
 * Makes a sandbox ready for one attempt.
 *
 * Contract: throws SANDBOX_MISSING where this machine has none and nobody ordered to go on without, USAGE for a path
 * that must not be mounted. The caller closes it.
 */
export async function openSandbox(
  options: SandboxOptions,
  abilities: Abilities = findAbilities(),
): Promise<OpenSandbox> {
  if (abilities.bubblewrap === null) return openWithoutSandbox(options, abilities);
  const { tools, features } = abilities.bubblewrap;
  const { environment } = options;
  const people = peopleHere(environment);
  const limits = limitsOf(options.limits);
  const workspace = realpathSync(options.workspace);
  const owner = features.ownUser ? ownerOf(workspace) : null;
  const id = `coord-sandbox-${randomBytes(8).toString("hex")}`;
  const state = join(temporaryDirectory(), id);
  // Written down first: what is made after this is found again, whenever the Coordinator dies.
  const record = keepRecord(options.records, id, state);
  try {
    mkdirSync(state, { mode: 0o711 });
    const own = { state, owner };
    const { mounts: writable, missing } = workspaceMounts(options, workspace, own);
    if (missing.length > 0) record.cover(missing);
    const cachesFolder = options.cachesFolder ?? join(state, "caches");
    const caches = await privateCaches(options.caches ?? {}, cachesFolder, undefined, (real) =>
      sharedView(real, environment),
    );
    for (const folder of [
      workspace,
      ...caches.mounts.flatMap(({ from, writable: own }) => (own === true ? [from] : [])),
    ])
      if (owner !== null) await giveWorkspace(folder, owner);
    const network = await openNetwork(options.network, folderFor(own, "sockets"));
    const programs = programMounts(options.readOnly ?? [], people);
    const shownPrograms = await viewOf(
      programs.filter(({ from, to }) => from !== to),
      environment,
    );
    const toolchains = toolMounts(options.tools ?? [], people);
    const inHome = await viewOf(homeFiles(options.homeFiles ?? {}, own), environment);
    const system = systemMounts();
    const node = nodeMounts();
    const layout: SandboxLayout = {
      mounts: [...system.mounts, ...node.mounts, ...shownPrograms, ...identity(own), ...network.mounts],
      links: [...system.links, ...node.links],
      path: toolchains.path,
      covers: owner === null && process.getuid?.() === 0 ? coversOfProc() : [],
      home: options.home === undefined ? null : homeFor(options.home, owner),
      // Toolchains come last of these: the temporary directory or the home may be where one stands.
      homeFiles: [...inHome, ...caches.mounts, ...(await viewOf(toolchains.mounts, environment))],
      workspace: writable,
    };
    const seccomp = features.seccomp ? seccompFilter() : null;
    const made = { id, layout, limits, features, tools, owner, state, seccomp };
    const running = new Set<SandboxedProcess>();
    const spawn = ({ argv, env = {}, cwd = "" }: SandboxedCommand): SandboxedProcess => {
      if (!isMainThread)
        return makeNotStarted("A sandbox is started from the main thread only: it dies with the thread.");
      if (cwd !== "" && (!isPlainPath(cwd) || cwd.startsWith("/")))
        return makeNotStarted(`${cwd} is not below the workspace`);
      const astray = refuseHome(layout, running.size > 0);
      if (astray !== null) return makeNotStarted(astray);
      try {
        const started = launch({
          ...made,
          cwd,
          argv: [...network.relay, ...argv],
          env: { ...network.env, ...env },
          onProcesses: record.note,
        });
        running.add(started);
        void started.exited.then(() => running.delete(started));
        return started;
      } catch (error) {
        return makeNotStarted((error as Error).message);
      }
    };
    const kill = () => running.forEach((started) => started.kill());
    const close = async () => {
      const left = [...running];
      kill();
      await Promise.all(left.map(({ exited }) => exited));
      await network.close();
      rmSync(state, { recursive: true, force: true });
      record.remove();
    };
    const shown = [{ from: workspace, to: ROOT }, ...programs, ...layout.mounts];
    return {
      grade: abilities.grade,
      root: ROOT,
      path: toolchains.path,
      spawn,
      kill,
      close,
      inside: (path) => mountAt(path, shown),
      traffic: network.traffic,
      notices: caches.notices,
    };
  } catch (error) {
    rmSync(state, { recursive: true, force: true });
    record.remove();
    throw notMadeError(error, state);
  }
}

/** A file that could not be written there is named by its place; all other errors are passed on unchanged. */
function notMadeError(error: unknown, state: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof CoordinatorError || code === undefined || !["ENOSPC", "EDQUOT", "EROFS"].includes(code))
    return error;
  return new CoordinatorError("WORKSPACE_FAILED", `No sandbox can be made ready in ${dirname(state)}: ${message}`, {
    cause: error,
    fix: "Make room there, or set TMPDIR to another folder.",
  });
}

/** Folders as trees that nothing new appears in. */
async function viewOf(mounts: readonly Mount[], environment: SandboxOptions["environment"]): Promise<Mount[]> {
  const made: Mount[] = [];
  for (const mount of mounts) made.push({ ...mount, from: await sharedView(mount.from, environment) });
  return made;
}

interface Own {
  readonly state: string;
  readonly owner: number | null;
}

/** Lists mounts of the workspace and what may be written; and the paths to cover that are missing. */
function workspaceMounts(options: SandboxOptions, workspace: string, own: Own): { mounts: Mount[]; missing: string[] } {
  const whole = options.writable === "whole";
  const directories = options.writable === "whole" ? [] : options.writable;
  const mounts: Mount[] = [{ from: workspace, to: ROOT, writable: whole }];
  for (const path of directories) {
    const from = insideWorkspace(workspace, path);
    mkdirSync(from, { recursive: true });
    if (!lstatSync(from).isDirectory()) throw new CoordinatorError("USAGE", `${path} is not a directory`);
    mounts.push({ from, to: `${ROOT}/${path}`, writable: true });
  }
  const empty = join(own.state, "nothing");
  writeFileSync(empty, "");
  const missing: string[] = [];
  for (const path of options.protected ?? []) {
    const from = insideWorkspace(workspace, path);
    const isThere = lstatSync(from, { throwIfNoEntry: false }) !== undefined;
    if (!isThere && !whole && !directories.some((directory) => isBelow(path, directory))) continue;
    if (!isThere) missing.push(from);
    mounts.push({ from: isThere ? from : empty, to: `${ROOT}/${path}` });
  }
  return { mounts, missing };
}

/** Users, hosts and names as the agent sees them: nobody of this machine is among them. */
function identity({ state }: Own): Mount[] {
  const files = {
    passwd: `agent:x:1000:1000:agent:${HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    group: "agent:x:1000:\nnogroup:x:65534:\n",
    hosts: "127.0.0.1 localhost agent\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  };
  return Object.entries(files).map(([name, text]) => {
    const from = join(state, name);
    writeFileSync(from, text, { mode: 0o644 });
    return { from, to: `/etc/${name}` };
  });
}

function folderFor({ state, owner }: Own, name: string): { path: string; inside: string; owner: number | null } {
  const path = join(state, name);
  mkdirSync(path, { mode: 0o700 });
  if (owner !== null) chownSync(path, owner, owner);
  return { path, inside: SOCKETS, owner };
}

/** A home that was copied from an earlier sandbox has the owner of nobody here. Links are given and never followed. */
function giveTo(path: string, owner: number): void {
  lchownSync(path, owner, owner);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), owner);
}

function homeFor(home: string, owner: number | null): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (owner !== null) giveTo(home, owner);
  return realpathSync(home);
}

/** Another user cannot read a login file that is its owner's alone, so it gets a copy, which goes with the sandbox. */
function homeFiles(files: Readonly<Record<string, string>>, { state, owner }: Own): Mount[] {
  return Object.entries(files).map(([name, path], i) => {
    if (!isPlainPath(name) || name.startsWith("/"))
      throw new CoordinatorError("USAGE", `${name} is not a plain path below the home directory`);
    const real = realpathSync(path);
    if (owner === null || !statSync(real).isFile()) return { from: real, to: `${HOME}/${name}` };
    const from = join(state, `home-${i}`);
    copyFileSync(real, from);
    chownSync(from, owner, owner);
    chmodSync(from, 0o400);
    return { from, to: `${HOME}/${name}` };
  });
}

/**
 * Why nothing may be mounted below this home any more; null when it may.
 *
 * A home that outlives a program is that program's, and so is a copy of a cache: bubblewrap would follow a link it left
 * there, out of the sandbox, and make the file to mount on at its end.
 */
function refuseHome({ home, homeFiles: files }: SandboxLayout, isBusy: boolean): string | null {
  const below = files.filter(({ to }) => isBelow(to, HOME));
  const written = [...(home === null ? [] : [{ from: home, to: HOME }]), ...below.filter((each) => each.writable)];
  const holding = below.flatMap(({ to }) => {
    const holder = written.findLast((each) => each.to !== to && isBelow(to, each.to));
    return holder === undefined ? [] : [{ to, holder }];
  });
  if (holding.length === 0) return null;
  if (isBusy) return "A sandbox with files in its home runs one program at a time.";
  for (const { to, holder } of holding) {
    let at = holder.from;
    for (const part of relative(holder.to, to).split(sep)) {
      at = join(at, part);
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true)
        return `${to} cannot be shown: a program of this sandbox left a link at ${relative(holder.from, at)} in its home.`;
    }
  }
  return null;
}

function mountAt(path: string, mounts: readonly Mount[]): string | null {
  const real = realpathSync(path);
  const mount = mounts.filter(({ from }) => isBelow(real, from)).sort((a, b) => b.from.length - a.from.length)[0];
  return mount === undefined ? null : join(mount.to, real.slice(mount.from.length));
}
