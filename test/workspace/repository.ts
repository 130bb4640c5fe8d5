import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { openQuarantine, type Quarantine } from "../../src/hands/workspace/quarantine.js";
import {
  createWorkspaces,
  type PrepareRequest,
  type Workspaces,
  type WorkspacesOptions,
} from "../../src/hands/workspace/workspace.js";

/* A user's repository as it comes in life: branches, a stash, hooks, settings and work that is not committed. */

const PERSON = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false"];

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", [...PERSON, ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** In memory where there is room: these tests make and remove many files, and sync them. */
const place = (() => {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 1024 ** 3 ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir();
  }
})();

/** Contract: removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(place, "coordinator-workspace-"));
  onTestFinished(() => {
    // The folder may hold what nobody may enter.
    execFileSync("chmod", ["-R", "u+rwX", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export const FILES = {
  "README.md": "# Shop\n",
  ".gitignore": "node_modules\n*.log\n",
  "src/cart.ts": "export const cart = [];\n",
  "src/pay.ts": "export const pay = 1;\n",
  "docs/plan.md": "the plan\n",
  "docs/secret.md": "nobody may read this\n",
};

/** A repository with everything in it that an agent might reach for. */
export function userRepository(folder: string, files: Readonly<Record<string, string>> = FILES): string {
  const repository = join(folder, "shop");
  if (files !== FILES) return makeRepository(repository, files);
  template ??= makeRepository(join(mkdtempSync(join(place, "coordinator-template-")), "shop"), files);
  cpSync(template, repository, { recursive: true });
  return repository;
}

let template: string | null = null;
afterAll(() => {
  if (template !== null) rmSync(dirname(template), { recursive: true, force: true });
  template = null;
});

function makeRepository(repository: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(repository);
  git(repository, "init", "--quiet", "--initial-branch=main");
  write(repository, files);
  git(repository, "add", "--all");
  git(repository, "commit", "--quiet", "--message=one");
  git(repository, "branch", "feature");
  git(repository, "tag", "v1");
  write(repository, { "README.md": "# Stashed\n" });
  git(repository, "stash");
  write(repository, { "README.md": "# Shop, not committed\n", "notes.txt": "mine\n" });
  write(join(repository, ".git"), { "hooks/post-commit.sample": "#!/bin/sh\n" });
  return repository;
}

export interface Bench {
  readonly repository: string;
  readonly quarantine: Quarantine;
  readonly workspaces: Workspaces;
}

export async function open(
  folder: string,
  repository: string,
  options: Partial<WorkspacesOptions> = {},
): Promise<Bench> {
  const quarantine = await openQuarantine({
    repository,
    environment: process.env,
    stateDirectory: join(folder, "state"),
  });
  const workspaces = await createWorkspaces({ quarantine, now: () => "2026-01-01T00:00:00Z", ...options });
  onTestFinished(() => workspaces.close());
  return { repository, quarantine, workspaces };
}

export const EVERYTHING = { read: ["**"], hidden: [] };
export const attempt = (id = "1"): PrepareRequest => ({
  base: "HEAD",
  view: EVERYTHING,
  runId: "run_test",
  taskId: "T1",
  attemptId: id,
});

/** Every file below a folder with its mode and bytes; links as what they say. */
export function fingerprint(root: string, leaveOut: (path: string) => boolean = () => false): Map<string, string> {
  const found = new Map<string, string>();
  const look = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const shown = relative(root, path);
      if (leaveOut(shown)) continue;
      const stats = lstatSync(path);
      if (stats.isDirectory()) look(path);
      else if (stats.isSymbolicLink()) found.set(shown, `-> ${readlinkSync(path)}`);
      else
        found.set(
          shown,
          `${(stats.mode & 0o100) === 0 ? "file" : "program"} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`,
        );
    }
  };
  look(root);
  return found;
}

/** The user's repository and checkout, less what the Coordinator may write: its refs and new objects. */
export function userState(repository: string): { files: Map<string, string>; objects: Set<string> } {
  const objects = new Set<string>();
  const files = fingerprint(repository, (path) => {
    if (path.startsWith(".git/objects/")) {
      // Other attempts are taken over at the same time: git's own drafts come and go.
      const found = lstatSync(join(repository, path), { throwIfNoEntry: false });
      if (found?.isFile() === true) objects.add(path);
      return found?.isDirectory() !== true;
    }
    return path === ".git/refs/coord";
  });
  return { files, objects };
}

/** Contract: throws when an object of the user's is gone or the repository is not whole. */
export function expectUntouched(
  repository: string,
  before: ReturnType<typeof userState>,
  contents: ReadonlyMap<string, string>,
): string[] {
  const after = userState(repository);
  const paths = new Set([...before.files.keys(), ...after.files.keys()]);
  const changed = [...paths].filter((path) => before.files.get(path) !== after.files.get(path));
  const now = fingerprint(join(repository, ".git/objects"));
  const damaged = [...contents].filter(([path, text]) => now.get(path) !== text).map(([path]) => `objects/${path}`);
  git(repository, "fsck", "--strict", "--no-dangling");
  return [...changed, ...damaged];
}
