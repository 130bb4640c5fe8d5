import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { AdrSource } from "../../src/model/request-origin.js";
import { WorkQueue } from "../../src/model/work-queue.js";
import { sha256 } from "../../src/hands/store/sha256.js";
import { ensureBuilt } from "../build.js";
import { asked, type Asked } from "./asked.js";

/* From one decision record to a proven result. */

beforeAll(ensureBuilt);

const record = (status: string, number = "023") => `# ADR-${number}: Certification tracking

## Status

${status}

## Context

People finish certifications, and nobody writes it down.

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
  "decisions/ADR-023.md": record("Accepted"),
  ".gitignore": ".coordinator/\n",
};
const TASKS = [
  { title: "Create certification_completions table", writes: { "src/table.mjs": "export const table = [];\n" } },
  { title: "Add API endpoint for completion", writes: { "src/endpoint.mjs": 'export * from "./table.mjs";\n' } },
  { title: "Build completion form UI", writes: { "src/form.mjs": 'export * from "./endpoint.mjs";\n' } },
  {
    title: "Write tests",
    writes: {
      "test/form.test.mjs":
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { table } from "../src/form.mjs";\n' +
        'test("the form reaches the table", () => assert.deepEqual(table, []));\n',
    },
  },
];

/** The record a run was begun with, as its log has it. */
async function source(desk: Asked): Promise<AdrSource | null> {
  for (const { event } of await desk.log())
    if (event.type === "message_sent" && event.message.type === "planning_request")
      return AdrSource.parse(event.message.payload.context["adr"]);
  return null;
}

/** As a person begins: the contract and the settings are written by `init`, and the agent is named. */
function setUp(desk: Asked): void {
  const file = join(desk.cwd, "coordinator.yaml");
  rmSync(file);
  const made = desk.call("init", "--agent", "scripted", "--board", "--yes");
  expect([made.code, made.stderr]).toEqual([0, ""]);
  const { agents: _, ...settings } = parse(readFileSync(file, "utf8")) as { agents: object; checks: object[] };
  expect(settings.checks).toHaveLength(1);
  writeFileSync(file, stringify(settings));
  desk.git("add", ".");
  desk.git("commit", "-qm", "Set up");
}

describe("adr approve", () => {
  it("carries out the four tasks of ADR-023 in their order, each proven before the next, with queue, board and handoff [S3-001, S3-003, S3-014, S3-072, S3-073, S3-080]", async () => {
    const desk = asked(FILES, TASKS);
    setUp(desk);
    const ran = desk.call("adr", "approve", "ADR-023");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const events = (await desk.log()).map(({ event }) => event);
    const frozen = events.find(({ type }) => type === "plan_frozen");
    expect(frozen).toMatchObject({
      plan: {
        tasks: [
          { task_id: "TASK-023-001", builder: "feature_builder", dependencies: [] },
          { task_id: "TASK-023-002", builder: "feature_builder", dependencies: ["TASK-023-001"] },
          { task_id: "TASK-023-003", builder: "feature_builder" },
          { task_id: "TASK-023-004", builder: "test_writer" },
        ],
      },
    });
    const reasons = frozen?.type === "plan_frozen" ? frozen.plan.tasks.map(({ description }) => description ?? "") : [];
    expect(reasons[1]).toContain("It waits for TASK-023-001: the service needs the data under it.");
    expect(reasons[2]).toContain("It waits for TASK-023-002: the interface needs the service under it.");
    for (const id of ["001", "002", "003"])
      expect(reasons[3]).toContain(`It waits for TASK-023-${id}: it tests what TASK-023-${id} makes.`);
    const story = events.flatMap((event) =>
      event.type === "attempt_started" || event.type === "verification_finished" || event.type === "review_finished"
        ? [`${event.type} ${event.task_id.slice(-3)}`]
        : [],
    );
    expect(story).toEqual(
      ["001", "002", "003", "004"].flatMap((id) => [
        `attempt_started ${id}`,
        `verification_finished ${id}`,
        `review_finished ${id}`,
      ]),
    );
    expect(events.filter((event) => event.type === "verification_finished" && event.verdict !== "PASS")).toEqual([]);

    // What people look at says the same: the queue, the board, and the handoff of the session that has ended.
    const read = (path: string) => readFileSync(join(desk.cwd, path), "utf8");
    const queue = WorkQueue.parse(JSON.parse(read("tasks/work_queue.json")));
    expect(queue.tasks).toMatchObject(
      TASKS.map(({ title }, i) => ({ id: `TASK-023-00${i + 1}`, adr: "ADR-023", title, status: "completed" })),
    );
    expect(queue.tasks.map(({ agent }) => agent)).toEqual([...Array(3).fill("FeatureBuilder"), "TestWriter"]);
    expect(queue.tasks[1]?.dependencies).toEqual(["TASK-023-001"]);
    const began = queue.tasks.map(({ started_at }) => started_at ?? "");
    expect(began, "one after the other").toEqual(began.toSorted());
    expect(read("PROJECT_HQ.md")).toContain("ADR-023: 4 of 4 tasks done");
    const handoffs = readdirSync(join(desk.cwd, "sessions"));
    expect(handoffs).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d-001\.md$/)]);
    const handoff = read(join("sessions", handoffs[0] ?? ""));
    for (const { id } of queue.tasks) expect(handoff).toContain(`| ${id} |`);

    // Each builder was told its task, its promise, its files and tests, and how often it may go back to its work.
    const orders = desk.orders((await desk.runs())[0] ?? "");
    for (const { id, title, type, completion_promise, files, tests, estimated_iterations } of queue.tasks) {
      const { prompt } = orders[id] ?? { prompt: "" };
      expect(prompt).toContain(`You are a ${type === "test" ? "TestWriter" : "FeatureBuilder"}.`);
      expect(prompt).toContain(`## Your task: ${title}\nIt is ${id} (${type}, ADR-023).`);
      expect(prompt).toContain(`with this line and nothing else on it:\n${completion_promise}`);
      expect(prompt).toContain(`at most ${(estimated_iterations ?? 0) * 2} turns`);
      expect([...(files ?? []), ...(tests ?? [])].length).toBeGreaterThan(0);
      for (const path of files ?? []) expect(prompt).toContain(`- \`${path}\``);
      for (const path of tests ?? []) expect(prompt).toContain(`- \`${path}\`, tests of this task`);
    }

    const text = FILES["decisions/ADR-023.md"];
    expect(readFileSync(join(desk.cwd, "decisions/ADR-023.md"), "utf8"), "a record is never edited").toBe(text);
    expect(await source(desk)).toEqual({
      label: "ADR-023",
      file: "decisions/ADR-023.md",
      checksum: sha256(text),
      status: "accepted",
      approved_by: "ada",
    });
    const again = desk.call("adr", "approve", "decisions/ADR-023.md", "--yes");
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining("ADR_TAKEN")]);
    writeFileSync(join(desk.cwd, "decisions/ADR-023.md"), `${text}- Tell everybody\n`);
    expect(desk.call("adr", "list").stdout).toContain("! changed  ADR-023 is not what run_");
    expect(desk.json("adr", "check", "decisions/ADR-023.md")).toMatchObject({ taken: { changed: true } });
  });

  it("takes a person's word for a proposed record, and nobody's for one that is dead", async () => {
    const desk = asked(
      {
        ...FILES,
        "decisions/ADR-023.md": record("Proposed"),
        "decisions/ADR-024.md": record("Rejected", "024"),
        "decisions/ADR-025.md": record("Superseded by ADR-026", "025"),
        "decisions/ADR-027.md": "# ADR-027: Nothing\n\n## Status\n\nAccepted\n",
      },
      [],
    );
    for (const command of [
      ["plan", "--adr"],
      ["run", "--adr"],
    ])
      expect(desk.call(...command, "decisions/ADR-023.md")).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("coordinator adr approve decisions/ADR-023.md"),
      });
    for (const [number, why] of [
      ["024", "was rejected"],
      ["025", "is superseded by"],
      ["027", "asks for nothing"],
    ])
      expect(desk.call("adr", "approve", `decisions/ADR-${number}.md`)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(why ?? ""),
      });
    expect(await desk.runs()).toEqual([]);
    const approved = desk.call("adr", "approve", "decisions/ADR-023.md", "--by", "grace");
    expect([approved.code, approved.stderr]).toEqual([3, ""]);
    expect(await source(desk)).toMatchObject({ status: "proposed", approved_by: "grace" });
    const plan = desk.json("plan", "--adr", "decisions/ADR-027.md");
    expect(plan).toMatchObject({ type: "error", code: "ADR_WITHOUT_TASKS" });
  });

  it("keeps as a correction which tasks a person changed in the record before it was planned again", () => {
    const desk = asked(FILES, []);
    const file = join(desk.cwd, "decisions/ADR-023.md");
    const text = readFileSync(file, "utf8");
    expect(desk.call("plan", "--adr", "decisions/ADR-023.md", "--out", "../first").code).toBe(0);
    expect(existsSync(join(desk.cwd, ".coordinator/corrections.jsonl"))).toBe(false);
    expect(text).toContain("Write tests");
    writeFileSync(file, text.replace("Write tests", "Document the form in docs/form.md"));
    const again = desk.call("plan", "--adr", "decisions/ADR-023.md", "--out", "../second");
    expect(again.code, again.stdout + again.stderr).toBe(0);
    const kept = readFileSync(join(desk.cwd, ".coordinator/corrections.jsonl"), "utf8").trim().split("\n");
    expect(kept.map((line) => JSON.parse(line) as object)).toMatchObject([
      { kind: "task", decided: { category: "task" }, chosen: { category: "none" } },
      { kind: "task", decided: { category: "none" }, chosen: { category: "task" } },
    ]);
    expect(desk.call("stats").stdout).toContain("2 tasks");
  });

  it("names the record and its checksum in the lineage of the plan", () => {
    const desk = asked(FILES, []);
    const { audit } = desk.json("plan", "--adr", "decisions/ADR-023.md") as { audit: object[] };
    expect(JSON.stringify(audit)).toContain(`adr://ADR-023@sha256:${sha256(FILES["decisions/ADR-023.md"])}`);
  });
});

describe("adr watch", () => {
  it("picks up what was accepted since, each once, whatever dies in between [S3-009]", async () => {
    const desk = asked({ ...FILES, "decisions/ADR-030.md": record("Proposed", "030") }, []);
    const first = desk.call("adr", "watch", "--once");
    expect([first.code, first.stdout]).toEqual([
      0,
      "ADRs: 0 picked up, 0 changed, 1 accepted before the first watch\n",
    ]);
    writeFileSync(join(desk.cwd, "decisions/ADR-030.md"), record("Accepted", "030"));
    desk.dieAt("store.before_commit");
    expect(desk.call("adr", "watch", "--once").code, "killed before the run was begun").toBeNull();
    expect(await desk.runs()).toEqual([]);
    desk.dieAt("store.after_commit");
    expect(desk.call("adr", "watch", "--once").code, "killed when it was begun, before anybody was told").toBeNull();
    expect(await desk.runs()).toHaveLength(1);
    const last = desk.call("adr", "watch", "--once");
    expect([last.code, last.stdout]).toEqual([0, first.stdout]);
    expect(await desk.runs()).toHaveLength(1);
    expect(await source(desk)).toMatchObject({ label: "ADR-030", approved_by: "the record" });
    expect((await desk.log()).map(({ event }) => event.type)).toContain("plan_frozen");
  });
});
