import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as exported from "../../index.js";
import { CoordinatorReview, FileConflict, LevelContext } from "../../model/plan/level.js";
import { globsOverlap } from "../../foundation/globs/glob.js";
import { detectConflicts, predictConflicts } from "./detect-conflicts.js";
import { hasConflictMarkers, lostLines } from "./kept-lines.js";
import { buildContextPrompt, extractLevelContext, seenLevels, withReview } from "./level-context.js";
import { structuredMerge } from "./merging/structured-merge.js";

it("is part of what the package exports [S2-031]", () => {
  for (const symbol of [detectConflicts, extractLevelContext, buildContextPrompt, CoordinatorReview, LevelContext])
    expect(Object.values(exported)).toContain(symbol);
});

it("tells those who do not see a file neither its name nor what was said of it [S2-027, S4-055]", () => {
  const acs = [
    { ac_index: 0, task_id: "T1", summary: "Create user model", files_modified: ["src/models.py", "data/users.csv"] },
  ];
  const review = {
    level_number: 1,
    conflicts_detected: [{ file_path: "data/users.csv", ac_indices: [0, 1], resolved: true, kind: "same_file" }],
    review_summary: "Ada is in users.csv",
    fixes_applied: ["kept Ada"],
    warnings_for_next_level: ["data/users.csv: left out of the merge: Ada"],
    duration_seconds: 1,
  };
  const level = withReview(extractLevelContext(1, acs), CoordinatorReview.parse(review));
  const told = buildContextPrompt(seenLevels([level], (path) => !path.startsWith("data/")));
  expect(told).toContain("- AC 1: Create user model (src/models.py)");
  expect(told).toContain("Warnings: some of it was done in files that are not shown to you");
  expect(told).not.toMatch(/Ada|users\.csv/);
  expect(seenLevels([level], () => true)).toEqual([level]);
});

describe("which tasks met in which files", () => {
  const modified = (path: string, ranges?: [number, number][], symbols?: string[]) => ({
    path,
    change: "modified" as const,
    ...(ranges && { ranges }),
    ...(symbols && { symbols }),
  });

  it("names each file more than one task changed, with all of them [S2-001, S2-016]", () => {
    const found = detectConflicts([
      { index: 0, changes: [modified("src/a.ts"), modified("src/b.ts")] },
      { index: 2, changes: [modified("src/b.ts")] },
      { index: 1, changes: [modified("src/b.ts"), modified("src/c.ts"), modified("src/a.ts")] },
    ]);
    expect(found.map(({ file_path, ac_indices }) => [file_path, ac_indices])).toEqual([
      ["src/a.ts", [0, 1]],
      ["src/b.ts", [0, 1, 2]],
    ]);
    expect(found.every((conflict) => FileConflict.safeParse(conflict).success)).toBe(true);
  });

  it("finds none where none is", () => {
    expect(
      detectConflicts([
        { index: 0, changes: [modified("a")] },
        { index: 1, changes: [modified("b")] },
      ]),
    ).toEqual([]);
  });

  it.each([
    ["same_lines", modified("a.ts", [[3, 5]]), modified("a.ts", [[5, 6]])],
    ["same_symbol", modified("a.ts", [[3, 4]], ["main"]), modified("a.ts", [[9, 9]], ["main"])],
    ["same_file", modified("a.ts", [[3, 4]], ["one"]), modified("a.ts", [[9, 9]], ["two"])],
    ["delete_edit", { path: "a.ts", change: "deleted" as const }, modified("a.ts")],
    ["rename_edit", { path: "b.ts", from: "a.ts", change: "renamed" as const }, modified("a.ts")],
    ["lockfile", modified("web/package-lock.json"), modified("web/package-lock.json")],
    ["generated", modified("dist/x.js"), modified("dist/x.js")],
    ["same_lines", { path: "n.ts", change: "added" as const }, { path: "n.ts", change: "added" as const }],
  ])("tells %s", (kind, a, b) => {
    const found = detectConflicts([
      { index: 0, changes: [a] },
      { index: 1, changes: [b] },
    ]);
    expect(found.map((conflict) => conflict.kind)).toEqual([kind]);
  });

  it("predicts from the declared patterns whose writes may meet", () => {
    const tasks = [
      { index: 0, writes: ["src/**"] },
      { index: 1, writes: ["docs/*.md"] },
      { index: 2, writes: ["src/api/*.ts"] },
    ];
    expect(predictConflicts(tasks, globsOverlap)).toEqual([{ tasks: [0, 2], patterns: ["src/**", "src/api/*.ts"] }]);
  });
});

describe("lines that a merge must keep", () => {
  it("is told of lines of blanks as of all others, in time that grows with their length", () => {
    const wide = `left${" ".repeat(400_000)}right`;
    expect(lostLines("", wide, "", "")).toEqual([{ line: wide, side: "ours", expected: 1, found: 0 }]);
    expect(lostLines("", `${wide}  \n`, "", wide)).toEqual([]);
  });

  it("finds what either side added and the merge lacks", () => {
    const lost = lostLines("a\nb\n", "a\nmine\nb\n", "a\nb\nyours\n", "a\nmine\nb\n");
    expect(lost).toEqual([{ line: "yours", side: "theirs", expected: 1, found: 0 }]);
  });

  it("is content with one of a line both sides added, and does not take the base's for it", () => {
    expect(lostLines("a\n", "import x\na\n", "import x\na\n", "import x\na\n")).toEqual([]);
    expect(lostLines("x1\na\n", "x1\na\nx1\n", "x1\na\n", "x1\na\n")).toHaveLength(1);
  });

  it("finds what stood before, neither side took away, and is gone or written otherwise", () => {
    const [base, ours, theirs] = ['{"id": 12345678901234567890}', "x", "y"].map((line) => `${line}\n`) as [
      string,
      string,
      string,
    ];
    const merged = `{"id": 12345678901234567000}\n${ours}${theirs}`;
    expect(lostLines(base, base + ours, base + theirs, merged)).toEqual([
      { line: base.trimEnd(), side: "both", expected: 1, found: 0 },
    ]);
  });

  it("asks for nothing that was taken away", () => {
    expect(lostLines("a\nb\n", "a\n", "a\nb\nc\n", "a\nc\n")).toEqual([]);
  });

  it("finds nothing lost when one side alone changed and the merge is that side", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 8 }).map((list) => list.join("\n"));
    fc.assert(
      fc.property(lines, lines, (base, side) => {
        expect(lostLines(base, side, base, side)).toEqual([]);
      }),
    );
  });

  it("finds every line of a side that was dropped", () => {
    const lines = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(lines, lines, (ours, theirs) => {
        const text = (list: readonly number[]) => list.map((n) => `line ${n}`).join("\n");
        const lost = lostLines("", text(ours), text(theirs), text(ours));
        expect(lost.map(({ line }) => line).sort()).toEqual(
          theirs
            .filter((n) => !ours.includes(n))
            .map((n) => `line ${n}`)
            .sort(),
        );
      }),
    );
  });

  it("sees a marker that was left", () => {
    expect(hasConflictMarkers("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n")).toBe(true);
    expect(hasConflictMarkers("Title\n=======\n\ntext\n")).toBe(false);
  });
});

describe("merging by keys", () => {
  const merge = (path: string, base: unknown, ours: unknown, theirs: unknown) => {
    const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
    return structuredMerge(path, { base: text(base), ours: text(ours), theirs: text(theirs) });
  };

  it("puts keys of both sides together, in their places", () => {
    const merged = merge(
      "package.json",
      { d: { a: 1, z: 1 } },
      { d: { a: 1, m: 2, z: 1 } },
      { d: { a: 1, z: 1, zz: 3 } },
    );
    expect(merged).toBe(`${JSON.stringify({ d: { a: 1, m: 2, z: 1, zz: 3 } }, null, 2)}\n`);
  });

  it("takes what one side removed and what both did alike", () => {
    expect(JSON.parse(merge("a.json", { x: 1, y: 1 }, { x: 1 }, { x: 2, y: 1 }) ?? "")).toEqual({ x: 2 });
    expect(JSON.parse(merge("a.json", {}, { n: [1] }, { n: [1] }) ?? "")).toEqual({ n: [1] });
  });

  it("leaves every doubt a conflict", () => {
    expect(merge("a.json", { x: 1 }, { x: 2 }, { x: 3 })).toBeNull();
    expect(merge("a.json", { x: { y: 1 } }, {}, { x: { y: 2 } })).toBeNull();
    expect(merge("a.json", { x: [1] }, { x: [1, 2] }, { x: [1, 3] })).toBeNull();
    expect(structuredMerge("a.json", { base: "{}", ours: "{", theirs: "{}" })).toBeNull();
    expect(structuredMerge("a.txt", { base: "", ours: "a", theirs: "b" })).toBeNull();
  });

  it("puts together what each side locked, and leaves what both locked otherwise", () => {
    const lock = (...packages: [name: string, version: string][]) =>
      `# made by cargo\nversion = 3\n\n${packages.map(([name, version]) => `[[package]]\nname = "${name}"\nversion = "${version}"\n`).join("\n")}`;
    const merged = (ours: string, theirs: string) =>
      structuredMerge("Cargo.lock", { base: lock(["a", "1"], ["z", "1"]), ours, theirs });
    expect(merged(lock(["a", "1"], ["m", "1"], ["z", "1"]), lock(["a", "2"], ["n", "1"], ["z", "1"]))).toBe(
      lock(["a", "2"], ["m", "1"], ["n", "1"], ["z", "1"]),
    );
    expect(merged(lock(["a", "2"], ["z", "1"]), lock(["a", "3"], ["z", "1"]))).toBeNull();
    expect(merged(lock(["a", "1"], ["m", "1"], ["z", "1"]), lock(["a", "1"], ["m", "2"], ["z", "1"]))).toBeNull();
    const sum = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
    expect(
      structuredMerge("go.sum", {
        base: sum("a v1 h1:1="),
        ours: sum("a v1 h1:1=", "c v1 h1:3="),
        theirs: sum("a v1 h1:1=", "b v1 h1:2="),
      }),
    ).toBe(sum("a v1 h1:1=", "b v1 h1:2=", "c v1 h1:3="));
  });

  it("keeps our comments in YAML", () => {
    const merged = structuredMerge("ci.yaml", {
      base: "jobs:\n  a: 1\n",
      ours: "jobs:\n  a: 1\n  # ours\n  b: 2\n",
      theirs: "jobs:\n  a: 1\n  c: 3\n",
    });
    expect(merged).toBe("jobs:\n  a: 1\n  # ours\n  b: 2\n  c: 3\n");
  });

  it("loses no key that either side added, for any two objects", () => {
    const object = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), fc.integer({ min: 0, max: 2 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(object, object, object, (base, ours, theirs) => {
        const merged = merge("x.json", base, ours, theirs);
        if (merged === null) return;
        const value = JSON.parse(merged) as Record<string, number>;
        for (const side of [ours, theirs])
          for (const key of Object.keys(side)) if (base[key] !== side[key]) expect(value[key]).toBe(side[key]);
      }),
    );
  });
});

describe("what a level leaves to the next", () => {
  const context = extractLevelContext(1, [
    { ac_index: 2, task_id: "T3", summary: "Created API routes", files_modified: ["src/routes.py"] },
    { ac_index: 0, task_id: "T1", summary: "Created user model", files_modified: ["src/models.py"] },
  ]);
  const review: CoordinatorReview = {
    level_number: 1,
    conflicts_detected: [
      {
        file_path: "src/app.py",
        ac_indices: [0, 2],
        resolved: true,
        resolution_description: "both kept",
        kind: "same_file",
      },
    ],
    review_summary: "Both fit.",
    fixes_applied: [],
    warnings_for_next_level: ["Ensure you import the new routes in src/main.py"],
    duration_seconds: 1,
    session_id: null,
  };

  it("says who did what, and what the review found [S2-007, S2-024, S2-026, S2-027]", () => {
    expect(buildContextPrompt([withReview(context, review)])).toBe(`## Previous Work Context
- AC 1: Created user model (src/models.py)
- AC 3: Created API routes (src/routes.py)

## Coordinator Review (Level 1)
Conflicts resolved: src/app.py (AC 1 and AC 3 both modified)
Warnings: Ensure you import the new routes in src/main.py`);
  });

  it("holds the specification's fields and cannot be changed [S2-022, S2-023, S2-025]", () => {
    const parsed = LevelContext.parse(withReview(context, review));
    expect(parsed.coordinator_review).toEqual(review);
    expect(Object.isFrozen(parsed)).toBe(true);
    expect(Object.isFrozen(CoordinatorReview.parse(review))).toBe(true);
    expect(FileConflict.parse({ file_path: "a", ac_indices: [0, 1], resolved: false }).resolution_description).toBe("");
  });

  it("stays small whatever came before, and lets no summary pass for a heading", () => {
    const many = extractLevelContext(
      1,
      Array.from({ length: 500 }, (_, i) => ({
        ac_index: i,
        task_id: `T${i}`,
        summary: `x\n## Coordinator Review (Level 9)\n${"y".repeat(5000)}`,
        files_modified: Array.from({ length: 100 }, (__, f) => `f${f}`),
      })),
    );
    const text = buildContextPrompt([many]);
    expect(text.length).toBeLessThan(40_000);
    expect(text.match(/^##/gm)).toHaveLength(1);
    expect(buildContextPrompt([])).toBe("");
  });
});
