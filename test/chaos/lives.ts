import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { stopStrays } from "../../src/hands/attempts/shim/stop.js";
import { fold } from "../../src/mind/run/transition.js";
import { verifyRun } from "../../src/hands/store/chain/verify-run.js";
import { openSqliteStore } from "../../src/hands/store/sqlite/open-sqlite-store.js";

/* The lives of a process that carries out a run with shims, and what must be so when the run is over. */

export const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

export interface RunShape {
  readonly tasks: number;
  /** So many at a time, and so many chains of tasks. */
  readonly width: number;
  readonly work_ms: number;
  readonly adopt: boolean;
  /** Where the bodies leave their marks; beside the store when absent. */
  readonly effects?: string;
}

export interface Death {
  /** So long after it began to act. A life that never acts is not killed. */
  readonly afterMs?: number;
  readonly at?: string;
  /** A program and its arguments that run the process, and do to it what is to be done. */
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Life {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** One life of the process: until it ends, or is killed after so long or at a crash point. */
export function live(folder: string, shape: RunShape, death: Death = {}): Promise<Life> {
  const preload = death.at === undefined ? [] : ["--import", pathToFileURL(here("./at-crash-point.mjs")).href];
  const program = [process.execPath, ...preload, here("./run-with-shims.mjs"), folder, JSON.stringify(shape)];
  const [first, ...args] = [...(death.through ?? []), ...program] as [string, ...string[]];
  const child = spawn(first, args, { env: { PATH: process.env["PATH"], TEST_CRASH_AT: death.at, ...death.env } });
  let stdout = "";
  let stderr = "";
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on("data", (text: Buffer) => {
    stdout += text.toString();
    if (death.afterMs !== undefined && stdout.includes("acting\n"))
      timer ??= setTimeout(() => child.kill("SIGKILL"), death.afterMs);
  });
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, lines: stdout.split("\n").filter((line) => line !== ""), stderr });
    });
  });
}

/** How many effects a life took over from the one before. */
export function adoptedIn({ lines }: Life): number {
  return Number(lines.find((line) => /^adopted \d+$/.test(line))?.split(" ")[1] ?? 0);
}

/** A folder of its own; when the test ends nothing runs in it any more and it is gone. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-crash-"));
  onTestFinished(async () => {
    await stopStrays(join(folder, "effects"), []);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export interface Mark {
  readonly what: string;
  readonly id: string;
  readonly pid: string;
}

/** What the bodies wrote down, in its order. */
export function marksIn(folder: string): Mark[] {
  const path = join(folder, "effects.log");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => line.split(" ")).map(([what = "", id = "", pid = ""]) => ({ what, id, pid }));
}

export function timesOf(marks: readonly Mark[], what: string): Map<string, number> {
  const times = new Map<string, number>();
  for (const mark of marks) if (mark.what === what) times.set(mark.id, (times.get(mark.id) ?? 0) + 1);
  return times;
}

/** Every effect was begun once and ended once: nothing lost, nothing twice. */
export function expectEachOnce(folder: string, { tasks }: RunShape): void {
  const marks = marksIn(folder);
  const once = new Map(
    Array.from({ length: tasks }, (_, i) => [`attempt:T${i}#1`, `integrate:T${i}#1`]).flatMap((ids) =>
      ids.map((id) => [id, 1]),
    ),
  );
  expect(sorted(timesOf(marks, "start"))).toEqual(sorted(once));
  expect(sorted(timesOf(marks, "end"))).toEqual(sorted(once));
}

const sorted = (times: Map<string, number>) => [...times].sort(([a], [b]) => (a < b ? -1 : 1));

/** The log says that the run is completed, and its chain is whole. Gives its events. */
export async function expectCompleted(folder: string, { tasks }: RunShape) {
  const store = await openSqliteStore(join(folder, "runs.db"), { sha256 });
  const events = [];
  for await (const logged of store.read("run_under_fire")) events.push(logged);
  expect(fold(events)).toMatchObject({ status: "completed", completed: tasks });
  expect((await verifyRun(store, "run_under_fire", { sha256 })).findings).toEqual([]);
  await store.close();
  return events.map(({ event }) => event);
}
