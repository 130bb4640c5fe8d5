import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { PROGRAM, type Project } from "./project.js";

/* Workers as processes of their own, each with a folder of its own. They end with the test. */

export interface StartedWorker {
  readonly process: ChildProcess;
  readonly folder: string;
  /** Everything it said so far. */
  readonly said: () => string;
  /** Resolves when it has ended, with its exit code. */
  readonly ended: Promise<number | null>;
  /** Contract: resolves when it has said this; rejects when it ends before. */
  readonly hasSaid: (words: string | RegExp) => Promise<void>;
}

export interface WorkerOptions {
  readonly store: string;
  readonly remote: string;
  readonly name: string;
  readonly more?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A program and its words that run the worker. */
  readonly through?: readonly string[];
}

/** A worker with the settings of the person whose project it is. */
export function startWorker(
  { folder, environment }: Pick<Project, "folder" | "environment">,
  { store, remote, name, more = [], environment: own = {}, through = [] }: WorkerOptions,
): StartedWorker {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  const words = ["worker", "--postgres", store, "--git", remote, "--folder", place, ...more];
  const argv = [...through, process.execPath, PROGRAM, ...words];
  const child = spawn(argv[0] as string, argv.slice(1), {
    cwd: place,
    env: { ...environment, ...own },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const waiting = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk.toString("utf8");
    for (const look of waiting) look();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = once(child, "close").then(([code]) => code as number | null);
  void ended.then(() => {
    for (const look of waiting) look();
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return {
    process: child,
    folder: place,
    said: () => text,
    ended,
    hasSaid: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const isSaid = typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
          const isOver = child.exitCode !== null || child.signalCode !== null;
          if (!isSaid && !isOver) return;
          waiting.delete(look);
          if (isSaid) resolve();
          else reject(new Error(`the worker ended without saying ${String(wanted)}:\n${text}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
