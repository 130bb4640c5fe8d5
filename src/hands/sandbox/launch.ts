import { spawn, type StdioOptions } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { readFileSync, readdirSync } from "../../foundation/files/read-files.js";
import { openSync, rmSync } from "../../foundation/files/write-files-sync.js";
import type { SandboxedProcess } from "./sandbox.js";
import { bwrapArguments, type SandboxLayout, FD, launcher } from "./bwrap.js";
import type { Features, Tools } from "./grade.js";
import type { Mount } from "./layout.js";
import { makeMemoryGroup, type MemoryGroup } from "./memory/memory-group.js";
import { watchMemory } from "./memory/watch-memory.js";
import type { Limits } from "./options.js";
import { isReachable } from "./owner.js";
import { isBelow } from "../../foundation/files/is-below.js";
import { isRunning, identityOf, type ProcessIdentity } from "../../foundation/processes/process-identity.js";
import { findMarked, killProcess, readIdentityBetween } from "./processes.js";
import { supervise, type Tree } from "./supervise.js";

/* Starting a program in a bubblewrap sandbox, and ending it with everything it started. */

// Processes of an earlier version carry these names too: they stay as they are.
export const MARK = "COORDINATOR_CAGE";
const START_MARK = "COORDINATOR_CAGE_START";

export interface Launch {
  readonly id: string;
  readonly layout: SandboxLayout;
  readonly limits: Limits;
  readonly features: Features;
  readonly tools: Tools;
  /** Who it runs as, under a Coordinator of root. */
  readonly owner: number | null;
  /** A directory of the sandbox outside, for files that live for a moment. */
  readonly state: string;
  readonly seccomp: Buffer | null;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Told of the processes to be written down: the outermost, and the first one of the namespace. */
  readonly onProcesses: (names: readonly ProcessIdentity[]) => void;
}

/** Contract: throws when it cannot be started. */
export function launch(request: Launch): SandboxedProcess {
  const { layout, sources, stage } = stageLayout(request);
  const argv = [
    ...chain(request, sources, stage),
    "--args",
    String(FD.arguments),
    "--",
    ...launcher(request.features, request.limits, request.tools.prlimit),
    ...request.argv,
  ];
  const start = randomUUID();
  const text = bwrapArguments(layout, request.limits, request.features, request).join("\0");
  const files = [request.seccomp ?? Buffer.alloc(0), Buffer.from(text)].map((bytes) =>
    holdSources(request.state, bytes),
  );
  files.push(openSync("/dev/null", "r"));
  const [seccomp, args, nothing] = files as [number, number, number];
  // A file and not a pipe: bubblewrap would die of writing to a Coordinator that has ended, and leave its child waiting.
  const info = holdSources(request.state, Buffer.alloc(0));
  try {
    const child = spawn(argv[0] as string, argv.slice(1), {
      // Whatever stands here could be read inside: the first process of the sandbox still shows it.
      env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", [MARK]: request.id, [START_MARK]: start },
      cwd: "/",
      stdio: coverDescriptors(["pipe", "pipe", "pipe", seccomp, "pipe", info, args], nothing),
    });
    const streams: readonly unknown[] = child.stdio;
    const gate = streams[FD.gate] as Duplex;
    const outermost = child.pid === undefined ? null : identityOf(child.pid);
    const group =
      request.limits.memory === null ? null : makeMemoryGroup(`${request.id}-${start}`, request.limits.memory);
    // Before bubblewrap has made its children: what is started from here on is in the group.
    if (child.pid !== undefined) group?.add(child.pid);
    const tree = sandboxTree(start, gate, info, outermost, request, group);
    gate.on("data", () => tree.isReady());
    gate.on("error", () => undefined);
    return supervise(child, request.limits, tree);
  } catch (error) {
    closeSync(info);
    throw error;
  } finally {
    files.forEach((fd) => closeSync(fd));
  }
}

/** The processes of one sandbox, from the moment there are none of them yet. */
function sandboxTree(
  start: string,
  gate: Duplex,
  info: number,
  outermost: ProcessIdentity | null,
  { onProcesses, limits }: Launch,
  group: MemoryGroup | null,
): Tree & { readonly isReady: () => void } {
  // The first process of the namespace, bubblewrap that waits for it, and the outermost, in the order they are killed.
  let tree: readonly ProcessIdentity[] = [];
  let killed = false;
  let hung: NodeJS.Timeout | undefined;
  let watching: { readonly stop: () => void } | null = null;
  const look = () => {
    if (tree.length > 0) return;
    const pid = /"child-pid":\s*(\d+)/.exec(textOf(info))?.[1];
    const first = pid === undefined ? null : identityOf(Number(pid));
    if (first === null) return;
    tree = [first, readIdentityBetween(outermost?.pid ?? 0, first.pid), outermost].filter((name) => name !== null);
    onProcesses(tree);
  };
  /*
   * The first process takes all others with it. Before it is known nothing of the agent runs: closing the gate makes
   * the parts of bubblewrap end by themselves, whereas killing the outermost could leave one waiting.
   */
  const kill = () => {
    killed = true;
    gate.destroy();
    look();
    tree.forEach(killProcess);
    hung ??= setTimeout(() => findMarked(START_MARK, start).found.forEach(killProcess), HUNG_MS).unref();
  };
  return {
    kill,
    ...(limits.memory === null
      ? {}
      : {
          memory: {
            watch: (onReached) => {
              watching = watchMemory(() => tree[0]?.pid ?? null, limits.memory as number, onReached);
            },
            wasReached: () => group?.wasReached() === true,
          },
        }),
    isReady: () => {
      look();
      if (!killed && tree.length > 0) gate.end("go\n");
      else kill();
    },
    gone: async () => {
      look();
      gate.destroy();
      watching?.stop();
      await Promise.all(tree.map(waitUntilEnded));
      group?.remove();
      clearTimeout(hung);
      closeSync(info);
    },
  };
}

function textOf(fd: number): string {
  const bytes = Buffer.alloc(512);
  return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
}

async function waitUntilEnded(name: ProcessIdentity): Promise<void> {
  while (isRunning(name)) {
    killProcess(name);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

// Longer than bubblewrap ever takes to set up. Only a start that hangs meets it.
const HUNG_MS = 10_000;

/** prlimit runs bubblewrap in its own place, and so do setpriv and unshare; `timeout` alone stays, as the outermost. */
function chain(request: Launch, sources: readonly string[], stage: string): string[] {
  const { tools, limits, owner } = request;
  const identity = owner === null ? [] : ["--reuid", String(owner), "--regid", String(owner), "--clear-groups"];
  // The limit of Node.js comes first and knows why; this one holds when Node.js hangs.
  const seconds = Math.ceil(limits.minutes * 60) + 5;
  const memory = limits.memory === null ? [] : [`--data=${limits.memory}`];
  const staging = [tools.unshare, "--mount", "--", "/bin/sh", "-c", STAGE, "stage", stage, ...sources, "--"];
  return [
    sources.length === 0 ? [] : staging,
    [tools.setpriv, ...identity, "--pdeathsig", "KILL", "--"],
    [tools.timeout, "--signal=KILL", String(seconds)],
    [tools.prlimit, "--core=0", "--nofile=4096", `--fsize=${limits.fileSize}`, `--cpu=${limits.cpuSeconds}`],
    [`--nproc=${limits.processes + threadsOfMachine()}`, ...memory, "--", tools.bwrap],
  ].flat();
}

/*
 * The user of a sandbox cannot come to what lies below a closed directory, such as root's home. Such sources are bound,
 * in a mount namespace of their own and still as root, to a place where it can.
 */
const STAGE = `set -e
stage=$1; shift
mount -t tmpfs -o mode=0755,size=1m coordinator "$stage"
n=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir "$stage/$n"; else : >"$stage/$n"; fi
  mount --bind -- "$1" "$stage/$n"
  n=$((n + 1)); shift
done
shift
exec "$@"`;

function stageLayout({ layout, owner }: Launch): { layout: SandboxLayout; sources: string[]; stage: string } {
  if (owner === null) return { layout, sources: [], stage: "" };
  const home = layout.home === null ? [] : [layout.home];
  const all = [...layout.mounts, ...layout.homeFiles, ...layout.workspace].map(({ from }) => from).concat(home);
  const far = [...new Set(all)].filter((path) => !isReachable(path, owner)).sort();
  const sources = far.filter((path, i) => !far.slice(0, i).some((above) => isBelow(path, above)));
  const free = (place: string) => existsSync(place) && !all.some((path) => isBelow(path, place));
  const stage = ["/mnt", "/media", "/srv", "/opt", "/var"].find(free) ?? "/mnt";
  const near = (path: string) => {
    const at = sources.findIndex((source) => isBelow(path, source));
    return at === -1 ? path : join(stage, String(at), path.slice((sources[at] as string).length));
  };
  const moveMounts = (mounts: readonly Mount[]) => mounts.map((mount) => ({ ...mount, from: near(mount.from) }));
  return {
    layout: {
      ...layout,
      mounts: moveMounts(layout.mounts),
      homeFiles: moveMounts(layout.homeFiles),
      workspace: moveMounts(layout.workspace),
      home: layout.home === null ? null : near(layout.home),
    },
    sources,
    stage,
  };
}

/** Every process of the same user counts for the outer limit, and threads do; their number is not bigger than this. */
function threadsOfMachine(): number {
  const total = /\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1];
  return Number(total ?? 10_000);
}

/**
 * Anyone who started the Coordinator may have left it open files that every child inherits. Each is covered with nothing;
 * those Node.js opened itself close by themselves.
 */
function coverDescriptors(stdio: StdioOptions & unknown[], nothing: number): StdioOptions {
  const open = readdirSync("/proc/self/fd").map(Number);
  const inherited = open.filter((fd) => fd >= stdio.length && !closesByItself(fd));
  const all = Array.from({ length: Math.max(stdio.length, ...inherited.map((fd) => fd + 1)) }, (_, i) => stdio[i]);
  return all.map((given, fd) => given ?? (inherited.includes(fd) ? nothing : "ignore")) as StdioOptions;
}

const O_CLOEXEC = 0o2000000;

function closesByItself(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & O_CLOEXEC) !== 0;
  } catch {
    // It was open only while the directory was read.
    return true;
  }
}

/** A descriptor of a file without a name. Its position stays at the start, from where bubblewrap reads. */
function holdSources(folder: string, bytes: Buffer): number {
  const path = join(folder, "held");
  const fd = openSync(path, "wx+", 0o600);
  rmSync(path);
  writeSync(fd, bytes, 0, bytes.length, 0);
  return fd;
}
