// What quickstart and check share: installing, and running a step so that a person sees what failed.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program with its output shown; returns whether it succeeded. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: "inherit", ...options });
  if (error) console.error(`${program}: ${error.message}`);
  return status === 0;
}

/** Installs what a folder's lockfile says, unless that has been done since the lockfile changed. */
export function install(folder = root) {
  const lock = `${folder}/package-lock.json`;
  const done = `${folder}/node_modules/.package-lock.json`;
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs) return true;
  return run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
}

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Coordinator needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

/**
 * Programs that tests use and no package brings: installed when this is root on a Debian-like system, named otherwise.
 * Tests that need a missing one say so and are skipped.
 */
export function ensurePrograms(packageOf) {
  const isThere = (program) => spawnSync("which", [program]).status === 0;
  const missing = Object.keys(packageOf).filter((program) => !isThere(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => packageOf[program]);
  if (process.getuid?.() === 0 && isThere("apt-get")) {
    if (run("apt-get", ["install", "-y", "-qq", ...packages])) return;
    if (run("apt-get", ["update", "-qq"]) && run("apt-get", ["install", "-y", "-qq", ...packages])) return;
  }
  console.log(
    `Not installed: ${missing.join(", ")}. For the tests that use them: apt-get install ${packages.join(" ")}`,
  );
}
