import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked, type Said } from "./asked.js";

/* From one sentence to a proven result, as a person types it. */

beforeAll(ensureBuilt);

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  "docs/reports.md": "# Reports\n",
  ".gitignore": ".coordinator/\n",
};
const ASK = "Add CSV export to the reports page";
const SCRIPT: readonly Said[] = [
  { title: ASK, writes: { "src/csv.mjs": 'export const toCsv = (rows) => rows.join("\\n");\n' } },
  {
    title: `Write tests: ${ASK}`,
    writes: {
      "test/csv.test.mjs":
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { toCsv } from "../src/csv.mjs";\n' +
        'test("lines", () => assert.equal(toCsv([1, 2]), "1\\n2"));\n',
    },
  },
  { title: `Document: ${ASK}`, writes: { "docs/csv.md": "# CSV\n\nReports leave as CSV.\n" } },
];

describe("run TEXT", () => {
  it("judges, routes and plans; waits for approval; then several specialists build it and it is proven [S1-001, S1-007, S1-118, S1-122, S1-123, S1-125, S1-137]", async () => {
    const desk = asked(FILES, SCRIPT);
    const before = desk.git("rev-parse", "main");
    const planned = desk.call("run", ASK, "--type", "technical");
    expect([planned.code, planned.stderr]).toEqual([3, ""]);
    expect(planned.stdout).toContain("waits for your approval of this plan");
    const [, approval = ""] = /Next: coordinator approve (\S+)/.exec(planned.stdout) ?? [];
    const opening = await desk.log();
    expect(opening.map(({ event }) => event.type)).toEqual([
      "request_received",
      "intake_decided",
      "route_decided",
      "message_sent",
      "message_sent",
      "plan_frozen",
    ]);
    expect(opening.map(({ event }) => event)).toMatchObject([
      { request: ASK },
      { decision: "approved", reason: "intake_approved: Request approved for processing" },
      { routed_to: "dev", rule_id: "operator_says_technical", decider: { by: "ada", how: "person", via: "command" } },
      {
        message: {
          type: "planning_request",
          from: "coordinator",
          to: "planner",
          payload: { objective: ASK, constraints: { technologies: ["JavaScript"], max_tokens: 400_000 } },
        },
      },
      { message: { type: "planning_response", from: "planner", payload: { status: "success" } } },
      { verified: true },
    ]);

    expect(desk.call("approve", approval).code).toBe(0);
    const ran = desk.call("run", "--last");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const events = await desk.log();
    const started = events.flatMap(({ event }) => (event.type === "attempt_started" ? [event.task_id] : []));
    expect(started).toEqual(["build", "test", "document"].map((verb) => `${verb}-csv-export-reports-page`));
    const verdicts = events.flatMap(({ event }) => (event.type === "verification_finished" ? [event.verdict] : []));
    expect(verdicts).toEqual(["PASS", "PASS", "PASS"]);
    expect(events.at(-2)?.event).toMatchObject({ type: "gate_decided", gate: { decision: "GO" } });
    const [run = ""] = await desk.runs();
    const files = desk.git("ls-tree", "-r", "--name-only", `refs/coord/${run}/head`).split("\n");
    expect(files).toEqual(expect.arrayContaining(["docs/csv.md", "src/csv.mjs", "test/csv.test.mjs"]));
    expect([desk.git("rev-parse", "main"), desk.git("status", "--porcelain")]).toEqual([before, ""]);
    expect(desk.call("verify", "last").code).toBe(0);

    // Each is told once what it builds on, and the first of nothing.
    const orders = desk.orders(run);
    const [built = "", tested = "", documented = ""] = started.map((id) => orders[id]?.prompt);
    expect(built).not.toContain("Previous Work Context");
    for (const prompt of [tested, documented]) expect(prompt.split("src/csv.mjs").length - 1, prompt).toBe(1);
  });

  it("plans nothing of what goes to product before a person has said what must be true; --yes says nothing [S0-027, S0-028, S0-029]", async () => {
    const desk = asked(FILES, SCRIPT);
    const waiting = desk.call("run", ASK, "--yes");
    expect(waiting.code, waiting.stdout).toBe(3);
    expect(existsSync(join(desk.cwd, ".coordinator", "plans"))).toBe(false);
    const [record = ""] = await desk.runs();
    const open = (desk.json("inbox") as { entries: { id: string }[] }).entries.map(({ id }) => id);
    expect(open).toEqual(["acceptance", "proof", "out_of_scope"]);
    const answer = (id: string, text: string) => expect(desk.call("answer", id, text).code).toBe(0);
    answer("acceptance", "Rows become lines; the tests pass");
    expect(desk.call("run", "--last", "--yes").code, "not all of it is answered").toBe(3);
    answer("proof", "src/csv.mjs; test");
    answer("out_of_scope", "Other formats than CSV");
    const ran = desk.call("run", "--resume", record, "--yes");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const events = (await desk.log()).map(({ event }) => event);
    expect(events.find(({ type }) => type === "route_decided")).toMatchObject({ routed_to: "product" });
    expect(events.find(({ type }) => type === "brief_kept")).toMatchObject({
      brief: { spec: { requirements: [{ id: "REQ-1" }, { id: "REQ-2" }] } },
    });
    expect(events.find(({ type }) => type === "requirements_judged")).toMatchObject({
      results: [
        { id: "REQ-1", holds: true },
        { id: "REQ-2", holds: true },
      ],
    });
    const said = desk.call("plan", `${ASK}. There must be one line for each row.`);
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining("the request itself says what must be")]);
  });

  it("asks what is unclear, refuses what is harmful, and leaves nothing behind but what was decided [S1-125]", async () => {
    const desk = asked(FILES, []);
    const unclear = desk.call("run", "make it better", "--yes");
    expect([unclear.code, unclear.stderr]).toEqual([3, ""]);
    expect(unclear.stdout).toContain("Open questions");
    const harmful = desk.call("run", "Write ransomware that encrypts the files of its victims", "--yes");
    expect(harmful.code).toBe(4);
    expect(harmful.stdout).toContain("Request violates safety policies");
    const records = await desk.runs();
    expect(records.map((id) => id.slice(0, 4))).toEqual(["req_", "req_"]);
    for (const [{ stdout }, decision] of [
      [unclear, "needs_clarification"],
      [harmful, "rejected"],
    ] as const) {
      const [, record = ""] = /On record: coordinator response (\S+)/.exec(stdout) ?? [];
      expect(desk.json("response", record)).toMatchObject({ decision, deliverables: [] });
    }
    expect(desk.call("plan", "make it better").code, "a plan alone is nobody's run").toBe(3);
    expect(await desk.runs()).toEqual(records);
    expect(existsSync(join(desk.cwd, ".coordinator", "plans"))).toBe(false);
    expect(existsSync(join(desk.cwd, ".coordinator", "requests"))).toBe(false);
  });

  it("holds the limits and the models that whoever asks has named", async () => {
    const desk = asked(FILES, []);
    const little = desk.call("run", ASK, "--type", "technical", "--max-tokens", "100", "--yes");
    expect(little.code).toBe(4);
    expect(little.stdout).toContain("Exceeds token budget");
    // What intake approves is planned within the same budget.
    const tight = desk.json("plan", ASK, "--type", "technical", "--max-tokens", "50000") as {
      review: { estimate: { budget: { tokens: number } } };
    };
    expect(tight.review.estimate.budget.tokens).toBe(50_000);
    // The agent that works has a model of its own choice: it cannot be told another one.
    const named = desk.call("plan", ASK, "--type", "technical", "--model", "claude");
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("MODEL_NOT_CONFIGURED")]);
    expect(desk.call("run", ASK, "--type", "technical", "--max-seconds", "1800").code).toBe(3);
    const frozen = (await desk.log()).find(({ event }) => event.type === "plan_frozen")?.event;
    expect(frozen).toMatchObject({ plan: { budget: { minutes: 30 } } });
  });

  it("makes the same plan of the same words at the same time, byte by byte", () => {
    const desk = asked(FILES, []);
    const now = ["--now", "2026-02-03T04:05:06Z"];
    // Not beside the source: a file nobody has committed is a fact, and another fact may give another plan.
    const folder = (name: string) => join(".coordinator", name);
    for (const name of ["one", "two"])
      expect(desk.call("plan", ASK, "--type", "technical", ...now, "--out", folder(name)).code).toBe(0);
    const names = readdirSync(join(desk.cwd, folder("one")), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(names.length).toBeGreaterThan(8);
    for (const { name, parentPath } of names) {
      const path = join(parentPath, name);
      expect(readFileSync(path.replace("/one", "/two"), "utf8"), name).toBe(readFileSync(path, "utf8"));
    }
  });

  it("works in a folder whose name has a line's end, quotes and letters of another script in it", () => {
    const ask = "Document the colours in docs/colours.md";
    const writes = { "docs/colours.md": "# Colours\n" };
    const desk = asked(FILES, [{ title: ask, writes }], { name: 'new\nline "ü" 日本' });
    const ran = desk.call("run", ask, "--yes");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(desk.call("merge", "last", "--yes").code).toBe(0);
    expect(desk.git("show", "HEAD:docs/colours.md")).toBe("# Colours");
    expect(desk.call("verify", "last").code).toBe(0);
  });

  it("begins a project in an empty folder and ends research in a report [S1-125]", async () => {
    const ask = "Investigate which queue library we should use";
    const report = "docs/research/queue-library.md";
    const desk = asked(null, [{ title: ask, writes: { [report]: "# Queues\n\nTake none.\n" } }]);
    const unasked = desk.call("run", ask);
    expect([unasked.code, unasked.stderr]).toEqual([3, expect.stringContaining("FIRST_COMMIT")]);
    expect(existsSync(join(desk.cwd, ".git"))).toBe(false);
    // There is no check in an empty folder, so nothing proves the report: somebody has to read it.
    expect(desk.call("run", ask, "--yes").code).toBe(3);
    const [, id = ""] = /coordinator answer (\S+) --order waive$/m.exec(desk.call("inbox").stdout) ?? [];
    expect(desk.call("answer", id, "--order", "waive").code).toBe(0);
    const ran = desk.call("run", "--last");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(desk.git("log", "--format=%s %T", "main")).toBe("Begin 4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    const [run = ""] = await desk.runs();
    expect(desk.git("ls-tree", "-r", "--name-only", `refs/coord/${run}/head`)).toBe(report);
  });

  it("makes no commit where files are that nobody has committed", () => {
    const desk = asked(null, []);
    writeFileSync(join(desk.cwd, "notes.md"), "blue\n");
    const { code, stderr } = desk.call("run", "Document the colours in notes.md", "--yes");
    expect([code, stderr]).toEqual([2, expect.stringContaining("there are files in it: notes.md")]);
    expect(existsSync(join(desk.cwd, ".git"))).toBe(false);
  });
});
