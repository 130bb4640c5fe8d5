import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTree } from "../../../src/hands/git/records.js";
import {
  attempt,
  expectUntouched,
  fingerprint,
  git,
  newFolder,
  open,
  userRepository,
  userState,
  write,
} from "../../workspace/repository.js";
import { type Attack, ATTACKS } from "./attacks.js";
import { hasSandbox, runSandboxed, runFree } from "./sandbox.js";

/** A user's repository with everything the attacks reach for, and the variables that tell where it is. */
function target(folder: string) {
  const repository = userRepository(folder);
  const dangling = git(repository, "commit-tree", "-m", "lost", "HEAD^{tree}").trim();
  git(folder, "init", "--quiet", "--bare", "origin.git");
  git(repository, "remote", "add", "origin", join(folder, "origin.git"));
  git(repository, "worktree", "add", "--quiet", "--detach", join(folder, "other"));
  write(join(folder, "other"), { "work.txt": "not committed" });
  mkdirSync(join(folder, "home"));
  const env = {
    USER_REPO: repository,
    ORIGIN: join(folder, "origin.git"),
    OTHER: join(folder, "other"),
    CANARY: join(folder, "canary"),
    DANGLING: dangling,
    HOME: join(folder, "home"),
  };
  return { repository, env };
}

const harmed = ({ harm }: Attack, env: Readonly<Record<string, string>>) =>
  spawnSync("sh", ["-c", harm], { env: { PATH: "/usr/bin:/bin", ...env }, cwd: "/" }).status === 0;

describe.skipIf(!hasSandbox)("an agent's attack on git", () => {
  it.each(ATTACKS.map((attack) => [attack.name, attack] as const))(
    "%s: nothing of the user's changes, nothing is run",
    async (_, attack) => {
      const folder = newFolder();
      const { repository, env } = target(folder);
      const { workspaces } = await open(folder, repository);
      const workspace = await workspaces.prepare({ ...attempt(), base: "HEAD" });
      const before = userState(repository);
      const objects = fingerprint(join(repository, ".git/objects"));
      const others = ["origin.git", "other", "home"].map((name) => fingerprint(join(folder, name)));

      await runSandboxed(attack.script, workspace.path, env);
      const outcome = await workspace.import({ write: ["**"], message: "attack" });
      const salvage = await workspace.salvage();
      expect(salvage.status).not.toBe("incomplete");
      expect((await workspace.remove()).status).toBe("removed");
      await workspaces.recover();
      await workspaces.close();

      expect(existsSync(env.CANARY)).toBe(false);
      expect(expectUntouched(repository, before, objects)).toEqual([]);
      expect(["origin.git", "other", "home"].map((name) => fingerprint(join(folder, name)))).toEqual(others);
      expect(readdirSync(workspaces.root)).toEqual([]);
      if (attack.hides !== undefined) {
        const shown = outcome.status === "imported" ? outcome.changes.files.map(({ path }) => path) : [];
        expect(shown).toContain(attack.hides);
      }
    },
  );
});

describe("the same attacks on a plain worktree", () => {
  it("succeed, so what is shown above can fail", async () => {
    const broken: (typeof ATTACKS)[number][] = [];
    for (const attack of ATTACKS) {
      const folder = newFolder();
      const { repository, env } = target(folder);
      const workspace = join(folder, "worktree");
      git(repository, "worktree", "add", "--quiet", "--detach", workspace);
      const seen = { ...env, WORKSPACE: workspace };
      await runFree(attack.script, workspace, seen);
      if (attack.hides === undefined)
        await runFree("git status; git add -A; git commit -qm taken; git status", workspace, env);
      if (harmed(attack, seen)) broken.push(attack);
    }
    expect(ATTACKS).toHaveLength(23);
    expect(ATTACKS.filter((attack) => !broken.includes(attack)).map(({ name }) => name)).toEqual([]);
  });
});

describe("crafted trees", () => {
  const blob = (repository: string) =>
    execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: repository, input: "x" }).toString().trim();
  const entry = (mode: string, name: string, oid: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);

  it.each([
    ["..", "40000", ".."],
    [".git", "40000", ".git"],
    [".GIT", "40000", ".GIT"],
    ["a link called .gitmodules", "120000", ".gitmodules"],
    ["a name with a slash", "100644", "a/b"],
    ["a mode with zeros before it", "040000", "folder"],
  ])("%s never reaches the user's repository", async (_, mode, name) => {
    const folder = newFolder();
    const repository = userRepository(folder);
    const { quarantine } = await open(folder, repository);
    const make = (tree: Buffer) =>
      execFileSync(
        "git",
        ["--git-dir", quarantine.gitDir, "hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
        { input: tree },
      )
        .toString()
        .trim();
    const content = blob(repository);
    const inner = mode.endsWith("40000") ? make(entry("100644", "crafted", content)) : content;
    const tree = make(entry(mode, name, inner));
    const commit = git(
      folder,
      "--git-dir",
      quarantine.gitDir,
      "commit-tree",
      "-m",
      "crafted",
      "-p",
      await quarantine.resolve("HEAD"),
      tree,
    ).trim();
    await quarantine.keep("refs/coord/run_test/T1/1", commit);
    expect((await quarantine.publish(["refs/coord/run_test/T1/1"])).refused).toMatch(/\S/);
    expect(git(repository, "for-each-ref", "refs/coord/run_test")).toBe("");
    expect(spawnSync("git", ["cat-file", "-e", tree], { cwd: repository }).status).not.toBe(0);
  });
});

describe("bombs", () => {
  /** Ten folders with the same ten folders in them, and so on: ten objects, ten to the power of ten files. */
  const plant = (workspace: string) => {
    let oid = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: workspace, input: "boom" })
      .toString()
      .trim();
    for (let level = 0; level < 10; level++) {
      const type = level === 0 ? "100644 blob" : "040000 tree";
      const lines = Array.from({ length: 10 }, (_, i) => `${type} ${oid}\t${i}\n`).join("");
      oid = execFileSync("git", ["mktree"], { cwd: workspace, input: lines }).toString().trim();
    }
    return oid;
  };

  it("a tree of 10,000,000,000 files in the agent's repository is neither read nor unpacked", async () => {
    const folder = newFolder();
    const { workspaces, quarantine } = await open(folder, userRepository(folder));
    const workspace = await workspaces.prepare(attempt());
    const tree = plant(workspace.path);
    git(workspace.path, "update-ref", "refs/heads/work", git(workspace.path, "commit-tree", "-m", "boom", tree).trim());
    expect(await workspace.import({ write: ["**"], message: "m" })).toEqual({ status: "unchanged", notices: [] });
    expect(await workspace.remove()).toMatchObject({ status: "removed", salvage: { status: "saved" } });
    // And where such a tree would have to be read, reading ends.
    plant(quarantine.gitDir);
    await expect(readTree(quarantine.git, quarantine.gitDir, tree, 10_000)).rejects.toMatchObject({
      code: "WORKSPACE_FAILED",
    });
  });

  it("a blob of 1 GiB of zeros is refused before it is read, and its workspace is kept", async () => {
    const folder = newFolder();
    const { workspaces, quarantine } = await open(folder, userRepository(folder), {
      limits: { salvageBytes: 1024 ** 2 },
    });
    const workspace = await workspaces.prepare(attempt());
    execFileSync("truncate", ["--size=1G", join(workspace.path, "zeros")]);
    expect(await workspace.import({ write: ["**"], message: "m" })).toMatchObject({
      status: "refused",
      findings: [
        { gate: "too_large", path: "zeros" },
        { gate: "too_large", path: "" },
      ],
    });
    expect(await workspace.remove()).toMatchObject({ status: "kept", findings: [{ gate: "too_large" }] });
    expect(existsSync(join(workspace.path, "zeros"))).toBe(true);
    expect(quarantine.gitDir).toMatch(/quarantine/);
  });

  it("more files than are looked at end the look", async () => {
    const folder = newFolder();
    const { workspaces } = await open(folder, userRepository(folder));
    const workspace = await workspaces.prepare(attempt());
    execFileSync("sh", ["-c", "mkdir many; cd many; seq 1 3000 | xargs touch"], { cwd: workspace.path });
    expect(await workspace.import({ write: ["**"], message: "m", limits: { changedFiles: 1000 } })).toMatchObject({
      status: "refused",
      findings: [{ gate: "too_many" }],
    });
  });
});
