import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AdrTask } from "../../model/adr.js";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { breakDown } from "./break-down.js";
import { parseAdr } from "./parse-adr.js";

const MODEL = await readLearnedModel("adr");

/* Whatever is thrown at it, the reader answers, the same each time, and what it answers is well formed. */

const PIECES = [
  "---",
  "...",
  "+++",
  "# ",
  "## Status",
  "## 状态",
  "Accepted",
  "Superseded by",
  "[ADR-3](0003-x.md)",
  "[[",
  "]]",
  "](",
  "- ",
  "  - ",
  "1. ",
  "1) ",
  "* [x] ",
  "| a | b |",
  "|---|",
  "```",
  "~~~",
  "<!--",
  "-->",
  "> ",
  "\t",
  "===",
  "**",
  "__",
  "~~",
  "`src/a.ts`",
  "after step 1",
  "## Implementation",
  "### Phase 2: x",
  "Create the table",
  "Write tests",
  "\uD83D",
  "\u0000",
  "\r",
  "\n",
  "\n\n",
  "状态：已接受",
  "status: x",
  "---\n",
  "<b>",
  "(((((",
  ")))))",
  "%",
  "$&",
  "\\",
];

const soup = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 8 })), {
  maxLength: 60,
});
const name = fc.oneof(
  fc.constantFrom(
    "0007-a.md",
    "a.adoc",
    "0007-a.rst",
    "a.org",
    "a".repeat(5_000),
    "docs/2024-01-01-x/README.md",
    "",
    "__",
    "%.md",
  ),
  fc.string(),
);

const RECORD = `---\nstatus: accepted\n---\n# ADR-7: Sign releases\n\n* Status: accepted\n\n## Decision\n\nWe will:\n
1. Create \`a/b.ts\`\n2. Use it after step 1\n   - here\n\n| Task |\n|---|\n| x |\n\n## Consequences\n\n- Good, because\n`;

/** Records in the forms people write, to be cut and put together. */
const KNOWN = [
  RECORD,
  "# ADR-0012 — Kafka\n\n**Status:** Accepted | **Date:** 2025-01-01\n\n## Decision\n\n- **Follow-ups:**\n  - Add a topic\n  - [x] Done\n",
  "= 6. Gradle\n:status: accepted\n\n== Migration\n\n. Convert `pom.xml`\n. Delete it\n\n|===\n|Task |Who\n|Add it |Ana\n|===\n",
  "3. Types\n========\n\n:Status: Superseded by `ADR 9 <0009-x.rst>`_\n\nDecision\n--------\n\n#. Add ``mypy``\n#. Fix it\n",
  "#+TITLE: Backups\n#+STATUS: accepted\n\n* Action items\n- [ ] Create a bucket\n- [X] Cancel it\n",
  "# ADR-0015: 認証\n\n## ステータス\n\n承認済み\n\n## 実装タスク\n\n- テストを追加する\n\n## 影響\n\nWe will need to update the guide.\n",
  "| Status | Accepted |\n|---|---|\n\n## Plan\n\n**Phase 1 – Move**\n\n- Move `a/b.ts`\n\n**Phase 2**\n\n1. Use `a/b.ts`\n",
];

/** Whether the tasks can be done one after the other. */
function isAcyclic(tasks: readonly AdrTask[]): boolean {
  const done = new Set<string>();
  for (let open = [...tasks]; open.length > 0;) {
    const ready = open.filter(({ dependencies }) => dependencies.every(({ task }) => done.has(task)));
    if (ready.length === 0) return false;
    for (const { id } of ready) done.add(id);
    open = open.filter(({ id }) => !done.has(id));
  }
  return true;
}

function wellFormed(text: string, file: string): void {
  const adr = parseAdr(text, file);
  const { tasks } = breakDown(adr, MODEL);
  expect(breakDown(parseAdr(text, file), MODEL).tasks).toEqual(tasks);
  const ids = tasks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const task of tasks) {
    expect(AdrTask.safeParse(task).error).toBeUndefined();
    for (const { task: other } of task.dependencies) expect(ids).toContain(other);
  }
  expect(isAcyclic(tasks)).toBe(true);
  const asked = tasks.map(({ title, description }) => `${title}\n${description}`);
  expect(adr.sections.every(({ stages }) => stages.length === 0) ? new Set(asked).size : asked.length).toBe(
    asked.length,
  );
  if (adr.id !== null) expect(adr.related).not.toContain(adr.id);
}

describe("reading decision records", () => {
  it("answers for any text and any name", () => {
    fc.assert(
      fc.property(soup, name, (parts, file) => wellFormed(parts.join(""), file)),
      { numRuns: 150 },
    );
    fc.assert(
      fc.property(soup, name, (parts, file) => wellFormed(parts.join("\n"), file)),
      { numRuns: 150 },
    );
  });

  it.each(["md", "adoc", "rst", "org", "txt"])(
    "answers for records that were put together and cut, as .%s",
    (ending) => {
      const part = fc.tuple(fc.constantFrom(...KNOWN), fc.nat(600), fc.nat(600));
      fc.assert(
        fc.property(
          fc.array(part, { maxLength: 6 }),
          fc.constantFrom("", "\uFEFF", "\u0000"),
          fc.boolean(),
          (parts, mark, crlf) => {
            const text = mark + parts.map(([known, from, length]) => known.slice(from, from + length)).join("\n");
            wellFormed(crlf ? text.replaceAll("\n", "\r\n") : text, `0007-x.${ending}`);
          },
        ),
        { numRuns: 25 },
      );
    },
  );

  it("reads the same with and without a mark at its beginning, and however its lines end", () => {
    for (const text of KNOWN) {
      const read = (form: string) => {
        const { sections: _, ...adr } = parseAdr(form, "0007-x.md");
        return { ...adr, tasks: breakDown(parseAdr(form, "0007-x.md"), MODEL).tasks };
      };
      expect(read(`\uFEFF${text}`)).toEqual(read(text));
      expect(read(text.replaceAll("\n", "\r\n"))).toEqual(read(text));
      expect(read(text.replaceAll("\n", "\r"))).toEqual(read(text));
    }
  });

  it("answers for a record that was cut, doubled or stirred", () => {
    const place = fc.nat(RECORD.length);
    fc.assert(
      fc.property(place, place, fc.constantFrom(...PIECES), (from, to, piece) => {
        wellFormed(RECORD.slice(from), "0007-x.md");
        wellFormed(RECORD.slice(0, from) + piece + RECORD.slice(to), "0007-x.md");
      }),
      { numRuns: 100 },
    );
  });

  it("never lets tasks wait for each other in a circle, whatever they say of each other", () => {
    const words = [
      "after step 1",
      "after task 3",
      "depends on 2",
      "Create `a.ts`",
      "Use `a.ts`",
      "Add table orders",
      "Add API for orders",
      "orders page",
      "Write tests for orders",
      "Document orders",
    ];
    const entry = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
    const line = fc.oneof(
      entry.map((text) => `- ${text}`),
      entry.map((text) => `1. ${text}`),
      fc.constantFrom("", "### Phase 2: x", "### Phase 1: y", "## Tasks", "## Decision"),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) =>
        wellFormed(`# x\n\n## Tasks\n\n${lines.join("\n")}`, "0007-x.md"),
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ["a title of three units and two characters", "## Implementation\n1) \n\u0000\u{10000}"],
    ["deep lists", Array.from({ length: 800 }, (_, at) => `${" ".repeat(at % 400)}- x`).join("\n")],
    ["a long line", `# ${"[".repeat(50_000)}\n\nStatus: ${"(".repeat(50_000)}`],
    ["many marks", `## Decision\n\n- ${"**a".repeat(5_000)}\n- ${"`a".repeat(5_000)}\n- ${"_ ".repeat(5_000)}`],
    [
      "a long entry",
      `## Decision\n\n- ${"word ".repeat(5_000)}\n- ${"`a/b.ts` ".repeat(5_000)}\n- ${"* ".repeat(5_000)}`,
    ],
    ["many comments", "<!-- x ".repeat(20_000)],
    ["many links", `See ${"[a](".repeat(20_000)}`],
    ["many tasks", `## Tasks\n\n${"1. Create `a/b.ts` and the table\n".repeat(1_500)}`],
    [
      "one line of more sentences than are read",
      `# 7. X\n\n## Consequences\n\n${"We will need to move it. ".repeat(6_000)}`,
    ],
    ["sentences without an end", `## Consequences\n\n${"we must ".repeat(20_000)}\n\n${"a must be ".repeat(20_000)}`],
    ["choices without an end", `## Status\n\n${"**Accepted** | ".repeat(20_000)}\n\n${"取代".repeat(20_000)}`],
    ["names in lists", `## Consequences\n\n${"- **Follow-ups:**\n  - **Follow-ups:**\n    - x\n".repeat(700)}`],
    ["NUL and no lines", "\u0000".repeat(200_000)],
    ["two bytes a letter read as one", Array.from("## Status\n\nAccepted\n").join("\u0000").repeat(500)],
    ["deep quotes", `${">".repeat(20_000)} x\n`.repeat(5)],
    ["lines that end in three ways", "## Tasks\r\n\r- Add a\r\n- Add b\n\r".repeat(500)],
    ["spaces", `## Status\n\n${" ".repeat(50_000)}x\n\n- ${" ".repeat(50_000)}`],
  ])(
    "is done with %s",
    (_, text) => {
      wellFormed(text, "0007-x.md");
    },
    60_000,
  );
});
