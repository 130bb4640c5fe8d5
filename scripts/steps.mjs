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
