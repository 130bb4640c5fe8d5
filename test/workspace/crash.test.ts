import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { WORKSPACE_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import { ensureBuilt } from "../build.js";
import { expectUntouched, fingerprint, git, newFolder, userRepository, userState } from "./repository.js";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function live(folder: string, order: "work" | "recover", at?: string) {
  const preload = at === undefined ? [] : ["--import", pathToFileURL(here("../chaos/at-crash-point.mjs")).href];
  const args = [...preload, here("./one-attempt.mjs"), join(folder, "shop"), join(folder, "state"), order];
  return spawnSync(process.execPath, args, { encoding: "utf8", env: { PATH: process.env["PATH"], TEST_CRASH_AT: at } });
}

const has = (repository: string, revision: string) => {
  try {
    return git(repository, "cat-file", "blob", revision);
  } catch {
    return null;
  }
};

describe("a process killed with SIGKILL while it looks after a workspace", () => {
  beforeAll(ensureBuilt);

  it.each(WORKSPACE_CRASH_POINTS)("at %s loses nothing, and the next one cleans up", (at) => {
    const folder = newFolder();
    const repository = userRepository(folder);
    const before = userState(repository);
    const objects = fingerprint(join(repository, ".git/objects"));
    const killed = live(folder, "work", at);
    expect([killed.signal, killed.stderr]).toEqual(["SIGKILL", ""]);

    // Killed again while it recovers, wherever that comes by the same place; then left in peace.
    live(folder, "recover", at);
    const next = live(folder, "recover");
    expect([next.status, next.stderr]).toEqual([0, ""]);
    const [state] = readdirSync(join(folder, "state"));
    expect(readdirSync(join(folder, "state", state ?? "", "workspaces"))).toEqual([]);
    if (killed.stdout.includes("worked")) {
      const kept = ["refs/coord/run_crash/T1/1", "refs/coord/salvage/run_crash/T1/1"];
      expect(kept.map((ref) => has(repository, `${ref}:src/pay.ts`))).toContain("the work\n");
      expect(has(repository, `refs/coord/salvage/run_crash/T1/1:node_modules/ignored.js`)).toBe("ignored work\n");
    }
    expect(expectUntouched(repository, before, objects)).toEqual([]);
    if (at !== "workspace.imported") return;
    // The same attempt can be made again, and what was salvaged before stays.
    expect(live(folder, "work").stdout).toContain("worked\nimported\nremoved\n");
    expect(has(repository, "refs/coord/salvage/run_crash/T1/1:src/pay.ts")).toBe("the work\n");
  });
});
