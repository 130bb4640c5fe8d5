import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";
import { CONTRACT } from "./specified.js";

/* PROJECT_HQ.md as whole runs write it, looked at after each thing that has to change it. */

beforeAll(ensureBuilt);

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/index.mjs": "export {};\n",
  "test/index.test.mjs": 'import { test } from "node:test";\ntest("greets", () => {});\ntest("parts", () => {});\n',
  "decisions/ADR-023.md":
    "# ADR-023: Certification tracking\n\nStatus: Accepted\n\n## Implementation Notes\n\n" +
    "- Create certification_completions table\n- Add API endpoint for completion\n- Build completion form UI\n",
  // Each assignment waits, so that the board can be looked at in between.
  "governance/contracts/coordinator.yaml": CONTRACT.replace("auto_assign_tasks: true", "auto_assign_tasks: false"),
  ".gitignore": ".coordinator/\n",
};
const SCRIPT = [
  {
    title: "Create certification_completions table",
    steps: [{ write: "src/table.mjs", text: "export const table = [];\n" }, { say: "FEATURE_COMPLETE" }],
  },
  {
    title: "Add API endpoint for completion",
    // A test of the base is gone: the verifier holds the result.
    steps: [
      { write: "src/endpoint.mjs", text: "export {};\n" },
      { write: "test/index.test.mjs", text: 'import { test } from "node:test";\ntest("greets", () => {});\n' },
      { say: "FEATURE_COMPLETE" },
    ],
  },
];

it("changes by what happens: a record approved, tasks created, done and blocked, a session ended [S3-008, S3-013, S3-016, S3-022, S3-036, S3-037, S3-039, S3-040, S3-041, S3-044]", async () => {
  const desk = asked(FILES, SCRIPT, { settings: { board: {} } });
  const text = () => readFileSync(join(desk.cwd, "PROJECT_HQ.md"), "utf8");
  const section = (title: string) => text().split(`## ${title}\n`)[1]?.split("<!-- coordinator:end")[0] ?? "";
  const rowOf = (id: string) =>
    section("Status Dashboard")
      .split("\n")
      .find((line) => line.startsWith(`| ${id} |`)) ?? "";
  const decisions = () => section("Recent Decisions").trim().split("\n");

  // A record is approved: its tasks are new on the dashboard, with where they come from, and it is on the roadmap.
  expect(desk.call("adr", "approve", "ADR-023").code).toBe(3);
  for (const id of ["001", "002", "003"])
    expect(rowOf(`TASK-023-${id}`)).toMatch(/\| ADR-023 \| FeatureBuilder \| P\d \| queued \|/);
  expect(section("Roadmap")).toContain("- [ ] ADR-023: 0 of 3 tasks done, next TASK-023-001");
  expect(section("Recent Decisions")).toContain("ADR-023 approved: 3 tasks queued");
  expect(section("Current Focus")).toContain("Nobody works on a task.");
  const [updated] = /\*\*Last updated\*\*: \S+ by coordinator/.exec(text()) ?? [];
  const before = { decided: decisions(), sessions: readdirSync(join(desk.cwd, "sessions")).length };
  expect(section("Session History").match(/Session ended: /g)).toHaveLength(before.sessions);

  // A task is done: its row alone changes, with what came of it; the session that did it has ended.
  const others = ["002", "003"].map((id) => rowOf(`TASK-023-${id}`));
  desk.call("approve", "assign:TASK-023-001");
  expect(desk.call("run", "--last").code).toBe(3);
  expect(rowOf("TASK-023-001")).toMatch(/\| completed \| verdict PASS: .*test/);
  expect(["002", "003"].map((id) => rowOf(`TASK-023-${id}`))).toEqual(others);
  expect(section("Roadmap")).toContain("ADR-023: 1 of 3 tasks done, next TASK-023-002");
  expect(section("Session History").match(/Session ended: \[/g)).toHaveLength(before.sessions + 1);
  expect(text()).not.toContain(updated);
  // What was decided before still stands there, and one more.
  expect(section("Recent Decisions")).toContain("assignment of TASK-023-001 approved");
  for (const line of before.decided) expect(decisions()).toContain(line);

  // The verifier says BLOCKED: the task, the reason and the evidence are a blocker, and the task is held.
  desk.call("approve", "assign:TASK-023-002");
  expect(desk.call("run", "--last").code).toBe(3);
  const verdict = (await desk.log()).flatMap(({ event }) =>
    event.type === "verification_finished" && event.task_id === "TASK-023-002" ? [event] : [],
  )[0];
  expect(verdict?.verdict).toBe("BLOCKED");
  const [blocker = ""] = section("Blockers")
    .split("\n")
    .filter((line) => line.startsWith("| TASK-023-002 |"));
  expect(blocker).toContain("| verdict BLOCKED |");
  expect(blocker).toContain("parts");
  expect(rowOf("TASK-023-002")).toContain("| blocked |");
  expect(rowOf("TASK-023-003")).toBe(others[1]);
});
