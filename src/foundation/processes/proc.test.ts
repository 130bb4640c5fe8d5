import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { isMarked, processNumbers } from "./proc.js";

/** A process that runs a shell command with this environment, until the test ends. */
function started(command: string, env: NodeJS.ProcessEnv): number {
  const child = spawn("/bin/sh", ["-c", command, command], { stdio: "ignore", env });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid as number;
}

it.runIf(existsSync("/proc/self/environ"))("a process is never said to be without a mark that it has", () => {
  // It becomes the same program again and again, and does nothing else.
  const pid = started('exec /bin/sh -c "$0" "$0"', { MARK: "mine" });
  const times = new Map<boolean | "unknown", number>();
  const seen = (marked: boolean | "unknown") => times.get(marked) ?? 0;
  while (seen(false) === 0 && (seen(true) === 0 || seen("unknown") < 5)) {
    const marked = isMarked(pid, "MARK", "mine");
    times.set(marked, seen(marked) + 1);
  }
  expect(seen(false)).toBe(0);
});

it.runIf(existsSync("/proc/self/environ"))("of a process that is what it is, it is known", async () => {
  const bare = started("exec sleep 60", {});
  await expect.poll(() => isMarked(bare, "MARK", "mine"), { timeout: 240_000 }).toBe(false);
  expect(isMarked(process.pid, "MARK", "mine")).toBe(false);
  expect(processNumbers()).toContain(bare);
  expect(isMarked(2 ** 22 + 1, "MARK", "mine")).toBe(false);
});
