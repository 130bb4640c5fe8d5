// Steps that quickstart and check share: installing, and running a step so that a person sees what failed.
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
 * Programs that no package of npm brings: installed, and said, when this is root on a Debian-like system; otherwise the
 * one command that installs them is named, and everything goes on without them.
 */
export function ensurePrograms(packageOf, { why, mayInstall = true }) {
  const missing = Object.keys(packageOf).filter((program) => !isThere(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => packageOf[program]);
  const isRoot = process.getuid?.() === 0;
  if (mayInstall && isRoot && isThere("apt-get")) {
    console.log(`Installing ${packages.join(", ")}: ${why}. --no-install leaves that out.`);
    if (apt("install", "-y", "-qq", ...packages)) return;
    if (apt("update", "-qq") && apt("install", "-y", "-qq", ...packages)) return;
  }
  console.log(`Not installed: ${missing.join(", ")}, for ${why}. To have it: ${commandFor(packages, isRoot)}`);
}

const isThere = (program) => spawnSync("which", [program]).status === 0;

const apt = (...args) => run("apt-get", args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });

/** The command of this system's own package manager; Debian's where it has none we know. */
function commandFor(packages, isRoot) {
  const known = [
    ["dnf", "dnf install"],
    ["pacman", "pacman -S"],
    ["apk", "apk add"],
    ["zypper", "zypper install"],
  ].find(([program]) => !isThere("apt-get") && isThere(program));
  return `${isRoot ? "" : "sudo "}${known?.[1] ?? "apt-get install"} ${packages.join(" ")}`;
}
