import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked, type Asked } from "./asked.js";
import { CONTRACT, specifiedBlock } from "./specified.js";

/* A contract in the words of its specification, put into a project as it stands: nothing is added and nobody says --yes. */

beforeAll(ensureBuilt);

const CONTRACT_FILE = "governance/contracts/coordinator.yaml";

const RECORD = `# ADR-023: Certification tracking

## Status

Accepted

## Implementation Notes

- Create certification_completions table
- Add API endpoint for completion
- Build completion form UI
- Write tests
`;

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/index.mjs": "export {};\n",
  "test/index.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  "decisions/ADR-023.md": RECORD,
  ".gitignore": ".coordinator/\n",
};

const TESTED =
  'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { table } from "../src/form.mjs";\n' +
  'test("the form reaches the table", () => assert.deepEqual(table, []));\n';
const TASKS = [
  ["Create certification_completions table", "src/table.mjs", "export const table = [];\n", "FEATURE_COMPLETE"],
  ["Add API endpoint for completion", "src/endpoint.mjs", 'export * from "./table.mjs";\n', "FEATURE_COMPLETE"],
  ["Build completion form UI", "src/form.mjs", 'export * from "./endpoint.mjs";\n', "FEATURE_COMPLETE"],
  ["Write tests", "test/form.test.mjs", TESTED, "TESTS_COMPLETE"],
].map(([title = "", write = "", text = "", promise = ""]) => ({
  title,
  steps: [{ write, text }, { usage: { in: 100, out: 20, cost_usd: 0.001 } }, { say: promise }],
}));

function desk(contract: string): Asked {
  return asked({ ...FILES, [CONTRACT_FILE]: contract }, TASKS, { settings: { board: {} } });
}

const LOOKING = [
  ["doctor", "--no-checks"],
  ["status"],
  ["inbox"],
  ["tasks"],
  ["stats"],
  ["adr", "list"],
  ["adr", "check", "decisions/ADR-023.md"],
  ["intake", "-"],
  ["route", "-"],
  ["registry", "list"],
];

/** The whole way of the specification: a person approves a record, and everything else follows by itself. */
async function carriesOut(contract: string): Promise<void> {
  const here = desk(contract);
  for (const command of LOOKING) {
    const { stderr } = here.call(...command);
    expect([command, /CONTRACT_/.exec(stderr)]).toEqual([command, null]);
  }
  const ran = here.call("adr", "approve", "ADR-023");
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  const events = (await here.log()).map(({ event }) => event);
  const approvals = events.filter(({ type }) => type === "plan_approved");
  expect(approvals).toEqual([{ type: "plan_approved", decider: { by: "ada", how: "person", via: "command" } }]);
  // Nothing was approved with --yes, because nothing had to be.
  expect(events.filter(({ type }) => type === "approval_given")).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "run_finished", status: "completed" });
  const read = (path: string) => readFileSync(join(here.cwd, path), "utf8");
  const { tasks } = JSON.parse(read("tasks/work_queue.json")) as { tasks: { id: string; status: string }[] };
  expect(tasks.map(({ id, status }) => [id, status])).toEqual(
    ["001", "002", "003", "004"].map((id) => [`TASK-023-${id}`, "completed"]),
  );
  expect(read("PROJECT_HQ.md")).toContain("ADR-023: 4 of 4 tasks done");
  expect(readdirSync(join(here.cwd, "sessions"))).toHaveLength(1);
  for (const command of [
    ["verify", "last"],
    ["response", "last"],
    ["status", "last"],
    ["diff", "last", "--stat"],
  ])
    expect([command, here.call(...command).stderr]).toEqual([command, ""]);
  // The specification has no word for putting work onto somebody's branch: that one thing is asked about.
  const merged = here.call("merge", "last");
  expect([merged.code, merged.stderr]).toEqual([3, expect.stringContaining("merge_run is in none of its lists")]);
}

describe("the specification's contract as it stands", () => {
  it("looks without asking, and `adr approve` carries the record out with no second approval [S3-014, S3-071]", () =>
    carriesOut(CONTRACT));

  const specified = specifiedBlock("yaml", "governance/contracts/coordinator.yaml", "forbidden_actions");
  it.skipIf(specified === null)("does the same in the specification's own text", () => carriesOut(specified ?? ""));

  it("with auto_assign_tasks: false gives no task to a builder before a person approves that assignment [S3-071]", async () => {
    const here = desk(CONTRACT.replace("auto_assign_tasks: true", "auto_assign_tasks: false"));
    const started = async () =>
      (await here.log()).flatMap(({ event }) => (event.type === "attempt_started" ? [event.task_id] : []));
    const queued = here.call("adr", "approve", "ADR-023");
    expect(queued.code).toBe(3);
    expect(await started()).toEqual([]);
    expect(here.call("inbox").stdout).toContain("assignment of TASK-023-001 to scripted");
    expect(readFileSync(join(here.cwd, "PROJECT_HQ.md"), "utf8")).toContain("assignment of TASK-023-001 waits");
    expect(here.call("approve", "assign:TASK-023-001").code).toBe(0);
    expect(here.call("run", "--last").code).toBe(3);
    expect(await started()).toEqual(["TASK-023-001"]);
    // A second one does not follow from the first.
    expect(here.call("run", "--last").code).toBe(3);
    expect(await started()).toEqual(["TASK-023-001"]);
    expect(here.call("reject", "assign:TASK-023-002", "--reason", "not now").code).toBe(0);
    expect((await here.log()).map(({ event }) => event)).toContainEqual({
      type: "review_rejected",
      gate_id: "assign:TASK-023-002",
      decider: { by: "ada", how: "person", via: "command" },
      reason: "not now",
    });
    here.call("run", "--last");
    expect(await started()).toEqual(["TASK-023-001"]);
  });

  it("has a plan of high risk approved by a person who has seen it [S3-071]", async () => {
    const here = desk(CONTRACT);
    mkdirSync(join(here.cwd, "governance/registry/rules"), { recursive: true });
    writeFileSync(join(here.cwd, "governance/registry/rules/ours.yaml"), RISKY);
    const waits = here.call("adr", "approve", "ADR-023");
    expect([waits.code, waits.stderr]).toEqual([3, ""]);
    const events = async () => (await here.log()).map(({ event }) => event.type);
    expect(await events()).toContain("plan_frozen");
    expect(await events()).not.toContain("plan_approved");
    expect(here.call("inbox").stdout).toContain("plan");
  });
});

/** Work on features is risky here. */
const RISKY = `- id: warn_features_are_risky
  version: 1.0.0
  status: active
  title: Features are risky
  when: 'command.id == "implement_feature"'
  then:
    decision: warn
    risk: high
    reason: Features are risky here.
`;

describe("what is forbidden", () => {
  it("is not done by a flag, a setting or a builder: source, records [S3-063, S3-065]", async () => {
    const record = "docs/records/0007-notes.md";
    const text = "# ADR-007: Notes\n\nStatus: Accepted\n\n## Tasks\n\n- Document the notes in docs\n";
    const here = asked(
      { ...FILES, [record]: text, [CONTRACT_FILE]: CONTRACT },
      [{ title: "Document the notes in docs", writes: { [record]: "# ADR-007: Other\n" } }],
      { settings: { board: { hq: "src/index.mjs", queue: "decisions/ADR-023.md", sessions: false } } },
    );
    const read = (path: string) => readFileSync(join(here.cwd, path), "utf8");
    for (const [out, action] of [
      ["src/facts.mjs", "write_code"],
      ["decisions/ADR-024.md", "modify_adr"],
    ] as const) {
      const made = here.call("facts", "collect", "--out", out, "--yes");
      expect([made.code, made.stderr]).toEqual([4, expect.stringContaining(`forbidden_actions: ${action}`)]);
    }
    const ran = here.call("adr", "approve", record);
    expect(ran.code).toBe(3);
    // The board is told of, and not written over the source and the record that the settings name.
    expect(ran.stderr).toContain("forbidden_actions: modify_adr");
    expect([read("src/index.mjs"), read("decisions/ADR-023.md")]).toEqual([FILES["src/index.mjs"], RECORD]);
    // Its builder may write docs/**, and not the record it carries out.
    const log = await here.log();
    expect(JSON.stringify(log)).toContain("protect_taken_records");
    expect(log.filter(({ event }) => event.type === "integration_finished")).toEqual([]);
  });
});

describe("adr watch", () => {
  it("carries out what was accepted, by a contract that assigns by itself; not without that trigger [S3-009, S3-060]", async () => {
    const here = desk(CONTRACT);
    expect(here.call("adr", "watch", "--once").code).toBe(0);
    writeFileSync(join(here.cwd, "decisions/ADR-025.md"), RECORD.replace("ADR-023", "ADR-025"));
    const watched = here.call("adr", "watch", "--once");
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining("1 picked up")]);
    const approved = (await here.log()).flatMap(({ event }) => (event.type === "plan_approved" ? [event.decider] : []));
    expect(approved).toEqual([{ by: "contract 1.0: auto_assign_tasks", how: "rule" }]);
    writeFileSync(join(here.cwd, CONTRACT_FILE), CONTRACT.replace("  - adr_approved\n", ""));
    const deaf = here.call("adr", "watch", "--once");
    expect([deaf.code, deaf.stderr]).toEqual([4, expect.stringContaining("does not react to adr_approved")]);
  });
});
