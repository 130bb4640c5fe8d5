import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { gitIn } from "../../hands/facts/git.js";
import { detectSetup } from "../../hands/settings/detect-setup.js";
import { filesOfWorkspaces, ignoredLockfiles, projectFiles } from "./project-files.js";

it("leaves out lockfiles that git ignores, unless they are committed all the same", async () => {
  const root = mkdtempSync(join(tmpdir(), "coordinator-files-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  execFileSync("git", ["init", "--quiet", root]);
  mkdirSync(join(root, "site"));
  writeFileSync(join(root, ".gitignore"), "node_modules\n*-lock.*\n");
  writeFileSync(join(root, "package.json"), '{"dependencies":{"a":"1"}}');
  const lock = JSON.stringify({ packages: { "": {}, "node_modules/a": { version: "1.0.0" } } });
  writeFileSync(join(root, "package-lock.json"), lock);
  writeFileSync(join(root, "site/package-lock.json"), lock);
  const git = gitIn(root, process.env);

  const files = filesOfWorkspaces(root, git);
  expect(await files.read("package-lock.json")).toBeNull();
  expect([...(await files.list("."))].sort()).toEqual([".git", ".gitignore", "package.json", "site"]);
  expect(await files.list("site")).toEqual([]);
  expect(await projectFiles(root).read("package-lock.json")).toBe(lock);
  expect(await ignoredLockfiles(root, git)).toEqual(["package-lock.json"]);
  // A setup that asks for the lockfile would fail in every workspace.
  expect((await detectSetup(files))?.run).toContain("--no-package-lock");

  execFileSync("git", ["add", "--force", "package-lock.json"], { cwd: root });
  expect(await filesOfWorkspaces(root, git).read("package-lock.json")).toBe(lock);
  expect(await ignoredLockfiles(root, git)).toEqual([]);
});
