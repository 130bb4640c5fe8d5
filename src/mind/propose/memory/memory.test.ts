import { array, assert, constantFrom, integer, option, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryPack } from "../../../model/settings/packs.js";
import { decisionNote, handoffNote, type MemoryNote, mergeNotes, runNote } from "./notes.js";
import { selectMemory } from "./select-memory.js";

const note = (ref: string, text: string, more: Partial<MemoryNote> = {}): MemoryNote => ({ ref, text, ...more });
const chosen = (notes: readonly MemoryNote[], text: string, files: readonly string[] = []) =>
  selectMemory({ notes: [...notes] }, { text, files }).map(({ ref }) => ref);

describe("selectMemory", () => {
  const notes = [
    note("decision:csv", "Decided: orders are exported as CSV with a header line."),
    note("decision:login", "Decided: people log in with a link by mail."),
    note("run:billing", "Asked: mend the invoice totals", { files: ["src/billing/total.ts"] }),
    note("run:readme", "Asked: tidy the readme"),
  ];

  it("chooses by words in common, and nothing that has none", () => {
    expect(chosen(notes, "Export the orders of a customer as CSV")).toEqual(["decision:csv"]);
    expect(chosen(notes, "Login by mail is slow")).toEqual(["decision:login"]);
    expect(chosen(notes, "Make it blue")).toEqual([]);
    expect(selectMemory(null, { text: "orders", files: [] })).toEqual([]);
  });

  it("chooses by files in common, those that are named in the words too", () => {
    expect(chosen(notes, "Round it", ["src/billing/total.ts"])).toEqual(["run:billing"]);
    expect(chosen(notes, "Round it in src/billing/total.ts, please")).toEqual(["run:billing"]);
    const [first] = selectMemory({ notes }, { text: "Round src/billing/total.ts", files: [] });
    expect(first?.why).toContain("same files: src/billing/total.ts");
  });

  it("puts the younger of two equal ones first, and never the young before the telling", () => {
    const old = note("run:a", "Asked: export orders", { at: "2025-01-01T00:00:00Z" });
    const young = note("run:b", "Asked: export orders", { at: "2026-01-01T00:00:00Z" });
    expect(chosen([old, young], "export orders")).toEqual(["run:b", "run:a"]);
    const other = note("run:c", "Asked: export invoices", { at: "2026-06-01T00:00:00Z" });
    expect(chosen([old, other], "export orders by day")[0]).toBe("run:a");
  });

  it("passes over words that stand in nearly every note", () => {
    const many = Array.from({ length: 20 }, (_, i) => note(`run:${i}`, `Asked: deploy number ${i}`));
    expect(chosen(many, "deploy")).toEqual([]);
    expect(chosen([...many, note("run:x", "Asked: deploy the beacon")], "deploy the beacon")).toEqual(["run:x"]);
  });

  it("keeps within its bounds, whole notes only, and depends on nothing else", () => {
    const words = constantFrom("order", "export", "login", "src/a.ts", "invoice", "mail");
    const any = record({
      ref: string({ minLength: 3, maxLength: 6 }),
      text: array(words, { minLength: 1, maxLength: 6 }).map((list) => list.join(" ")),
      at: option(integer({ min: 10, max: 28 }), { nil: undefined }).map((day) =>
        day === undefined ? undefined : `2026-01-${day}T00:00:00Z`,
      ),
    }).map(({ at, ...rest }): MemoryNote => (at === undefined ? rest : { ...rest, at }));
    assert(
      property(array(any, { maxLength: 40 }), array(words), integer({ min: 0, max: 5 }), (list, asked, most) => {
        const about = { text: asked.join(" "), files: [] };
        const limits = { notes: most, characters: 60 };
        const first = selectMemory({ notes: list }, about, limits);
        expect(first.length).toBeLessThanOrEqual(most);
        expect(first.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(60);
        for (const { ref, text } of first)
          expect(list.some((each) => each.ref === ref && each.text === text)).toBe(true);
        expect(selectMemory({ notes: list }, about, limits)).toEqual(first);
      }),
      { numRuns: 200 },
    );
  });
});

describe("notes", () => {
  it("fit into a pack, whatever they are made of", () => {
    const long = "🦉".repeat(9000);
    const found = [
      decisionNote({ file: `docs/${long}.md`, label: "ADR-1", title: "x", text: long }),
      handoffNote("sessions/2026-99-99.md", long),
      runNote({ run_id: "run_abcd", request: long, status: "failed", reason: "no", at: null, tasks: [] }),
    ];
    const pack = {
      schema_version: "1.0.0",
      pack_id: "memory_test",
      project_id: "p",
      collected_at: "2026-01-01T00:00:00Z",
    };
    const many = Array.from({ length: 1500 }, (_, i) => note(`run:${i}`, "x", { kind: "run" }));
    const notes = mergeNotes([], [...found, ...many]);
    expect(MemoryPack.safeParse({ ...pack, notes, history: [] }).error).toBeUndefined();
    expect(notes[0]?.kind).toBe("decision");
  });

  it("say what a run was asked, how it ended and which files it might write", () => {
    const tasks = [{ title: "Round totals", scope: { write: ["src/total.ts"] } as never }];
    const at = "2026-01-01T00:00:00Z";
    expect(runNote({ run_id: "run_abcd", request: "Mend it", status: "completed", reason: "", at, tasks })).toEqual({
      ref: "run:run_abcd",
      kind: "run",
      text: "Asked: Mend it — completed. Tasks: Round totals",
      at,
      files: ["src/total.ts"],
    });
  });
});
