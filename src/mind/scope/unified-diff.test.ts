import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseUnifiedDiff, unquote } from "./unified-diff.js";

const folder = mkdtempSync(join(tmpdir(), "scope-diff-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  return execFileSync("git", args, { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 26 });
}

const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "-U0"];

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Git's diff between two sets of files. */
function diffOf(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string {
  rmSync(join(folder, ".git"), { recursive: true, force: true });
  git("init", "-q");
  write(before);
  git("add", "-A", "-f", ".");
  git("write-tree");
  const base = git("write-tree").trim();
  for (const path of Object.keys(before)) rmSync(join(folder, path), { force: true });
  write(after);
  git("add", "-A", "-f", ".");
  const tree = git("write-tree").trim();
  const diff = git(...DIFF, base, tree);
  for (const path of Object.keys(after)) rmSync(join(folder, path), { force: true });
  return diff;
}

const lines = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

describe("parseUnifiedDiff", () => {
  it("reads added, changed and deleted files, names with blanks, quotes and other letters, and binary ones", () => {
    const diff = diffOf(
      { "a b.txt": "one\ntwo\nthree\n", 'q"uo\\te\t.txt': "x\n", "gone.txt": "bye\n", "bin.dat": "\0\x01a" },
      {
        "a b.txt": "one\n2\nthree",
        'q"uo\\te\t.txt': "y\r\n",
        "größe-日本.txt": "neu\n",
        "bin.dat": "\0\x01b",
        "--- a.txt": "--- x\n+++ y\n",
      },
    );
    const { files, problems } = parseUnifiedDiff(diff);
    expect(problems).toEqual([]);
    expect(Object.fromEntries(files.map(({ path, ...rest }) => [path, rest]))).toEqual({
      "a b.txt": {
        binary: false,
        capped: false,
        removed: [
          { line: 2, text: "two" },
          { line: 3, text: "three" },
        ],
        added: [
          { line: 2, text: "2" },
          { line: 3, text: "three" },
        ],
      },
      'q"uo\\te\t.txt': {
        binary: false,
        capped: false,
        removed: [{ line: 1, text: "x" }],
        added: [{ line: 1, text: "y\r" }],
      },
      "gone.txt": { binary: false, capped: false, removed: [{ line: 1, text: "bye" }], added: [] },
      "größe-日本.txt": { binary: false, capped: false, removed: [], added: [{ line: 1, text: "neu" }] },
      "bin.dat": { binary: true, capped: false, removed: [], added: [] },
      "--- a.txt": {
        binary: false,
        capped: false,
        removed: [],
        added: [
          { line: 1, text: "--- x" },
          { line: 2, text: "+++ y" },
        ],
      },
    });
  });

  it("gives back, for any two texts, lines that turn the one into the other", () => {
    const text = fc.array(
      fc.constantFrom("a", "b", "-- a", "++ b", "@@ -1 +1 @@", "", " c", "\\ d", "e\r", "diff --git a/x b/x"),
      { maxLength: 8 },
    );
    const name = fc.constantFrom("plain.txt", "with blank.txt", "é.txt", 'q".txt', "tab\t.txt", "a/b/c.txt");
    fc.assert(
      fc.property(name, text, text, fc.boolean(), (path, before, after, newline) => {
        const [old, now] = [
          before.join("\n") + (before.length > 0 ? "\n" : ""),
          after.join("\n") + (newline && after.length > 0 ? "\n" : ""),
        ];
        const { files, problems } = parseUnifiedDiff(diffOf({ [path]: old }, { [path]: now }));
        expect(problems).toEqual([]);
        const [file] = files;
        expect(files.map((one) => one.path)).toEqual(old === now ? [] : [path]);
        const removed = new Map(file?.removed.map(({ line, text }) => [line, text]));
        const added = new Map(file?.added.map(({ line, text }) => [line, text]));
        const kept = lines(old).filter((content, at) => {
          if (removed.has(at + 1)) expect(removed.get(at + 1)).toBe(content);
          return !removed.has(at + 1);
        });
        const made = lines(now).map((content, at) =>
          added.has(at + 1) ? (added.get(at + 1) as string) : (kept.shift() ?? `missing ${content}`),
        );
        expect(made).toEqual(lines(now));
        expect(kept).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it("says when lines were left out, and when a diff is not whole", () => {
    const many = Array.from({ length: 30 }, (_, i) => `+${i}`).join("\n");
    const diff = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,30 @@\n${many}\n`;
    expect(parseUnifiedDiff(diff, 10).files[0]).toMatchObject({ capped: true, added: { length: 10 } });
    expect(parseUnifiedDiff(diff.slice(0, -20)).problems).toEqual(["the last hunk is not whole"]);
    expect(parseUnifiedDiff("hello\n").problems).toHaveLength(1);
    expect(parseUnifiedDiff("").files).toEqual([]);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (noise) => {
        parseUnifiedDiff(`diff --git ${noise}\n@@ -1 +1 @@\n${noise}`);
        expect(typeof unquote(`"${noise}"`)).toBe("string");
      }),
    );
  });
});
