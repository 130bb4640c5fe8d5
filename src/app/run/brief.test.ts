import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Brief, type BriefDraft, IntentSpec } from "../../model/intent-spec.js";
import { sealBrief } from "../../mind/plan/inputs/brief.js";
import { sha256 } from "../../hands/store/sha256.js";
import { BRIEF_RECORD } from "../../mind/run/record-names.js";
import { contextOf, readBrief } from "./brief.js";
import { intentText } from "../../hands/attempts/prompts/intent-text.js";
import { openRecords } from "../../hands/attempts/run-records.js";

const SPEC = IntentSpec.parse({
  schema_version: "1.0.0",
  id: "IS-export",
  objective: "People can take their list with them.",
  requirements: [
    {
      id: "REQ-1",
      description: "There is an export.",
      verification: { kind: "file_exists", path: "src/export.ts" },
      source: "request: export",
    },
    {
      id: "REQ-2",
      description: "It is told of.",
      verification: { kind: "file_contains", path: "docs/*.md", text: "export" },
      source: "document: docs/style.md",
      priority: "should_have",
    },
    {
      id: "REQ-3",
      description: "It can be called.",
      verification: { kind: "command", run: "sh export.sh" },
      source: "request: export",
    },
    {
      id: "REQ-4",
      description: "It is tested.",
      verification: { kind: "test", name: "exports", check: "unit" },
      source: "request: export",
    },
    { id: "REQ-5", description: "It is typed.", verification: { kind: "check", name: "types" }, source: "fact: ts" },
  ],
  constraints: [{ id: "CON-1", description: "No new dependency.", source: "document: docs/style.md" }],
  out_of_scope: ["Import of lists"],
  assumptions: [{ id: "ASM-1", description: "A list has names.", source: "fact: src/list.ts" }],
  context_refs: [],
});
const brief = (documents: BriefDraft["documents"]) =>
  sealBrief({ request: "Make an export", spec: SPEC, documents, withheld: [] }, sha256);

describe("an Intent Spec as a builder reads it", () => {
  it("says what must hold and how that is found out, what binds, what is not asked for and what is assumed", () => {
    expect(intentText(SPEC)).toBe(`People can take their list with them.

Requirements:
- REQ-1: There is an export. It holds when there is a file \`src/export.ts\`.
- REQ-2 (should have): It is told of. It holds when a file \`docs/*.md\` contains \`export\`.
- REQ-3: It can be called. It holds when \`sh export.sh\` ends with exit code 0.
- REQ-4: It is tested. It holds when a test named "exports" runs and passes in unit.
- REQ-5: It is typed. It holds when the check types passes.

Constraints:
- CON-1: No new dependency.

Not asked for:
- Import of lists

Taken for granted:
- ASM-1: A list has names. (fact: src/list.ts)`);
  });
});

describe("the documents of a brief", () => {
  it("are given as they are, in their order; what is too much is cut at a line and said to be", () => {
    const line = `${"word ".repeat(20)}\n`;
    const long = line.repeat(1000);
    const given = contextOf(
      brief([
        { ref: "a.md", text: "short\n" },
        ...["b.md", "c.md", "d.md", "e.md", "f.md"].map((ref) => ({ ref, text: long })),
      ]),
    );
    expect(given.map(({ ref }) => ref)).toEqual(["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"]);
    expect(given[0]?.text).toBe("short\n");
    const kept = Math.floor(60_000 / line.length) * line.length;
    expect(given[1]?.text).toBe(
      `${long.slice(0, kept)}\n[${long.length - kept} more characters of this document are left out here]`,
    );
    expect(given.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(241_000);
    expect(contextOf(null)).toEqual([]);
  });
});

describe("the brief in a run's records", () => {
  const records = () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-brief-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return openRecords(folder);
  };

  it("is read as it was written, and there need be none", async () => {
    const kept = records();
    expect(await readBrief(kept)).toBeNull();
    await kept.write(BRIEF_RECORD, brief([{ ref: "a.md", text: "short\n" }]));
    expect(await readBrief(kept)).toEqual(brief([{ ref: "a.md", text: "short\n" }]));
  });

  it.each<[string, (whole: Brief) => unknown]>([
    ["a document", (whole) => ({ ...whole, documents: whole.documents.map((each) => ({ ...each, text: "other" })) })],
    ["the spec", (whole) => ({ ...whole, spec: { ...whole.spec, spec: { ...SPEC, objective: "Something else." } } })],
    ["its shape", (whole) => ({ ...whole, documents: "none" })],
  ])("is refused when %s was changed", async (_, change) => {
    const kept = records();
    await kept.write(BRIEF_RECORD, change(brief([{ ref: "a.md", text: "short\n" }])));
    await expect(readBrief(kept)).rejects.toMatchObject({ code: "BRIEF_CHANGED" });
  });
});
