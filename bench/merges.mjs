// The cost of integrating the changes of a run: 50 branches brought onto one, beside `git merge` of the same branches in a
// worktree, taking turns. Wall clock, and the CPU time of all processes. Needs a build. Prints one JSON document.
//   node bench/merges.mjs [branches] [rounds]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIntegrationQueue } from "../dist/hands/integration/integrate.js";
import { quarantineGit } from "../dist/hands/integration/merging/quarantine-git.js";
import { createCgit } from "../dist/hands/git/cgit.js";

const [branches = 50, rounds = 3] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "bench",
  GIT_AUTHOR_EMAIL: "bench@localhost",
  GIT_COMMITTER_NAME: "bench",
  GIT_COMMITTER_EMAIL: "bench@localhost",
};
const git = (args, input) => execFileSync("git", args, { env, input, encoding: "utf8", maxBuffer: 1 << 28 }).trim();

const FILES = 1000;
const pathOf = (i) => `src/part-${i % 40}/file-${i}.ts`;
const textOf = (i) => Array.from({ length: 40 }, (_, line) => `export const value_${i}_${line} = ${line};`).join("\n");
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
const change = (i) => `M 100644 inline ${pathOf(i)}\n${data(`${textOf(i)}\nexport const changed = true;\n`)}`;
const LIST = Array.from({ length: branches * 10 }, (_, line) => `- entry ${line}`);
const listOf = (branch) => LIST.with(branch * 10, `- entry of branch ${branch}`).join("\n");

/** Each branch changes three files of its own and adds one; in the second case all of them change one file as well. */
const CASES = {
  "files of their own": () => "",
  "and all one file": (branch) => `M 100644 inline LIST.md\n${data(listOf(branch))}`,
};

function makeRepository(path, shared) {
  git(["init", "--quiet", "--initial-branch=main", path]);
  const head = (ref, text) => `commit refs/heads/${ref}\ncommitter bench <bench@localhost> 0 +0000\n${data(text)}`;
  let stream = head("main", "base");
  for (let i = 0; i < FILES; i++) stream += `M 100644 inline ${pathOf(i)}\n${data(textOf(i))}`;
  stream += `M 100644 inline LIST.md\n${data(LIST.join("\n"))}\n`;
  for (let branch = 0; branch < branches; branch++) {
    stream += `${head(`task/${branch}`, `task ${branch}`)}from refs/heads/main\n`;
    for (let n = 0; n < 3; n++) stream += change(branch * 7 + n);
    stream += `M 100644 inline src/new/file-${branch}.ts\n${data(`export const mine = ${branch};\n`)}${shared(branch)}\n`;
  }
  git(["-C", path, "fast-import", "--quiet"], stream);
}

/** CPU milliseconds of this process and of all its children that have ended. */
function cpuMs() {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

async function time(work) {
  const [wall, cpu] = [performance.now(), cpuMs()];
  const tree = await work();
  return { wall: (performance.now() - wall) / branches, cpu: (cpuMs() - cpu) / branches, tree };
}

async function integrateAll(path, round) {
  const gitDir = join(path, ".git");
  const cgit = createCgit({ path: process.env.PATH, cwd: folder, ceilings: [] });
  const own = quarantineGit(cgit, gitDir, folder);
  const commits = git(["-C", path, "for-each-ref", "--format=%(objectname)", "refs/heads/task"]).split("\n");
  const branch = `refs/heads/integrated-${round}`;
  const queue = createIntegrationQueue({
    git: own,
    branch,
    base: git(["-C", path, "rev-parse", "main"]),
    verify: async () => ({ verdict: "PASS" }),
    publish: async () => undefined,
  });
  return time(async () => {
    const outcomes = await Promise.all(
      commits.map((commit, i) => queue.integrate({ task_id: `T${i}`, attempt: 1, commit, message: `Task ${i}\n` })),
    );
    const bad = outcomes.find(({ status }) => status !== "integrated");
    if (bad !== undefined) throw new Error(`an integration ended with ${bad.status}`);
    return git(["-C", path, "rev-parse", `${branch}^{tree}`]);
  });
}

/** The usual way: a worktree, and one `git merge` after the other. */
async function mergeAll(path, round) {
  const place = join(folder, `worktree-${round}-${Math.random()}`);
  git(["-C", path, "worktree", "add", "--quiet", "--detach", place, "main"]);
  const names = git(["-C", path, "for-each-ref", "--format=%(refname)", "refs/heads/task"]).split("\n");
  const result = await time(async () => {
    for (const name of names) git(["-C", place, "merge", "--quiet", "--no-ff", "-m", "merge", name]);
    return git(["-C", place, "rev-parse", "HEAD^{tree}"]);
  });
  git(["-C", path, "worktree", "remove", "--force", place]);
  return result;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
try {
  const rows = [];
  for (const [name, shared] of Object.entries(CASES)) {
    const path = join(folder, `repository-${rows.length}`);
    makeRepository(path, shared);
    const found = { ours: [], git: [] };
    for (let round = 0; round < rounds; round++) {
      const turns = [
        async () => found.ours.push(await integrateAll(path, round)),
        async () => found.git.push(await mergeAll(path, round)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    const trees = new Set([...found.ours, ...found.git].map(({ tree }) => tree));
    if (trees.size !== 1) throw new Error("ours and git's are not the same tree");
    const of = (who, figure) => median(found[who].map((each) => each[figure]));
    rows.push({
      name,
      ours_ms: of("ours", "wall"),
      ours_cpu_ms: of("ours", "cpu"),
      git_ms: of("git", "wall"),
      git_cpu_ms: of("git", "cpu"),
    });
  }
  console.log(JSON.stringify({ branches, files: FILES, rounds, rows }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
