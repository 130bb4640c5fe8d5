// `npm run lab:merges -- REPO [--limit N] [--json]`: replays every merge of a local repository through our integration
// and says how far it agrees with git and with what people made of it, what it lost, and how long it took. A merge that cannot
// be replayed is counted and named. The repository is only read.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { objections } from "../dist/hands/integration/accept-resolution.js";
import { mergeCommits, must, readBlob } from "../dist/hands/integration/merge.js";
import { quarantineGit } from "../dist/hands/integration/merging/quarantine-git.js";
import { GitSession } from "../dist/hands/integration/merging/git-session.js";
import { mergeTrivially } from "../dist/hands/integration/merging/trivial-merge.js";
import { createCgit } from "../dist/hands/git/cgit.js";
import { Refused, parseWords, runScript } from "./lab/run-script.mjs";

const USAGE = "Usage: npm run lab:merges -- REPO [--limit N] [--json]";

const scratch = mkdtempSync(join(tmpdir(), "coordinator-merges-"));
const cgit = createCgit({ path: process.env.PATH ?? "/usr/bin:/bin", cwd: scratch, ceilings: [] });

await runScript(
  () => main(readArguments()),
  () => rmSync(scratch, { recursive: true, force: true }),
);

function readArguments() {
  const options = { limit: { type: "string", default: "0" }, json: { type: "boolean", default: false } };
  const parsed = parseWords(options, USAGE);
  const { values, positionals } = parsed;
  if (positionals.length !== 1 || !/^\d+$/.test(values.limit)) throw new Refused(USAGE);
  return { repository: resolve(positionals[0]), limit: Number(values.limit), json: values.json };
}

async function main({ repository, limit, json }) {
  const source = await openSource(repository);
  const times = timesIn(source.objects);
  try {
    const git = await besides(source);
    const { merges, ...left_out } = await mergesIn(source);
    if (merges.length === 0) {
      const others = left_out.octopus > 0 ? ` of two branches; ${left_out.octopus} of more are not replayed` : "";
      throw new Refused(
        `${repository} has no merges${others}${source.shallow ? " in what a shallow clone holds" : ""}`,
      );
    }
    const report = await replay(git, limit > 0 ? merges.slice(0, limit) : merges, source);
    Object.assign(report, left_out, { shallow: source.shallow });
    if (json) console.log(JSON.stringify(report));
    else tell(report);
    return report.lossy.length + report.disagree.length + report.failed.length === 0 ? 0 : 1;
  } finally {
    putBack(times);
  }
}

async function openSource(repository) {
  // A repository without a work tree has to be named as one.
  const bare = existsSync(join(repository, "HEAD")) && existsSync(join(repository, "objects"));
  const at = bare ? ["--git-dir", repository] : ["-C", repository];
  const ask = async (...args) => cgit.call({ args: [...at, "rev-parse", ...args] });
  const found = await ask("--path-format=absolute", "--git-common-dir");
  if (found.code !== 0) throw new Refused(`${repository} is not a git repository: ${found.stderr.trim()}`);
  const answer = async (...args) => (await ask(...args)).stdout.toString().trim();
  return {
    at,
    objects: join(found.stdout.toString().replace(/\n$/, ""), "objects"),
    format: await answer("--show-object-format"),
    shallow: (await answer("--is-shallow-repository")) === "true",
  };
}

/** Objects that a merge makes go to a repository of our own, which reads those of the other one. */
async function besides({ objects, format }) {
  const own = join(scratch, "own.git");
  await cgit.must("making a repository", {
    args: ["init", "--quiet", "--bare", `--object-format=${format}`, own],
  });
  // Quoted as git reads it: a path may hold anything.
  writeFileSync(
    join(own, "objects", "info", "alternates"),
    `"${objects.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"\n`,
  );
  return quarantineGit(cgit, own, scratch);
}

async function mergesIn({ at }) {
  const listed = await cgit.must("listing merges", {
    args: [...at, "rev-list", "--all", "--min-parents=2", "--parents"],
    mostOutput: 1 << 30,
  });
  const all = listed
    .toString()
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" "));
  const merges = all.filter(({ length }) => length === 3);
  return { merges, octopus: all.length - merges.length };
}

async function replay(git, merges, { shallow }) {
  const report = {
    merges: merges.length,
    unrelated: 0,
    cut_off: 0,
    clean: 0,
    conflicts: 0,
    by_keys: 0,
    without_git: 0,
    lossy: [],
    disagree: [],
    failed: [],
    same_tree_as_people: 0,
    conflict_paths: 0,
    people_dropped_lines: 0,
    ms: [],
  };
  for (const merge of merges) {
    try {
      await replayOne(git, merge, report, shallow);
    } catch (error) {
      report.failed.push({ merge: merge[0], why: error instanceof Error ? error.message : String(error) });
    }
  }
  return report;
}

async function replayOne(git, [merge, ours, theirs], report, shallow) {
  const base = await git.run(["merge-base", "--all", ours, theirs]);
  if (base.code !== 0) {
    // Git says nothing at all where there is none; where it says something, what it needs is not there.
    if (shallow) report.cut_off++;
    else if (base.stderr.trim() === "") report.unrelated++;
    else throw new Error(base.stderr.trim());
    return;
  }
  const began = performance.now();
  const merged = await mergeCommits(git, ours, theirs);
  report.ms.push(performance.now() - began);
  const plain = await git.run(["merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs]);
  const gitTree = plain.stdout.split("\0")[0];
  const [only, ...more] = base.stdout.trim().split("\n");
  const alone = more.length > 0 ? null : await withoutGit(git, only, ours, theirs);
  if (alone !== null) report.without_git++;
  if (alone !== null && (plain.code !== 0 || alone !== gitTree)) report.disagree.push(merge);
  const peopleTree = (await must(git, ["rev-parse", `${merge}^{tree}`])).trim();
  if (merged.status === "lossy") report.lossy.push({ merge, lost: merged.lost.slice(0, 5) });
  if (merged.status === "clean") {
    report.clean++;
    if (merged.by_keys.length > 0) report.by_keys++;
    // Where git merges cleanly we must give its tree; where it does not, only a merge by keys may differ.
    if (plain.code === 0 ? merged.tree !== gitTree : merged.by_keys.length === 0) report.disagree.push(merge);
    if (merged.tree === peopleTree) report.same_tree_as_people++;
  }
  if (merged.status === "conflict") {
    report.conflicts++;
    report.conflict_paths += merged.conflicts.length;
    if (plain.code === 0) report.disagree.push(merge);
    report.people_dropped_lines += (await hasDroppedLines(git, merge, merged.conflicts)) ? 1 : 0;
  }
}

/** The merge as the queue makes it where nothing has to be decided: without starting git. Null when it is left to git. */
async function withoutGit(git, base, ours, theirs) {
  const sitting = new GitSession(git);
  try {
    const trees = sitting.trees();
    if (trees === null) return null;
    const [from, mine, yours] = await Promise.all([base, ours, theirs].map((commit) => trees.ofCommit(commit)));
    return await mergeTrivially(trees, from, mine, yours);
  } finally {
    await sitting.close();
  }
}

/** Whether what people made of a conflict would have needed a recorded reason here. */
async function hasDroppedLines(git, merge, conflicts) {
  const files = [];
  for (const { path, base, ours, theirs, special } of conflicts) {
    // A file without lines has none that could be dropped; and a name that is not UTF-8 cannot be asked for here.
    if (special === true || path.includes("\uFFFD")) continue;
    const text = async (object) => (object === null ? "" : ((await readBlob(git, object)) ?? ""));
    const { stdout } = await git.run(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", merge, "--", path]);
    const object = /^\d+ blob ([0-9a-f]+)\t/.exec(stdout)?.[1] ?? null;
    files.push({
      path,
      base: await text(base),
      ours: await text(ours),
      theirs: await text(theirs),
      resolved: object === null ? null : await text(object),
    });
  }
  return objections({ files, changed: [], left_out: [] }).length > 0;
}

/** When each file of the objects was written, as exactly as the system knows it. */
function timesIn(folder) {
  const times = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) times.set(path, statSync(path, { bigint: true }).mtimeNs);
  }
  return times;
}

/** Git marks an object it would write and finds there already as in use, by its time. The repository is not ours to mark. */
function putBack(times) {
  for (const [path, time] of times) {
    if (statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs === time) continue;
    const at = `@${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, "0")}`;
    if (existsSync(path)) execFileSync("touch", ["-m", "-d", at, "--", path]);
  }
}

function tell(report) {
  const sorted = report.ms.toSorted((a, b) => a - b);
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  const left = [
    report.octopus > 0 ? `${report.octopus} of more than two branches` : "",
    report.unrelated > 0 ? `${report.unrelated} of unrelated histories` : "",
    report.cut_off > 0 ? `${report.cut_off} whose beginnings a shallow clone does not hold` : "",
  ].filter((part) => part !== "");
  console.log(`${report.merges} merges${left.length > 0 ? `; left out: ${left.join(", ")}` : ""}`);
  console.log(
    `clean ${report.clean} (without git ${report.without_git}, by keys ${report.by_keys}; the very tree people committed ${report.same_tree_as_people})`,
  );
  console.log(
    `conflicts ${report.conflicts} in ${report.conflict_paths} files; people's own resolution drops a line in ${report.people_dropped_lines}`,
  );
  console.log(`lost lines in ${report.lossy.length} · disagreements with git ${report.disagree.length}`);
  if (sorted.length > 0) console.log(`ms per merge: median ${at(0.5)}, p95 ${at(0.95)}`);
  for (const { merge, lost } of report.lossy.slice(0, 10))
    console.log(
      `  ${merge.slice(0, 12)} ${lost.map(({ path, line }) => `${path}: ${line.trim().slice(0, 60)}`).join(" | ")}`,
    );
  for (const merge of report.disagree.slice(0, 10)) console.log(`  ${merge.slice(0, 12)} is not what git makes of it`);
  if (report.failed.length > 0) console.log(`could not be replayed: ${report.failed.length}`);
  for (const { merge, why } of report.failed.slice(0, 10)) console.log(`  ${merge.slice(0, 12)} ${why.split("\n")[0]}`);
}
