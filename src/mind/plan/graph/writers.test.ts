import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globsOverlap } from "../../../foundation/globs/glob.js";
import { Writers } from "./writers.js";

const segment = fc.constantFrom("src", "lib", "api", "docs", "a", "b", ".env");
const file = fc.constantFrom("a.ts", "b.ts", "a.md", "Makefile", "x.test.ts", "data.typescript", ".env");
const tail = fc.constantFrom("*", "**", "*.ts", "a.*", "?.ts", "{a,b}.ts", "*.test.ts", "**/*.md", "**/a.ts", "");
const directory = fc.array(segment, { maxLength: 2 }).map((parts) => parts.map((part) => `${part}/`).join(""));
const literal = fc.tuple(directory, file).map(([where, name]) => where + name);
const glob = fc.tuple(directory, tail).map(([where, end]) => (where + end === "" ? "**" : where + end));
const pattern = fc.oneof(literal, glob);

/** Who must come after whom, through others or directly. */
function reach(patterns: readonly string[], exact: number): boolean[][] {
  const writers = new Writers(exact);
  const reached = patterns.map(() => patterns.map(() => false));
  for (const [second, path] of patterns.entries())
    for (const { writer: first } of writers.add(second, path)) {
      (reached[first] as boolean[])[second] = true;
      for (const row of reached) if (row[first]) row[second] = true;
    }
  return reached;
}

describe("Writers", () => {
  it("connects any two writers whose patterns overlap, directly or through others [S4-101]", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 2, maxLength: 14 }), (patterns) => {
        const reached = reach(patterns, 1e9);
        for (const [i, first] of patterns.entries())
          for (const [j, second] of patterns.entries())
            if (i < j && globsOverlap(first, second)) expect(reached[i]?.[j], `${first} and ${second}`).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("still does when no exact comparison is left: then there may be edges too many, never one too few", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 2, maxLength: 12 }), fc.nat(6), (patterns, exact) => {
        const reached = reach(patterns, exact);
        for (const [i, first] of patterns.entries())
          for (const [j, second] of patterns.entries())
            if (i < j && globsOverlap(first, second)) expect(reached[i]?.[j], `${first} and ${second}`).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("joins nobody who writes other plain files [S4-101]", () => {
    fc.assert(
      fc.property(fc.uniqueArray(literal, { maxLength: 20 }), (files) => {
        expect(reach(files, 0).flat()).not.toContain(true);
      }),
    );
  });

  it("names no clash between patterns that do not overlap, while comparisons are left", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 14 }), (patterns) => {
        const writers = new Writers(1e9);
        for (const [i, path] of patterns.entries())
          for (const clash of writers.add(i, path))
            expect(clash.pattern === path || globsOverlap(clash.pattern, path)).toBe(true);
      }),
    );
  });

  it("leads a later writer only to the last of a chain that writes one file", () => {
    const writers = new Writers(100);
    const clashes = ["src/a.ts", "src/a.ts", "src/a.ts"].map((path, i) => writers.add(i, path).map((c) => c.writer));
    expect(clashes).toEqual([[], [0], [1]]);
  });
});
