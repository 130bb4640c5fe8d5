// The cost of a workspace on a repository of 10,000 files: making, taking over a change, removing. Wall-clock time, since
// git's processes do the work. `node bench/workspace.mjs [files] [rounds]` prints one JSON document.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openQuarantine } from "../dist/hands/workspace/quarantine.js";
import { createWorkspaces } from "../dist/hands/workspace/workspace.js";

const [files = 10_000, rounds = 5] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const repository = join(folder, "repository");
const git = (cwd, ...args) =>
  execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@x", "-c", "gc.auto=0", ...args], {
    cwd,
    stdio: "pipe",
  });

function makeRepository() {
  mkdirSync(repository);
  git(repository, "init", "--quiet");
  for (let i = 0; i < files; i++) {
    const at = join(repository, `part-${i % 100}`);
    if (i < 100) mkdirSync(at);
    writeFileSync(join(at, `file-${i}.ts`), `export const value${i} = ${i};\n`.repeat(30));
  }
  git(repository, "add", "--all");
  git(repository, "commit", "--quiet", "--message=one");
  git(repository, "gc", "--quiet");
}

const times = {};
async function time(name, work) {
  const start = performance.now();
  const result = await work();
  (times[name] ??= []).push(performance.now() - start);
  return result;
}

try {
  makeRepository();
  const quarantine = await openQuarantine({
    repository,
    environment: process.env,
    stateDirectory: join(folder, "state"),
  });
  const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
  const whole = { read: ["**"], hidden: [] };
  const part = { read: ["part-1/**", "part-2/**"], hidden: [] };
  for (let round = 0; round < rounds; round++) {
    const name = (kind) => ({ base: "HEAD", runId: "run_bench", taskId: kind, attemptId: String(round) });
    const narrow = await time("made from a view of 2 %", () => workspaces.prepare({ ...name("narrow"), view: part }));
    await narrow.remove();
    const cold = await time("made on demand", () => workspaces.prepare({ ...name("cold"), view: whole }));
    await workspaces.warm("HEAD", whole, 1);
    const spare = await time("taken from those made ahead", () =>
      workspaces.prepare({ ...name("spare"), view: whole }),
    );
    for (let i = 0; i < 20; i++)
      writeFileSync(join(spare.path, `part-${i}`, `file-${i}.ts`), `changed ${round} ${i}\n`);
    const request = { write: ["**"], message: "change" };
    const { status } = await time("imported, 20 files changed", () => spare.import(request));
    if (status !== "imported") throw new Error(`the import ended with ${status}`);
    await time("set aside after an import", () => spare.remove());
    await time("set aside without a change", () => cold.remove());
    const plain = join(folder, `worktree-${round}`);
    await time("for comparison: git worktree add", async () =>
      git(repository, "worktree", "add", "--quiet", "--detach", plain),
    );
    await time("for comparison: git worktree remove", async () =>
      git(repository, "worktree", "remove", "--force", plain),
    );
  }
  await time("removed in the background, all", () => workspaces.close());
  const rows = Object.entries(times).map(([name, values]) => {
    const sorted = values.toSorted((a, b) => a - b);
    return { name, median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1) };
  });
  console.log(
    JSON.stringify({
      title: `Workspaces of a repository of ${files} files, wall-clock`,
      files,
      rounds,
      rows,
      skipped: [],
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
