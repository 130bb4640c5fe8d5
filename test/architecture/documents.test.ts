import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const wordsIn = (path: string) =>
  [...read(path).matchAll(/^\| (\*\*.+?\*\*) +\| (.+?) +\|$/gm)].map(([, word = ""]) => word);

describe("the documents that come first", () => {
  it("CONTEXT.md has at most 50 words, none of them twice", () => {
    const words = wordsIn("CONTEXT.md").flatMap((row) => row.split(" / "));
    expect(words.length).toBeGreaterThan(30);
    expect(words.length).toBeLessThanOrEqual(50);
    expect(new Set(words).size).toBe(words.length);
  });

  it("a word is explained once, in CONTEXT.md or in docs/architecture/words.md", () => {
    const rooms = wordsIn("docs/architecture/words.md");
    expect(rooms.length).toBeGreaterThan(30);
    expect(rooms.filter((word) => wordsIn("CONTEXT.md").includes(word))).toEqual([]);
  });

  it("ARCHITECTURE.md has at most 12 KB", () => {
    expect(Buffer.byteLength(read("ARCHITECTURE.md"))).toBeLessThanOrEqual(12_000);
  });

  it("ARCHITECTURE.md and src/app/coordinator.ts name the same files for each stage", () => {
    const map = [...read("ARCHITECTURE.md").matchAll(/^\| (\d+) (\w+) .*\| `(\S+)` +\| `(\S+)` +\|$/gm)];
    const contents = [
      ...read("src/app/coordinator.ts").matchAll(/^ \* +(\d+) (\w+) .*?((?:mind|hands)\/\S+) +(\S+)$/gm),
    ];
    const stages = (rows: readonly RegExpMatchArray[]) => rows.map(([, ...cells]) => cells);
    expect(map.length).toBe(10);
    expect(stages(contents)).toEqual(stages(map));
  });
});
