import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { attempt, git, newFolder, open, userRepository, write } from "../../../../test/workspace/repository.js";
import { clean, planClean } from "./clean.js";
import type { Workspace } from "../open-workspace.js";

const DAY = 86_400_000;
const later = new Date(Date.now() + DAY);

/** As a process that died leaves it. */
function orphan(workspace: Workspace): void {
  const record = join(dirname(workspace.path), "workspace.json");
  writeFileSync(record, readFileSync(record, "utf8").replace(/"owner": "\d+/, '"owner": "1'));
}

async function scene() {
  const folder = newFolder();
  const bench = await open(folder, userRepository(folder));
  const request = { root: bench.workspaces.root, now: later, olderThanMs: 0, salvaged: false };
  return { folder, ...bench, request };
}

describe("clean", () => {
  it("keeps what is in use, and salvages before it removes", async () => {
    const { workspaces, quarantine, repository, request } = await scene();
    const dead = await workspaces.prepare(attempt("dead"));
    const live = await workspaces.prepare(attempt("live"));
    write(dead.path, { "work.txt": "work" });
    write(live.path, { "work.txt": "work" });
    orphan(dead);
    const plan = await planClean(quarantine, request);
    expect(plan.entries.map(({ kind, action }) => `${kind} ${action}`).sort()).toEqual([
      "base_ref keep",
      "workspace keep",
      "workspace salvage_and_remove",
    ]);
    expect(existsSync(dead.path)).toBe(true);
    const cleaned = await clean(quarantine, plan);
    expect(cleaned.removed).toEqual([dirname(dead.path)]);
    expect([existsSync(dead.path), existsSync(live.path)]).toEqual([false, true]);
    expect(git(repository, "show", "refs/coord/salvage/run_test/T1/dead:work.txt")).toBe("work");
  });

  it("keeps work that is on no branch, and lets it go once it is on one", async () => {
    const { workspaces, quarantine, repository, request } = await scene();
    const workspace = await workspaces.prepare(attempt());
    write(workspace.path, { "src/cart.ts": "x" });
    await workspace.import({ write: ["**"], message: "m" });
    await workspace.remove();
    const entry = async () => (await planClean(quarantine, request)).entries.find(({ kind }) => kind === "attempt_ref");
    expect(await entry()).toMatchObject({ action: "keep", reason: "it is on no branch and in no salvage" });
    git(repository, "branch", "merged", "refs/coord/run_test/T1/1");
    expect(await entry()).toMatchObject({ action: "remove", reason: "it is on a branch" });
    await clean(quarantine, await planClean(quarantine, request));
    expect(git(repository, "for-each-ref", "refs/coord")).toBe("");
    expect(git(repository, "show", "merged:src/cart.ts")).toBe("x");
  });

  it("lets an attempt's ref go when a salvage holds it, but never both at once", async () => {
    const { workspaces, quarantine, request } = await scene();
    const workspace = await workspaces.prepare(attempt());
    write(workspace.path, { "src/cart.ts": "x" });
    await workspace.import({ write: ["**"], message: "m" });
    write(workspace.path, { "more.log": "x" });
    await workspace.remove();
    const actions = async (salvaged: boolean) =>
      Object.fromEntries(
        (await planClean(quarantine, { ...request, salvaged })).entries.map(({ kind, action }) => [kind, action]),
      );
    expect(await actions(false)).toMatchObject({ attempt_ref: "remove", salvage_ref: "keep" });
    expect(await actions(true)).toMatchObject({ attempt_ref: "keep", salvage_ref: "remove" });
  });

  it("keeps what is too young, and folders it does not know", async () => {
    const { workspaces, quarantine, request } = await scene();
    const workspace = await workspaces.prepare(attempt());
    write(workspace.path, { "work.txt": "work" });
    orphan(workspace);
    mkdirSync(join(workspaces.root, "somebody's"));
    const record = join(dirname(workspace.path), "workspace.json");
    writeFileSync(record, readFileSync(record, "utf8").replace("2026-01-01T00:00:00Z", later.toISOString()));
    const { entries } = await planClean(quarantine, { ...request, olderThanMs: DAY });
    expect(entries.filter(({ action }) => action !== "keep")).toEqual([]);
    expect(entries.find(({ kind }) => kind === "unknown")?.name).toContain("somebody's");
  });

  it("removes links, not what they lead to, at any depth", async () => {
    const { folder, workspaces, quarantine, request } = await scene();
    write(folder, { "precious/file": "mine" });
    const workspace = await workspaces.prepare(attempt());
    mkdirSync(join(workspace.path, "a/b"), { recursive: true });
    symlinkSync(join(folder, "precious"), join(workspace.path, "a/b/link"));
    symlinkSync(join(folder, "precious"), join(workspace.path, "link"));
    orphan(workspace);
    await clean(quarantine, await planClean(quarantine, request));
    expect(readdirSync(workspaces.root)).toEqual([]);
    expect(readFileSync(join(folder, "precious/file"), "utf8")).toBe("mine");
  });
});
