// One sentence, told to its end: an agent proposes a plan, rules decide, a person approves; five tasks by up to three
// agents at once, a broken result caught and mended by a person's order, two tasks that meet in one file, and a record
// that proves it. No key, no network, no service.
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { projectId } from "../../dist/app/serve/project-id.js";
import { carriedOut, openInBrowser } from "../story.mjs";
import { expectEnding } from "./ending.mjs";
import { prepareFirstRun, SENTENCE } from "./prepare.mjs";

console.log("\nA small program, with a test that has been broken for a year. Everybody knows.");
const told = prepareFirstRun();
const { tell, show, git, coordinator, asked, before } = told;

/** The lines of a run that tell the story; all of them are in the log. */
function essence({ stdout }) {
  const worth = /started by|edits|runs |verdict|escalation|integrated|sandbox|Tasks|completed/;
  const lines = stdout.split("\n").filter((line) => worth.test(line));
  show(lines.map((line) => line.replace(/^ *\d+ {2}/, "").slice(0, 150)).join("\n"));
}

tell("1. One sentence. What will happen is decided, frozen and checksummed before anything runs, and waits for you.");
// A wish is specified first, by a product agent or by you; whoever asks may say that it is technical.
let run = carriedOut(told, "run", SENTENCE, "--type", "technical");
assert.equal(run.status, 3, `the plan waits for approval: ${run.stdout}${run.stderr}`);
const { unsafe } = run;
const [approve = ""] = run.stdout.match(/coordinator approve \S+/) ?? [];
show(
  run.stdout
    .split("\n")
    .filter((line) => /^(?:Rules|Proof|Cost|Risk|Plan)\b/.test(line))
    .join("\n"),
);
assert.match(run.stdout, /\nPlan [0-9a-f]{12}, 5 tasks in 2 levels, /);

tell(
  "2. You approve it, and it is carried out: up to three agents at once, each in a workspace and a sandbox of its own.",
);
assert.equal(coordinator(...approve.split(" ").slice(1)).status, 0);
run = coordinator("run", "--last", ...unsafe);
essence(run);
assert.equal(run.status, 3, `the run waits on a person: ${run.stdout}${run.stderr}`);
assert.match(run.stdout, /csv-export: verdict PASS.*1 failed before/, "what was broken before is tolerated");
assert.match(run.stdout, /file-names: verdict FAIL, test: a title has no blanks around it fails/);

tell(
  "The agent of file-names said that all tests pass. They do not, so a person is asked, and nobody just tries again.",
);
const { entries } = asked("inbox");
assert.equal(entries.length, 1);
const answer = coordinator("answer", entries[0].id, "--order", "retry", "--note", "keep the trimming");
assert.equal(answer.status, 0, answer.stderr);
show(answer.stdout);

tell("3. The run goes on from its log. Two writers now meet in docs/contents.json, which no plan could foresee.");
run = coordinator("run", "--last", ...unsafe);
essence(run);
assert.equal(run.status, 0, run.stdout + run.stderr);
const { run_id } = asked("status", "last");
const head = `refs/coord/${run_id}/head`;

tell("4. What there is now: every task merged once, each with its verdict, on a branch of the run.");
console.log(`  $ git log --graph ${head}`);
show(git("log", "--graph", "--format=%h %s", head));
const trailer = "--format=%(trailers:key=Coordinator-Task,valueonly,separator=%x20)";
const tasks = git("log", "--first-parent", trailer, head).split("\n").filter(Boolean).sort();
assert.deepEqual(tasks, ["csv-export", "export-page", "file-names", "json-export", "release-note"]);
console.log(`  $ git show ${head}:docs/contents.json`);
const contents = git("show", `${head}:docs/contents.json`);
show(contents);
assert.deepEqual(Object.keys(JSON.parse(contents)).sort(), ["export.md", "news.md", "titles.md"], "no line is lost");

tell("Your own branch, files and settings are as they were:");
assert.equal(git("rev-parse", "main"), before);
assert.equal(git("branch", "--format=%(refname:short)"), "main");
assert.equal(git("status", "--porcelain"), "");
console.log("  $ git status --short --branch");
show(git("status", "--short", "--branch"));

tell("5. The record: chained, signed, and proven against what it says of itself.");
const verified = coordinator("verify", "last");
assert.equal(verified.status, 0, verified.stdout + verified.stderr);
show(verified.stdout);

// The same files and the same events as with a team's workers (examples/team-run).
expectEnding(told, run_id);

if (process.argv.includes("--open")) {
  tell("6. The same run in a browser. Ctrl-C ends it, and this folder goes.");
  const server = await told.serve();
  // The link logs in wherever it leads: to the run itself.
  const link = new URL(server.link);
  link.pathname = `/runs/${projectId(realpathSync(told.project))}/last/timeline`;
  console.log(`  ${link.href}`);
  openInBrowser(link.href);
  await server.ended;
}
