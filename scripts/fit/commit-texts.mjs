// `node scripts/fit/commit-texts.mjs CLONES > DIR/commits.jsonl`: the texts behind scripts/fit/labels/commits.jsonl, read from
// clones named OWNER+NAME (or OWNER+NAME/repo) in a folder. A commit without a clone there is left out. The texts belong to their
// authors and are not part of the project.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSet, root } from "./data.mjs";

const [clones] = process.argv.slice(2);
if (clones === undefined) {
  console.error("usage: node scripts/fit/commit-texts.mjs CLONES");
  process.exit(2);
}
for (const { source } of readSet("commits", join(root, "scripts", "fit", "labels", "commits.jsonl")).entries) {
  const [repo, commit] = source.split("@");
  const folder = join(clones, repo.replace("/", "+"));
  const place = [join(folder, "repo"), folder].find((path) => existsSync(path));
  if (place === undefined) continue;
  const subject = execFileSync("git", ["-C", place, "log", "-1", "--format=%s", commit], { encoding: "utf8" });
  // Numbers of pull requests are not part of what is asked.
  const text = subject.trim().replace(/\s*\(#\d+\)$|^#\d+:?\s*|\s*#\d+$/g, "");
  process.stdout.write(`${JSON.stringify({ source, text: text.trim() })}\n`);
}
