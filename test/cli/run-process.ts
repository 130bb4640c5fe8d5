import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

/* A process that works on one run, as `run-logs.ts` makes them. */

export const chaos = (file: string) => fileURLToPath(new URL(`../chaos/${file}`, import.meta.url));
/** Ends a process at the crash point that TEST_CRASH_AT names. */
export const preload = [pathToFileURL(chaos("at-crash-point.mjs")).href];

/** Resolves when it says that it holds the run. `ended` is all it said. */
export async function worker(
  cwd: string,
  runId: string,
  crashAt?: string,
): Promise<ChildProcess & { readonly ended: Promise<string> }> {
  const armed = crashAt === undefined ? [] : ["--import", preload[0] as string];
  const child = spawn(process.execPath, [...armed, chaos("serve-run.mjs"), cwd, runId], {
    env: { PATH: process.env["PATH"], TEST_CRASH_AT: crashAt },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(said)));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text: Buffer) => {
      said += text.toString();
      if (said.includes("ready")) resolve();
    });
    child.on("close", () => reject(new Error(`it ended: ${said}`)));
  });
  return Object.assign(child, { ended });
}
