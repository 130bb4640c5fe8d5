import { describe, expect, it } from "vitest";
import { importGraph } from "./neighbours.js";

const graph = (files: Readonly<Record<string, readonly string[]>>) =>
  importGraph(new Map(Object.entries(files).map(([path, imports]) => [path, { names: [], imports }])));

describe("the neighbours of a file", () => {
  it.each([
    [
      "by relative paths",
      { "src/a.ts": ["./b.js", "../lib/index.js"], "src/b.ts": [], "lib/index.ts": [] },
      "src/a.ts",
      ["lib/index.ts", "src/b.ts"],
    ],
    [
      "by a folder that is meant by its index",
      { "src/a.ts": ["./b"], "src/b/index.ts": [] },
      "src/b/index.ts",
      ["src/a.ts"],
    ],
    [
      "by dots in front",
      { "p/a.py": [".b", "from . import c, d"], "p/b.py": [], "p/c.py": [], "q/d.py": [] },
      "p/a.py",
      ["p/b.py", "p/c.py"],
    ],
    [
      "by dotted names",
      { "src/p/a.py": ["p.sub.b"], "src/p/sub/b.py": [], "other/b.py": [] },
      "src/p/sub/b.py",
      ["src/p/a.py"],
    ],
    [
      "by names of classes",
      { "m/x/A.java": ["com.x.B"], "m/com/x/B.java": [], "n/B.java": [] },
      "m/x/A.java",
      ["m/com/x/B.java"],
    ],
    ["by headers", { "a.c": ["a.h"], "a.h": [], "fuzz/f.c": ["../a.h"] }, "a.h", ["a.c", "fuzz/f.c"]],
    [
      "by what is required",
      { "lib/rake.rb": ["rake/task"], "lib/rake/task.rb": [] },
      "lib/rake/task.rb",
      ["lib/rake.rb"],
    ],
  ] as const)("are found %s", (_, files, path, expected) => {
    expect(graph(files).neighboursOf(path)).toEqual(expected);
  });

  it("are not what has only the same last name", () => {
    expect(graph({ "a.py": ["os.path"], "x/path.py": [] }).neighboursOf("a.py")).toEqual([]);
    expect(graph({ "a/m.py": ["json"], "b/json.py": [], "c/json.py": [] }).neighboursOf("a/m.py")).toEqual([]);
  });
});
