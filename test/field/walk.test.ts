import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import type { Base, Files } from "./bench.js";
import { node } from "./ecosystems/node.js";

/* `lab:field` over clones of our own: whole runs through the program, from `init` to a merged branch. */

const LAB = fileURLToPath(new URL("../../scripts/lab-field.mjs", import.meta.url));

/** A clone whose last commit is the good change, in words a person could have used. */
function cloneOf({ files }: Base) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-clone-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const clone = join(folder, "sums");
  mkdirSync(clone);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: clone,
      encoding: "utf8",
    }).trim();
  const commit = (changed: Files, message: string) => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(dirname(join(clone, name)), { recursive: true });
      writeFileSync(join(clone, name), text ?? "");
    }
    git("add", "-A");
    git("commit", "-q", "-m", message);
  };
  git("init", "-q", "-b", "main");
  commit(files, "The library as it was");
  commit(node.changes.good(files), "Add a function to src/sums.js that triples a number");
  return { folder, clone, git };
}

function walked(clone: string, folder: string) {
  ensureBuilt();
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAB, clone, "--no-install", "--json"], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: temporary },
  });
  expect([status, readdirSync(temporary)], stderr).toEqual([0, []]);
  return JSON.parse(stdout) as unknown;
}

describe.runIf(findAbilities().bubblewrap !== null)("a walk over a clone", () => {
  it("goes from init to a merged branch where the checks prove it, and lets no harm pass", () => {
    const { clone, folder, git } = cloneOf(node.bases.green as Base);
    const before = git("rev-parse", "HEAD");
    const row = walked(clone, folder);
    expect(row).toMatchObject({
      repository: "sums",
      kind: "Node",
      request: "Add a function to src/sums.js that triples a number",
      run: { verdict: "PASS", checks: [{ check: "test", exit_code: 0, passed: 3 }] },
      merged: true,
      syntax: { what: "syntax error in src/sums.js", verdict: "FAIL" },
      assertion: { verdict: "FAIL" },
    });
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain", "--ignored")]).toEqual([before, ""]);
  });

  it("ends at the question where nothing could run on the base, and says why", () => {
    const { clone, folder } = cloneOf(node.bases["missing tool"] as Base);
    const row = walked(clone, folder);
    expect(row).toMatchObject({ merged: false });
    expect(row).not.toMatchObject({ run: { verdict: "PASS" } });
    expect(row).not.toMatchObject({ syntax: { verdict: "PASS" } });
    expect(JSON.stringify(row)).toContain("no-such-linter: not found");
  });
});
