import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Check, CheckResult } from "../model/check.js";
import { Check as CheckSchema } from "../model/check.js";
import type { WorkspaceSettings } from "../model/configuration.js";
import type { Cage } from "../workspace/sandbox/cage.js";
import { plainWay, removeInside } from "../workspace/path-safety.js";
import { runCheck } from "../verify/run-check.js";

/*
 * Making a workspace fit to work in: the project's own command, once for each workspace, inside the sandbox. What it
 * makes may be kept and copied into later workspaces, under a key of the command and of the files that decide it.
 *
 * INVARIANT: only a tree no agent has touched may fill the cache. Otherwise a change to some script would be run in the
 * workspaces of others.
 */

export type SetupSettings = NonNullable<WorkspaceSettings["setup"]>;

export interface SetupPlace {
  readonly workspace: string;
  /** A file of the workspace, or null. Contract: follows no link. */
  readonly readFile: (path: string, most: number) => Promise<string | null>;
  readonly cache: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What was kept for this workspace is put into it. True when nothing is left to be run. Contract: before its cage is open. */
export async function restoreSetup(settings: SetupSettings, place: SetupPlace): Promise<boolean> {
  if (settings.keeps.length === 0) return false;
  const kept = join(place.cache, await keyOf(settings, place));
  const ways = new Map<string, string>();
  for (const path of settings.keeps) {
    const to = await plainWay(place.workspace, path);
    if (to === null) return false;
    ways.set(path, to);
  }
  try {
    for (const [path, to] of ways) await copy(join(kept, path), to);
    return true;
  } catch {
    // Nothing kept under this key, or not all of it: it is made anew.
    for (const path of settings.keeps) await removeInside(place.workspace, path);
    return false;
  }
}

/** Contract: never rejects for what the command does; the result says how it ended. */
export async function runSetup(
  settings: SetupSettings,
  cage: Cage,
  place: SetupPlace,
  signal: AbortSignal,
): Promise<CheckResult> {
  const command: Check = CheckSchema.parse({
    name: "setup",
    run: settings.run,
    minutes: settings.minutes,
    report: { format: "exit_code" },
  });
  return runCheck(command, { cage, tree: "", readFile: place.readFile, env: place.env, signal });
}

/** Contract: the workspace is as the command left it, and no agent has been in it. */
export async function keepSetup(settings: SetupSettings, place: SetupPlace): Promise<void> {
  if (settings.keeps.length === 0) return;
  const kept = join(place.cache, await keyOf(settings, place));
  const making = `${kept}.${randomUUID()}`;
  try {
    for (const path of settings.keeps) {
      const from = await plainWay(place.workspace, path);
      if (from === null) return;
      await copy(from, join(making, path));
    }
    // Whoever is first has it; the others made the same.
    await rename(making, kept).catch(() => undefined);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function keyOf({ run, inputs, keeps }: SetupSettings, { readFile }: SetupPlace): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify({ run, keeps, node: process.version }));
  for (const path of inputs) hash.update(`\0${path}\0${(await readFile(path, 64 * 1024 * 1024)) ?? "absent"}`);
  return hash.digest("hex");
}

/** Links stay links, and blocks are shared where the disk can. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await promisify(execFile)("cp", ["-a", "--reflink=auto", "-T", "--", from, to], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
  });
}
