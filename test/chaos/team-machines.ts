import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Project } from "../e2e/project.js";
import { type StartedWorker, startWorker } from "../e2e/workers.js";

/* Machines of a team that can be cut from the network, and whose disk can be full, without being other machines. */

/** Why a worker can have no network and no disk of its own here; null when it can. */
export function whyNoMachines(): string | null {
  const made = spawnSync("unshare", [
    "-n",
    "-m",
    "sh",
    "-c",
    "ip link set lo up && mount -t tmpfs -o size=1m none /mnt",
  ]);
  if (made.status !== 0)
    return `namespaces and mounts need root: ${made.error?.message ?? made.stderr.toString("utf8").trim()}`;
  const { stdout } = spawnSync("git", ["--exec-path"], { encoding: "utf8" });
  return existsSync(join(stdout.trim(), "git-daemon")) ? null : "there is no git daemon";
}

/** A worker that its service manager starts again, under a new name each time. */
export interface Machine {
  readonly name: string;
  /** The worker that runs now. */
  readonly worker: () => StartedWorker;
  readonly start: () => StartedWorker;
  readonly said: () => string;
}

export interface MachineParts {
  readonly project: Project;
  readonly name: string;
  readonly store: string;
  readonly remote: string;
  readonly through?: readonly string[];
}

export function machine({ project, name, store, remote, through = [] }: MachineParts): Machine {
  const lives: StartedWorker[] = [];
  const start = () => {
    const worker = startWorker(project, { store, remote, name, through, more: ["--capacity", "2"] });
    lives.push(worker);
    return worker;
  };
  return {
    name,
    start,
    worker: () => lives.at(-1) as StartedWorker,
    said: () => lives.map((life) => life.said()).join("\n"),
  };
}

export interface Cable {
  /** The words before a program that runs on the other side. */
  readonly through: readonly string[];
  readonly cut: () => void;
  readonly join: () => void;
}

/** A network namespace from which these ports of this machine are reached, until it is cut. */
export async function layCable(folder: string, ports: readonly number[]): Promise<Cable> {
  mkdirSync(folder);
  for (const port of ports) {
    const way = createServer((client) => {
      const out = connect(port, "127.0.0.1");
      client.pipe(out).pipe(client);
      client.on("error", () => out.destroy()).on("close", () => out.destroy());
      out.on("error", () => client.destroy()).on("close", () => client.destroy());
    });
    way.listen(join(folder, `${port}.sock`));
    await once(way, "listening");
    onTestFinished(() => void way.close());
  }
  const relay = fileURLToPath(new URL("./relay.mjs", import.meta.url));
  const script = 'ip link set lo up && exec "$0" "$@"';
  const words = ["-n", "sh", "-c", script, process.execPath, relay, folder, ...ports.map(String)];
  const holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => end(holder));
  let said = "";
  for await (const chunk of holder.stdout) {
    said += String(chunk);
    if (ports.every((port) => said.includes(`listens on ${port}`))) break;
  }
  const inside = ["nsenter", "-t", String(holder.pid), "-n"];
  const link = (state: string) => must([...inside, "ip", "link", "set", "lo", state]);
  return { through: inside, cut: () => link("down"), join: () => link("up") };
}

/** The words before a program whose folder is on a disk of its own. */
export function ownDisk(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const script = 'mount -t tmpfs -o size=2g none "$0" && exec "$@"';
  return ["unshare", "-m", "--propagation", "private", "sh", "-c", script, folder];
}

/** Make that disk so small that next to nothing is free, or as large as it was. */
export function resizeDisk({ process: { pid } }: StartedWorker, folder: string, size: "1m" | "2g"): void {
  const inside = ["nsenter", "-t", String(pid), "-m"];
  // A disk cannot be smaller than what is on it.
  const used = spawnSync("nsenter", [...inside.slice(1), "df", "--output=used", "-k", folder], { encoding: "utf8" });
  const least = Number(used.stdout.trim().split("\n").at(-1)) + 64;
  must([...inside, "mount", "-o", `remount,size=${size === "1m" ? `${least}k` : size}`, folder]);
}

/** A bare repository that is reached as a path and through a server, and that can be away. */
export async function serveRemote(project: Project, port: number) {
  const path = join(project.folder, "remote.git");
  project.git("init", "-q", "--bare", path);
  const words = ["daemon", "--reuseaddr", "--listen=127.0.0.1", `--port=${port}`, "--export-all"];
  const more = ["--enable=receive-pack", `--base-path=${project.folder}`, project.folder];
  const { stdout } = spawnSync("git", ["--exec-path"], { encoding: "utf8" });
  const server = spawn(join(stdout.trim(), "git-daemon"), [...words.slice(1), ...more], {
    env: project.environment,
    stdio: "ignore",
  });
  onTestFinished(() => end(server));
  return {
    path,
    url: `git://127.0.0.1:${port}/remote.git`,
    takeAway: () => renameSync(path, `${path}.away`),
    bringBack: () => {
      // Somebody who writes to what is not there would have made it.
      rmSync(path, { recursive: true, force: true });
      renameSync(`${path}.away`, path);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function must([program, ...words]: readonly string[]): void {
  const { status, stderr } = spawnSync(program as string, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${stderr}`);
}
