import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AdrTask } from "../../src/model/adr.js";
import { jsonLines, piped } from "./piped.js";
import { coordinator, coordinatorJson, snapshot, workFolder } from "./program.js";

const RATE = `# 7. Limit the rate of requests

## Status

Accepted

## Decision

We will:

1. Create the table \`limits\`
2. Add an endpoint that reads it
`;
const QUEUE = "---\nstatus: proposed\n---\n# One queue\n\n## Implementation\n\n- Add a queue\n";
const OLD = "# 2. Many queues\n\nStatus: Superseded by [ADR-8](0008-one-queue.md)\n\n## Tasks\n\n- Add queues\n";

function project(files: Readonly<Record<string, string>>): string {
  const cwd = workFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  return cwd;
}

const RECORDS = {
  "docs/adr/0007-rate.md": RATE,
  "docs/adr/0008-one-queue.md": QUEUE,
  "docs/adr/0002-many-queues.md": OLD,
  "docs/adr/README.md": "# Our records\n",
  "docs/adr/template.md": "# Title\n\n## Status\n\nProposed\n",
};

const FIELDS = "file id title status superseded_by related tasks consequences diagnostics".split(" ");

describe("adr check", () => {
  it("prints one JSON object a record and changes nothing [S3-010, S3-011]", async () => {
    const cwd = project(RECORDS);
    const before = snapshot(cwd);
    const { code, stdout } = await coordinator(
      ["adr", "check", "docs/adr/0007-rate.md", "docs/adr/0008-one-queue.md", "--json"],
      { cwd },
    );
    expect(code).toBe(0);
    const [rate, queue] = jsonLines(stdout);
    expect(rate).toMatchObject({ type: "adr", id: "7", adr: "ADR-0007", status: "accepted", held: null });
    const tasks = AdrTask.array().parse(rate?.["tasks"]);
    expect(tasks.map(({ dependencies }) => dependencies)).toEqual([
      [],
      [{ task: "TASK-0007-001", reason: "the record numbers them in this order" }],
    ]);
    expect(queue).toMatchObject({ id: "8", status: "proposed", held: expect.stringContaining("is proposed") });
    expect(snapshot(cwd)).toEqual(before);
  });

  it("shows each record to a person in a block of its own, and the counts", async () => {
    const cwd = project(RECORDS);
    const { code, stdout } = await coordinator(
      ["adr", "check", "docs/adr/0007-rate.md", "docs/adr/0002-many-queues.md"],
      {
        cwd,
      },
    );
    expect(code).toBe(0);
    expect(stdout).toContain("+ accepted  ADR-0007  Limit the rate of requests");
    expect(stdout).toContain("      after TASK-0007-001: the record numbers them in this order");
    expect(stdout).toContain("Held: ADR-0002 is superseded by 8: it gives no tasks.");
    expect(stdout).toContain("ADRs: 2 read, 2 tasks ready, 0 held");
  });

  it("gives every file an object of the same fields, whatever is wrong with some [S3-010]", async () => {
    const cwd = project({ ...RECORDS, "docs/adr/0007-limits.md": RATE, "nul.md": "# A\u0000b\n\nStatus: accepted\n" });
    const files = ["docs/adr/0007-rate.md", "docs/adr", "none.md", "docs/adr/0007-rate.md/x.md", "nul.md"];
    const { code, stdout } = await coordinator(["adr", "check", ...files, "--json"], { cwd });
    expect(code).toBe(2);
    const records = jsonLines(stdout);
    expect(records.map(({ file }) => file)).toEqual(files);
    for (const one of records) expect(Object.keys(one)).toEqual(expect.arrayContaining(FIELDS));
    expect(records.map(({ diagnostics }) => (diagnostics as { code: string }[]).map(({ code: name }) => name))).toEqual(
      [["ADR_NUMBER_SHARED"], ["FILE_UNREADABLE"], ["FILE_NOT_FOUND"], ["FILE_NOT_FOUND"], ["ADR_DECISION_MISSING"]],
    );
    expect(records[0]).toMatchObject({ id: "7", adr: "ADR-0007-rate", tasks: [{ id: "TASK-0007-rate-001" }, {}] });
    expect(records[1]).toMatchObject({
      status: null,
      tasks: [],
      message: expect.stringContaining("it is a directory"),
    });
  });

  it("tells which files cannot be read, exit code 2, and reads the others", async () => {
    const cwd = project({ ...RECORDS, "bad.md": "" });
    writeFileSync(join(cwd, "bad.md"), Buffer.from([0x23, 0x20, 0xff, 0xfe]));
    const { code, stdout } = await coordinator(
      ["adr", "check", "none.md", "bad.md", "docs/adr/0007-rate.md", "--json"],
      {
        cwd,
      },
    );
    expect(code).toBe(2);
    expect(jsonLines(stdout)).toMatchObject([
      { type: "error", file: "none.md", code: "FILE_NOT_FOUND" },
      { type: "error", file: "bad.md", code: "DOCUMENT_ENCODING" },
      { type: "adr", id: "7" },
    ]);
    expect((await coordinator(["adr", "check", "docs"], { cwd })).code).toBe(2);
    expect((await coordinator(["adr", "check"], { cwd })).code).toBe(2);
  });

  it("reads records as JSON lines, one record out for each", async () => {
    const lines = [{ file: "adr/0007-rate.md", text: RATE }, { file: "none.md" }, { text: RATE }];
    const { code, stdout } = await piped(
      ["adr", "check", "-", "--batch"],
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
    expect(code).toBe(2);
    expect(jsonLines(stdout)).toMatchObject([
      { type: "adr", line: 1, id: "7" },
      { type: "error", line: 2, code: "FILE_NOT_FOUND" },
      { type: "error", line: 3, code: "DOCUMENT_INVALID" },
    ]);
    expect((await coordinator(["adr", "check", "a", "b", "--batch"])).code).toBe(2);
  });
});

describe("adr list", () => {
  it("names the files it cannot read, and reads other markups", async () => {
    const cwd = project({
      ...RECORDS,
      "docs/adr/0009-pages.adoc": "= Pages\n\n* Status: proposed\n",
      "docs/adr/0010-empty.md": "",
    });
    writeFileSync(join(cwd, "docs/adr/0011-wide.md"), Buffer.from("\uFEFF# Wide", "utf16le"));
    mkdirSync(join(cwd, "docs/adr/0012-folder.md"));
    const { stdout, code } = await coordinator(["adr", "list"], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/ADR-0009\s+proposed\s+\(0\)\s+Pages/);
    expect(stdout).toMatch(/ADR-0010\s+none/);
    expect(stdout).toMatch(/unread\s+docs\/adr\/0011-wide\.md is not valid UTF-8/);
    expect(stdout).toContain("5 read");
  });

  it("finds the records of a project and says where each stands", async () => {
    const cwd = project(RECORDS);
    const { code, stdout } = await coordinator(["adr", "list"], { cwd });
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 6)).toEqual([
      "ADR       STATUS      TASKS  TITLE",
      "ADR-0002  superseded    (0)  Many queues",
      "ADR-0007  accepted        2  Limit the rate of requests",
      "ADR-0008  proposed      (1)  One queue",
      "",
      "ADRs: 3 read, 2 tasks ready, 1 held; from docs/adr",
    ]);
  });

  it("looks where .adr-dir says, and in the folder that is named", async () => {
    const cwd = project({ ".adr-dir": "notes/choices\n", "notes/choices/0001-a.md": RATE, "x/0003-b.md": QUEUE });
    const found = await coordinatorJson(["adr", "list"], { cwd });
    expect(found.json).toMatchObject({ type: "adr_list", records: [{ file: "notes/choices/0001-a.md" }] });
    const named = await coordinatorJson(["adr", "list", "x"], { cwd });
    expect(named.json).toMatchObject({ records: [{ file: "x/0003-b.md", id: "3" }] });
    const dated = project({ "docs/decisions/2026-01-02-sign/README.md": RATE.replace("7. ", "") });
    expect((await coordinatorJson(["adr", "list"], { cwd: dated })).json).toMatchObject({
      records: [{ id: "2026-01-02-sign" }],
    });
  });

  it("says where it looked when there is none", async () => {
    const { code, stderr } = await coordinator(["adr", "list"], { cwd: workFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain("There are no decision records in .");
    expect(stderr).toContain(".adr-dir, docs/adr");
  });
});

it("the records of this project are read without a problem", async () => {
  const { code, json } = await coordinatorJson(["adr", "list", "docs/adr"]);
  expect(code).toBe(0);
  const records = json["records"] as { file: string; diagnostics: unknown[]; status: string }[];
  expect(records.length).toBeGreaterThan(5);
  for (const { file, diagnostics, status } of records) {
    expect(diagnostics, file).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain(`status: ${status}`);
  }
});
