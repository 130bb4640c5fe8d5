import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { ensureBuilt } from "../build.js";

/* Tests here drive the real program as a person's shell does: a child process, its two streams and its exit code. */

export const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "dist", "cli", "main.js");
export const NOW = "2026-02-03T04:05:06Z";

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Modules to load before the program. */
  readonly preload?: readonly string[];
}

let built = false;

/** Build once for all test files, however many start at the same time. */
function buildOnce(): void {
  if (built) return;
  const lock = join(tmpdir(), `coordinator-build-${Buffer.from(root).toString("hex").slice(-40)}`);
  const giveUp = Date.now() + 120_000;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > 60_000 || Date.now() > giveUp) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    ensureBuilt();
    built = true;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** The environment of a program that nobody watches: no terminal, no colour wish, no CI. */
function quietEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), TZ: "UTC" };
}

export function coordinator(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  buildOnce();
  const preload = (options.preload ?? []).flatMap((module) => ["--import", module]);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...preload, main, ...args], {
      cwd: options.cwd ?? root,
      // What the program remembers of runs is nothing for the home of whoever runs the tests.
      env: { ...quietEnvironment(), ...(options.env?.["HOME"] === undefined ? ownState() : {}), ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
      }),
    );
  });
}

/** Run with --json; stdout must be exactly one JSON document. */
export async function coordinatorJson(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran & { readonly json: Record<string, unknown> }> {
  const ran = await coordinator([...args, "--json"], options);
  return { ...ran, json: JSON.parse(ran.stdout) as Record<string, unknown> };
}

let state: string | null = null;

function ownState(): { readonly XDG_STATE_HOME: string } {
  if (state === null) {
    state = mkdtempSync(join(tmpdir(), "coordinator-state-"));
    kept.push(state);
  }
  return { XDG_STATE_HOME: state };
}

const kept: string[] = [];
afterAll(() => {
  for (const folder of kept) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own for one test, or kept for a whole file, with a copy of an example in it when one is named. */
export function workFolder(example?: "feature-plan" | "questions", life: "test" | "kept" = "test"): string {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-cli-"));
  if (life === "kept") kept.push(folder);
  else onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (example !== undefined) cpSync(join(root, "examples", example), folder, { recursive: true });
  return folder;
}

export const FEATURE = [
  "--intent",
  "intent.json",
  "--policy",
  "policy.yaml",
  "--facts",
  "facts.json",
  "--memory",
  "memory.json",
];
export const QUESTIONS = ["--intent", "intent.yaml", "--facts", "facts.json", "--memory", "memory.json"];

/** Every file of a folder with its bytes, to see whether anything changed. */
export function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path).toString("base64")]),
  );
}
