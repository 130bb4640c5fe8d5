// What one sentence asks for, with a real agent in every role: it writes the Intent Spec, proposes the plan and builds it.
// The model knows each role by its prompt, as people and templates write them; no prompt is changed for the test.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { KEY, follow, program, start, writeOwnSettings } from "./story.mjs";

const ASK = "Add a CSV export to the reports page";
const PRODUCT = "write an Intent Spec for this request";
const PLANNER = "propose a plan for this request";
const BUILDER = "Your task: Rows as lines";
const CSV = "export const toCsv = (rows) => rows.join();\n";

const SPEC = {
  schema_version: "1.0.0",
  id: "IS-csv-export",
  objective: "Reports can be taken along as CSV.",
  requirements: [
    {
      id: "REQ-1",
      description: "Rows become lines of CSV",
      verification: { kind: "file_contains", path: "src/csv.mjs", text: "toCsv" },
      source: "request:Add a CSV export",
    },
  ],
  constraints: [],
  out_of_scope: ["Other formats than CSV"],
  assumptions: [],
  context_refs: [],
};
const PROPOSAL = {
  workflow_id: "feature_delivery",
  reason: "It is new behaviour.",
  tasks: [
    {
      id: "csv-rows",
      title: "Rows as lines",
      description: "One line for each row.",
      type: "feature",
      command_id: "implement_feature",
      dependencies: [],
      priority: "P1",
      estimated_iterations: 1,
      files: ["src/csv.mjs"],
      tests: [],
    },
  ],
  risks: [],
  recommendations: [],
};
const answer = (value) => ({ say: `Here it is.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n` });
const malformed = (value) => ({ say: `\`\`\`json\n${JSON.stringify(value).slice(0, -20)}\n\`\`\`\n` });

export async function doWhatWordsAsk(under) {
  const takes = {
    [PRODUCT]: [[malformed(SPEC)], [answer(SPEC)]],
    [PLANNER]: [[malformed(PROPOSAL)], [answer(PROPOSAL)]],
    [BUILDER]: [[{ write: ["/ws/src/csv.mjs", CSV] }, { say: "FEATURE_COMPLETE" }]],
  };
  return inProject(under, takes, async ({ call, coordinator, run }) => {
    const ran = await run("--yes");
    assert.equal(ran.status, 0, ran.output.slice(-3000));
    assert.deepEqual([takes[PRODUCT].begun, takes[PLANNER].begun, takes[BUILDER].begun], [2, 2, 1]);
    const [id] = /run_[\w-]+/.exec(ran.output);
    assert.equal(call("git", "show", `refs/coord/${id}/head:src/csv.mjs`).stdout, CSV);
    const tape = coordinator("export", "last").stdout;
    assert.equal(tape.includes(KEY), false, "the key is in the log");
    assert.equal(coordinator("verify", "last").status, 0, "the tape does not verify");
    assert.equal(call("git", "status", "--porcelain").stdout, "", "the person's checkout was touched");
    const { coordination, requirements } = JSON.parse(coordinator("status", "last", "--json").stdout);
    assert.deepEqual([requirements.spec_id, requirements.results.map(({ holds }) => holds)], ["IS-csv-export", [true]]);
    // Both instances of each are paid for, the one that said nothing of use too.
    return `${coordination.tokens} tokens for the spec and the plan`;
  });
}

/**
 * Contract: it asks, is refused, and what it wanted to write is nowhere. One that goes on after that has its answer
 * taken; one that gives its turn up makes nothing, and a person reads what it was refused.
 */
export async function writeWhileOnlyLooking(under, role) {
  const wants =
    role === "product" || under.name === "codex"
      ? { write: ["/ws/notes.txt", "mine\n"] }
      : { bash: "git log --output=notes.txt" };
  const takes = {
    [PRODUCT]: [[...(role === "product" ? [wants] : []), answer(SPEC)]],
    [PLANNER]: [[...(role === "planner" ? [wants] : []), answer(PROPOSAL)]],
    [BUILDER]: [[{ write: ["/ws/src/csv.mjs", CSV] }, { say: "FEATURE_COMPLETE" }]],
  };
  return inProject(under, takes, async ({ call, project, run }) => {
    const ran = await run("--yes");
    const givesUp = under.name === "codex";
    assert.equal(ran.status, givesUp ? 1 : 0, ran.output.slice(-3000));
    assert.equal(takes[BUILDER].begun, givesUp ? undefined : 1);
    if (givesUp) assert.match(ran.output, /It had been refused edit notes\.txt/);
    assert.equal(existsSync(join(project, "notes.txt")), false);
    const heads = call("git", "for-each-ref", "--format=%(refname)", "refs/coord").stdout.split("\n").filter(Boolean);
    for (const head of heads)
      assert.equal(call("git", "cat-file", "-e", `${head}:notes.txt`).status, 128, `notes.txt is on ${head}`);
    return givesUp ? "it gave its turn up, and a person is told why" : "it went on without";
  });
}

async function inProject({ name, command, settings, model }, takes, work) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-words-"));
  const project = join(folder, "project");
  const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", TMPDIR: tmpdir(), MODEL_KEY: KEY };
  const call = (what, ...args) => spawnSync(what, args, { cwd: project, encoding: "utf8", env });
  const coordinator = (...args) => call(process.execPath, program, ...args);
  const run = (...args) => follow(start(["run", ASK, ...args], { cwd: project, env }));
  model.play((text) => takes[Object.keys(takes).find((words) => text.includes(words))] ?? null);
  try {
    mkdirSync(join(project, "src"), { recursive: true });
    writeFileSync(join(project, "src/reports.mjs"), "export const reports = [];\n");
    writeFileSync(join(project, ".gitignore"), ".coordinator/\n");
    const auth = { ...settings.auth, upstream: model.url, key_env: "MODEL_KEY", header: "x-key" };
    const agents = { [name]: { ...settings, auth, command } };
    // Without a check that passes on the base, no result would be proven.
    const checks = [{ name: "reports", run: "node --check src/reports.mjs" }];
    const roles = { product: name, planner: name, default_agent: name, checks };
    writeOwnSettings(folder, agents, command);
    writeFileSync(join(project, "coordinator.yaml"), stringify(roles));
    call("git", "init", "-q", "-b", "main");
    call("git", "add", "-A");
    call("git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "Reports");
    return await work({ call, coordinator, project, run });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
