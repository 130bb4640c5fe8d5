import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Holds the process id of the one process that builds. */
const LOCK = join(root, "node_modules", ".coordinator-build");

/**
 * For tests that drive the built program: builds it when the source is newer, which `npm run check` has done already. Several
 * files of tests begin at once, each in a process of its own; one of them builds, and the others wait for it.
 */
export function ensureBuilt(): void {
  while (!isBuilt()) {
    if (!takeLock()) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      continue;
    }
    try {
      if (!isBuilt()) execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
    } finally {
      rmSync(LOCK, { force: true });
    }
  }
}

function isBuilt(): boolean {
  const stamp = join(root, "dist", "cli", "main.js");
  return existsSync(stamp) && statSync(stamp).mtimeMs >= newest(join(root, "src"));
}

function takeLock(): boolean {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isHeld()) rmSync(LOCK, { force: true });
    return false;
  }
}

/** A lock that a process left behind when it was killed is not held. */
function isHeld(): boolean {
  try {
    const holder = Number(readFileSync(LOCK, "utf8"));
    // Between making the file and writing into it.
    if (holder === 0) return Date.now() - statSync(LOCK).mtimeMs < 5_000;
    process.kill(holder, 0);
    return true;
  } catch {
    return false;
  }
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".test.ts"),
  );
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs));
}
