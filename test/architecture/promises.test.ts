import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/* The table in SECURITY.md that says which test holds which promise: a test that is renamed or removed takes its row along. */

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const section = readFileSync(file("SECURITY.md"), "utf8").split("\n## Promises and their tests\n")[1] ?? "";
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, promise = "", path = "", name = ""]) => ({ promise, path: path.replaceAll("`", ""), name }));

/** The titles that tests and groups of tests have in a file, as they are written there. */
function titlesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:it|test|describe)\b[^"'`\n]*\(\s*(["'`])((?:\\.|(?!\1).)+)\1/g)].map(
    ([, , title = ""]) => title,
  );
}

describe("the promises of SECURITY.md", () => {
  it("are a table of some length, each with one row", () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(new Set(rows.map(({ promise }) => promise)).size).toBe(rows.length);
  });

  it.each(rows)("$promise", ({ path, name }) => {
    expect(path).toMatch(/\.test\.ts$/);
    expect(existsSync(file(path))).toBe(true);
    // A title may name the requirements it shows, `[S1-086]`.
    const titles = titlesIn(readFileSync(file(path), "utf8")).map((title) => title.replace(/ \[S\d[^\]]*\]$/, ""));
    expect(titles).toContain(name);
  });

  it("are part of the package that people install", () => {
    const { files } = JSON.parse(readFileSync(file("package.json"), "utf8")) as { files: string[] };
    expect(files).toContain("SECURITY.md");
  });
});
