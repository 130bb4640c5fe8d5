// Three repositories nobody has prepared, each in the way its language has them. Each goes from `init` to a verified
// branch, and what `init` wrote is not touched.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { carriedOut, story } from "../story.mjs";

const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
/** Where npm keeps packages: a workspace has no network, and takes them from there. */
const cache = spawnSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).stdout.trim();

const LAYOUTS = [
  {
    layout: "python-package",
    needs: "python3",
    sentence: "Let slug in src/slugs/slug.py take a maximum length",
    changed: ["src/slugs/slug.py", "tests/test_slug.py"],
    // A test that was broken before is known, and nobody's fault.
    verdict: /PASS.*1 failed before/,
  },
  {
    layout: "go-service",
    needs: "go",
    sentence: "Let Hello in internal/greet/greet.go greet a caller without a name as a stranger",
    changed: ["internal/greet/greet.go", "internal/greet/stranger_test.go"],
    verdict: /PASS/,
  },
  {
    layout: "typescript-monorepo",
    needs: "npm",
    sentence: "Add a function milesToKilometres to packages/core/src/length.ts",
    changed: ["packages/core/src/length.ts", "packages/core/src/miles.test.ts"],
    verdict: /PASS/,
  },
];

const wanted = process.argv[2];
for (const { layout, needs, sentence, changed, verdict } of LAYOUTS) {
  if (wanted !== undefined && wanted !== layout) continue;
  if (!has(needs)) {
    console.log(`\n${layout}: left out, there is no ${needs} here`);
    continue;
  }
  const told = story(import.meta.url, { project: layout });
  const { tell, show, git, coordinator, commit, asked, folder } = told;
  symlinkSync(cache, join(folder, ".npm"));
  tell(`${layout}: ${sentence}`);
  commit("As it is");
  const begun = coordinator("init", "--agent", "scripted");
  assert.equal(begun.status, 0, begun.stdout + begun.stderr);
  show(begun.stdout.split("\n\n")[0]);
  const before = commit("Coordinator");

  const run = carriedOut(told, "run", sentence, "--yes");
  assert.equal(run.status, 0, run.stdout + run.stderr);
  const { run_id, tasks } = asked("status", "last");
  const head = `refs/coord/${run_id}/head`;
  console.log(`  $ git log ${head}`);
  show(git("log", "--first-parent", "--format=%h %s", `${before}..${head}`));
  const verdicts = git("log", "--format=%(trailers:key=Coordinator-Verdict,valueonly)", `${before}..${head}`);
  assert.match(verdicts, verdict);
  const files = git("diff", "--name-only", before, head).split("\n");
  for (const file of changed) assert.ok(files.includes(file), `${file} is among ${files.join(", ")}`);
  assert.ok(!files.includes("coordinator.yaml"));
  assert.ok(tasks !== undefined);
  assert.equal(git("rev-parse", "main"), before, "your own branch is where it was");
  const verified = coordinator("verify", "last");
  assert.equal(verified.status, 0, verified.stdout + verified.stderr);
}
