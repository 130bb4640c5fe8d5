// `npm run lab:merges -- REPO [--limit N] [--json]`: replays every merge of a local repository through our integration
// and says how far it agrees with git and with what people made of it, what it lost, and how long it took.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { objections } from "../dist/review/accept-resolution.js";
import { mergeCommits, must, readBlob } from "../dist/review/merge.js";
import { quarantineGit } from "../dist/review/quarantine-git.js";
import { createCgit } from "../dist/workspace/git/cgit.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: "string", default: "0" }, json: { type: "boolean", default: false } },
});
if (positionals.length !== 1) {
  console.error("Usage: npm run lab:merges -- REPO [--limit N] [--json]");
  process.exit(2);
}
const repository = resolve(positionals[0]);
const scratch = mkdtempSync(join(tmpdir(), "coordinator-merges-"));
const cgit = createCgit({ path: process.env.PATH ?? "/usr/bin:/bin", cwd: scratch, ceilings: [] });

try {
  process.exitCode = await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function main() {
  const found = await cgit.call({
    args: ["-C", repository, "rev-parse", "--path-format=absolute", "--git-common-dir"],
  });
  if (found.code !== 0) {
    console.error(`${repository} is not a git repository: ${found.stderr.trim()}`);
    return 2;
  }
  // Objects that a merge makes go to a repository of our own: the one that is looked at is not changed.
  const own = join(scratch, "own.git");
  await cgit.must("making a repository", { args: ["init", "--quiet", "--bare", own] });
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(own, "objects", "info", "alternates"), `${join(found.stdout.toString().trim(), "objects")}\n`);
  const git = quarantineGit(cgit, own, scratch);
  const listed = await cgit.must("listing merges", {
    args: ["-C", repository, "rev-list", "--all", "--min-parents=2", "--max-parents=2", "--parents"],
  });
  const merges = listed
    .toString()
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" "));
  const chosen = Number(values.limit) > 0 ? merges.slice(0, Number(values.limit)) : merges;
  const report = await replay(git, chosen);
  if (values.json) console.log(JSON.stringify(report));
  else tell(report);
  return report.lossy.length + report.disagree.length === 0 ? 0 : 1;
}

async function replay(git, merges) {
  const report = {
    merges: merges.length,
    skipped: 0,
    clean: 0,
    conflicts: 0,
    by_keys: 0,
    lossy: [],
    disagree: [],
    same_tree_as_people: 0,
    conflict_paths: 0,
    people_dropped_lines: 0,
    ms: [],
  };
  for (const [merge, ours, theirs] of merges) {
    if ((await git.run(["merge-base", ours, theirs])).code !== 0) {
      report.skipped++;
      continue;
    }
    const began = performance.now();
    const merged = await mergeCommits(git, ours, theirs);
    report.ms.push(performance.now() - began);
    const plain = await git.run(["merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs]);
    const gitTree = plain.stdout.split("\0")[0];
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
      report.people_dropped_lines += (await dropped(git, merge, merged.conflicts)) ? 1 : 0;
    }
  }
  return report;
}

/** Whether what people made of a conflict would have needed a recorded reason here. */
async function dropped(git, merge, conflicts) {
  const files = [];
  for (const { path, base, ours, theirs } of conflicts) {
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

function tell(report) {
  const sorted = report.ms.toSorted((a, b) => a - b);
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  console.log(`${report.merges} merges, ${report.skipped} of unrelated histories left out`);
  console.log(
    `clean ${report.clean} (by keys ${report.by_keys}; the very tree people committed ${report.same_tree_as_people})`,
  );
  console.log(
    `conflicts ${report.conflicts} in ${report.conflict_paths} files; people's own resolution drops a line in ${report.people_dropped_lines}`,
  );
  console.log(`lost lines in ${report.lossy.length} · disagreements with git ${report.disagree.length}`);
  console.log(`ms per merge: median ${at(0.5)}, p95 ${at(0.95)}`);
  for (const { merge, lost } of report.lossy.slice(0, 10))
    console.log(
      `  ${merge.slice(0, 12)} ${lost.map(({ path, line }) => `${path}: ${line.trim().slice(0, 60)}`).join(" | ")}`,
    );
}
