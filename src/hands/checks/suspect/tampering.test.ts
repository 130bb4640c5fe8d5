import { describe, expect, it } from "vitest";
import { onlyComments, findSkippedByText } from "./judge-text.js";
import { explainShadowing } from "./shadowing.js";
import { dependsOnChance, tamperingIn } from "./tampering.js";

const added = (path: string, after: string) => ({ path, kind: "added" as const, before: null, after });
const modified = (path: string, before: string, after: string) => ({ path, kind: "modified" as const, before, after });

describe("lines of the product that reach for what judges it", () => {
  it.each([
    ["src/a.js", 'require("assert").equal = () => {};'],
    ["src/a.js", 'import a from "node:assert/strict";\na.deepEqual = () => {};'],
    ["src/a.js", "globalThis.expect = () => proxy;"],
    ["src/a.js", "require.cache[x] = y;"],
    ["src/a.js", "if (process.env.VITEST) return 1;"],
    ["a.py", 'setattr(unittest.TestCase, "assertEqual", f)'],
    ["a.py", "class A:\n    def __eq__(self, other):\n        return True"],
    ["a.py", 'if "pytest" in sys.modules: pass'],
    ["a.go", 'if flag.Lookup("test.v") != nil { return }'],
    ["src/a.rs", "if cfg!(test) { return 1; }"],
    ["a.h", "#define assert(x) ((void)0)"],
  ])("%s: %s", (path, text) => {
    expect(tamperingIn([added(path, `${text}\n`)], false)).toHaveLength(1);
  });

  it.each([
    ["src/a.js", 'import assert from "node:assert";\nassert.equal(a, b);'],
    ["src/a.js", "// process.env.VITEST\nprocess.exit(0);"],
    ["a.py", "class A:\n    def __eq__(self, other):\n        return self.a == other.a"],
    ["a.c", "assert(x == 1);"],
  ])("%s may have %s", (path, text) => {
    expect(tamperingIn([added(path, `${text}\n`)], false)).toEqual([]);
  });

  it("looks at what was added, and at ends of the process only where nothing else is known", () => {
    const line = "if (process.env.VITEST) return 1;\n";
    expect(tamperingIn([modified("src/a.js", line, `${line}more();\n`)], false)).toEqual([]);
    expect(tamperingIn([added("src/a.js", "process.exit(0);\n")], true)).toHaveLength(1);
  });

  it("sees chance and time", () => {
    const chance = ["Math.random()", "Date.now()", "random.random()", "rand.Intn(2)", "time.Now()", "srand(1)"];
    expect(chance.map((text) => dependsOnChance([added("src/a.js", text)]))).toEqual(chance.map(() => true));
    expect(dependsOnChance([added("src/a.js", "// Math.random()\nadd(1, 2)")])).toBe(false);
  });
});

describe("what the text of a change says", () => {
  it("is nothing where only comments changed and code was due", () => {
    const comment = modified("a.js", "a();\n", "// why\na();\n");
    expect([onlyComments([comment], "bugfix"), onlyComments([comment], "docs")]).toEqual([true, false]);
    expect(onlyComments([comment, modified("b.js", "a();", "b();")], "bugfix")).toBe(false);
    expect(onlyComments([modified("readme.md", "a", "b")], "bugfix")).toBe(false);
  });

  it("is a test left out where no runner says what ran", () => {
    expect(findSkippedByText([added("test/a.js", 'it.skip("a");\n// skip\n')])).toMatchObject([{ line: 1 }]);
  });

  it.each([
    ["sitecustomize.py", true],
    ["unittest.py", true],
    ["tests/pytest/__init__.py", true],
    ["node_modules/chai/index.js", true],
    ["tests/assert.h", true],
    ["click/types.py", false],
    ["src/assert.js", false],
  ])("a new file %s stands for something tests rely on: %s", (path, expected) => {
    expect(explainShadowing(added(path, "")) !== null).toBe(expected);
  });

  it("is a package that stands for a runner", () => {
    expect(explainShadowing(added("packages/x/package.json", '{"name":"vitest"}'))).toContain("vitest");
    expect(explainShadowing(added("packages/x/package.json", '{"name":"x"}'))).toBeNull();
  });
});
