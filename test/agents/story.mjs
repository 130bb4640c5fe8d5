// A whole run with a real agent: planned, carried out in sandboxes, verified and merged by the program as people call it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
export const program = at("../../dist/cli/main.js");
export const KEY = "canary-that-no-agent-may-see";

/** What each task's agent is to do, as the scripted model tells it. The root of a workspace is /ws inside of its sandbox. */
const DEEDS = {
  "csv-export": { "src/csv.mjs": "export const toCsv = (rows) => rows.join();\n" },
  "json-export": { "src/json.mjs": "export const toJson = JSON.stringify;\n" },
  "file-names": {
    "src/titles.mjs": "export const title = (report) => report.name.trim();\nexport const plain = title;\n",
  },
  "export-page": { "docs/export.md": "# Export\n" },
  "release-note": { "docs/news.md": "# News\n" },
};

export async function carryOutAPlan({ name, command, settings, url }) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-story-"));
  const project = join(folder, "project");
  const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", TMPDIR: tmpdir(), MODEL_KEY: KEY };
  const call = (what, ...args) => spawnSync(what, args, { cwd: project, encoding: "utf8", env });
  const coordinator = (...args) => call(process.execPath, program, ...args);
  try {
    cpSync(at("../../examples/first-run/project"), project, { recursive: true });
    writeFileSync(join(project, "intent.yaml"), stringify(withScripts()));
    const auth = { ...settings.auth, upstream: url, key_env: "MODEL_KEY", header: "x-key" };
    const agents = { [name]: { ...settings, auth, command } };
    const checks = [{ name: "test", kind: "test", run: "npm test" }];
    writeOwnSettings(folder, agents, command);
    writeFileSync(join(project, "coordinator.yaml"), stringify({ default_agent: name, checks }));
    coordinator("intent", "seal", "--write", "intent.yaml");
    call("git", "init", "-q", "-b", "main");
    call("git", "add", "-A");
    call("git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "Reports");
    coordinator("facts", "collect", "--project", "report-desk");
    coordinator("memory", "build", "--project", "report-desk");
    const planned = coordinator("plan", "--intent", "intent.yaml", "--out", ".coordinator/plan");
    assert.equal(planned.status, 0, planned.stdout + planned.stderr);
    const ran = await follow(start(["run", "--plan", ".coordinator/plan"], { cwd: project, env }));
    assert.equal(ran.status, 0, ran.output.slice(-3000));
    const run = /run_[\w-]+/.exec(ran.output)[0];
    for (const [task, files] of Object.entries(DEEDS))
      for (const [path, text] of Object.entries(files))
        assert.equal(call("git", "show", `refs/coord/${run}/head:${path}`).stdout, text, `${task}: ${path}`);
    assert.equal(coordinator("verify", "last").status, 0, "the tape does not verify");
    assert.equal(call("git", "status", "--porcelain").stdout, "", "the person's checkout was touched");
    const log = coordinator("export", "last").stdout;
    assert.equal(log.includes(KEY), false, "the key is in the log");
    return `${Object.keys(DEEDS).length} tasks done and merged`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withScripts() {
  const intent = parse(readFileSync(at("intent.yaml"), "utf8"));
  for (const task of intent.tasks) {
    const steps = Object.entries(DEEDS[task.id]).map(([path, text]) => ({ write: [`/ws/${path}`, text] }));
    task.description = `SCRIPT:${JSON.stringify([...steps, { say: "done" }])}END`;
  }
  return intent;
}

/** Not synchronously: the model answers from this very process. */
/** A program of one's own stands in a person's own settings, with the folders of what its arguments name. */
export function writeOwnSettings(home, agents, command) {
  const packages = (file) => /^.*?\/node_modules(?=\/)/.exec(file)?.[0] ?? dirname(file);
  const tools = command.slice(1).filter(isAbsolute).map(packages);
  mkdirSync(join(home, ".config", "coordinator"), { recursive: true });
  writeFileSync(join(home, ".config", "coordinator", "config.yaml"), stringify({ agents, workspace: { tools } }));
}

export function start(args, { cwd, env }) {
  return spawn(process.execPath, [program, ...args], { cwd, env });
}

export function follow(child) {
  let output = "";
  child.stdout.on("data", (piece) => (output += piece));
  child.stderr.on("data", (piece) => (output += piece));
  return new Promise((resolve) => child.once("close", (status) => resolve({ status, output })));
}
