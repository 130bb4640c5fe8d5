import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { effectFolder } from "../../src/hands/attempts/shim/instance-folder.js";
import type { RunShape } from "./lives.js";

/* Programs whose system calls are watched, and made to fail. */

/** Whether a program does what is needed here; says why a test is skipped. */
export function canRun(program: string, args: readonly string[], what: string): boolean {
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return true;
  console.log(`skipped: ${what}: ${error?.message ?? stderr.trim()}`);
  return false;
}

export const traceable =
  process.platform === "linux" && canRun("strace", ["-e", "trace=none", "true"], "system calls cannot be traced");

/** What changes a file or a folder, or makes it durable. */
export const DURABLE = [
  "pwrite64",
  "write",
  "fsync",
  "fdatasync",
  "ftruncate",
  "unlink",
  "rename",
  "link",
  "mkdir",
] as const;

/** Everything a run writes for which its coordinator answers itself. */
export function pathsOf(folder: string, { tasks }: RunShape): string[] {
  const database = ["runs.db", "runs.db-wal", "runs.db-shm", "runs.db.lock"].map((name) => join(folder, name));
  const effects = join(folder, "effects");
  const ofEffects = Array.from({ length: tasks }, (_, i) => [`attempt:T${i}#1`, `integrate:T${i}#1`])
    .flat()
    .map((id) => effectFolder(effects, id))
    .flatMap((base) => [base, ...["1", "1/order.json", "1/working", "1/claim"].map((name) => join(base, name))]);
  return [folder, ...database, effects, ...ofEffects];
}

/** The command that runs a program with its calls on these paths watched; what it starts itself is left alone. */
export function traced(calls: string, paths: readonly string[], { out = "/dev/null", inject = "" } = {}): string[] {
  const only = paths.flatMap((path) => ["-P", path]);
  const fault = inject === "" ? [] : ["-e", `inject=${calls}:${inject}`];
  return ["strace", "-f", "-b", "execve", "-qq", "-o", out, ...only, "-e", `trace=${calls}`, ...fault];
}
