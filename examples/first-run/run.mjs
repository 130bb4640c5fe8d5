// A whole run, told as it goes: five tasks by up to three agents at once, a broken result caught and mended by a
// person's order, two tasks that meet in one file, and a record that proves it. No key, no network, no service.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = path("../../dist/cli/main.js");
const folder = mkdtempSync(join(tmpdir(), "coordinator-first-run-"));
const project = join(folder, "report-desk");
const environment = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", TMPDIR: tmpdir() };

const tell = (text) => console.log(`\n${text}`);
const show = (text) => console.log(text.trimEnd().replaceAll(/^/gm, "    "));

function call(command, args) {
  return spawnSync(command, args, { cwd: project, encoding: "utf8", env: environment });
}

function git(...args) {
  const { status, stdout, stderr } = call("git", args);
  assert.equal(status, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout.trimEnd();
}

/** One command as a person would type it. */
function coordinator(...args) {
  console.log(`  $ coordinator ${args.map((word) => (/[^\w@%+=:,./-]/.test(word) ? `"${word}"` : word)).join(" ")}`);
  return call(process.execPath, [program, ...args]);
}

/** What a program reads instead. */
const asked = (...args) => JSON.parse(call(process.execPath, [program, ...args, "--json"]).stdout);

/** The lines of a run that tell the story; all of them are in the log. */
function essence({ stdout }) {
  const worth = /started by|edits|runs |verdict|escalation|integrated|sandbox|Tasks|completed/;
  const lines = stdout.split("\n").filter((line) => worth.test(line));
  show(lines.map((line) => line.replace(/^ *\d+ {2}/, "").slice(0, 150)).join("\n"));
}

try {
  tell("A small program, with a test that has been broken for a year. Everybody knows.");
  cpSync(path("project"), project, { recursive: true });
  cpSync(path("intent.yaml"), join(project, "intent.yaml"));
  const agent = [
    process.execPath,
    path("../../dist/agents/scripted/scripted-agent.mjs"),
    "--script",
    path("script.json"),
  ];
  writeFileSync(
    join(project, "coordinator.yaml"),
    [
      "agents:",
      "  scripted:",
      "    preset: scripted # a program without a model that does what a script says",
      `    command: ${JSON.stringify(agent)}`,
      "checks:",
      "  - { name: test, kind: test, run: npm test }",
      "",
    ].join("\n"),
  );
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");
  git("add", ".");
  git("commit", "-qm", "Reports");
  const before = git("rev-parse", "main");

  tell("1. The plan: what will happen, frozen and checksummed before anything runs.");
  const plan = ".coordinator/plan";
  const packs = ["--facts", ".coordinator/facts.json", "--memory", ".coordinator/memory.json"];
  assert.equal(coordinator("facts", "collect", "--out", packs[1]).status, 0);
  assert.equal(coordinator("memory", "build", "--project", "report-desk", "--out", packs[3]).status, 0);
  const planned = coordinator("plan", "--intent", "intent.yaml", ...packs, "--out", plan);
  assert.equal(planned.status, 0, planned.stdout + planned.stderr);
  show(planned.stdout.trim().split("\n").at(-1));
  assert.match(planned.stdout, /Plan: 5 actions in 2 levels/);

  tell("2. The run: up to three agents at once, each in a workspace and a sandbox of its own.");
  const unsafe = [];
  let run = coordinator("run", "--plan", plan);
  if (run.stderr.includes("SANDBOX_MISSING")) {
    show("There is no sandbox here; the agent is our own program, so this run goes on without one. To have one:");
    show(/^.*--unsafe-no-sandbox.*$/m.exec(run.stderr)?.[0].trim() ?? "");
    unsafe.push("--unsafe-no-sandbox");
    run = coordinator("run", "--plan", plan, ...unsafe);
  }
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
  const merged = git(
    "log",
    "--first-parent",
    "--format=%(trailers:key=Coordinator-Task,valueonly,separator=%x20)",
    head,
  );
  const tasks = merged.split("\n").filter(Boolean).sort();
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
} finally {
  rmSync(folder, { recursive: true });
}
