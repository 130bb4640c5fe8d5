import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/* The tables in SECURITY.md that say which test holds which promise: a test that is renamed or removed takes its row along. */

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const text = readFileSync(file("SECURITY.md"), "utf8");
const [before = "", section = ""] = text.split("\n## Promises and their tests\n");
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("|") && !/^\| (?:promise +\| test file|-+ \|)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, promise = "", path = "", name = ""]) => ({ promise, path: path.replaceAll("`", ""), name }));

/** The titles that tests and groups of tests have in a file, as they are written there. */
function titlesIn(text: string): string[] {
  const called = /(?:\b(?:it|test|describe)\b[^"'`\n]*|^\s*\](?: as const)?\))\(\s*(["'`])((?:\\.|(?!\1).)+)\1/gm;
  return [...text.matchAll(called)].map(([, , title = ""]) => title);
}

describe("the promises of SECURITY.md", () => {
  it("are tables of some length, each promise with one row", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(new Set(rows.map(({ promise }) => promise)).size).toBe(rows.length);
  });

  it("stand in these tables: no other one names tests, and every file of attacks has its row", () => {
    const others = before.split("\n").filter((line) => line.startsWith("|") && /\.test\.ts|test\/|\| test/.test(line));
    expect(others).toEqual([]);
    const attacks = [...readdirSync(file("test/attacks"), { recursive: true, encoding: "utf8" })]
      .filter((path) => path.endsWith(".test.ts"))
      .map((path) => `test/attacks/${path}`);
    expect(attacks.filter((path) => !rows.some((row) => row.path === path))).toEqual([]);
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
