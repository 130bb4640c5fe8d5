import { describe, expect, it } from "vitest";
import { baseWithNewTests, composeWithJudgesOfBase } from "./compose.js";
import { isTestFile } from "./test-files.js";

const tree = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, oid]) => [path, { mode: "100644", oid }]));
const shown = (entries: ReadonlyMap<string, { readonly oid: string }>) =>
  Object.fromEntries([...entries].map(([path, { oid }]) => [path, oid]));

describe("trees of both sides", () => {
  const base = tree({ "a.js": "1", "test/a.js": "1", "test/old.js": "1" });
  const result = tree({ "a.js": "2", "b.js": "2", "test/a.js": "2", "test/new.js": "2" });

  it("have the result's code and the base's tests", () => {
    const { entries } = composeWithJudgesOfBase(base, result, [], isTestFile, new Map());
    expect(shown(entries)).toEqual({ "a.js": "2", "b.js": "2", "test/a.js": "1", "test/old.js": "1" });
  });

  it("have the base's code and the result's tests", () => {
    const { entries } = baseWithNewTests(base, result, [], isTestFile);
    expect(shown(entries)).toEqual({ "a.js": "1", "test/a.js": "2", "test/new.js": "2" });
  });

  it("mix a package.json: scripts and settings of the base, dependencies of the result", () => {
    const text = (json: object) => JSON.stringify(json);
    const change = {
      path: "package.json",
      kind: "modified" as const,
      before: text({ scripts: { test: "jest" }, jest: { bail: true } }),
      after: text({ scripts: { test: "true", other: "x" }, dependencies: { a: "1" } }),
    };
    const steer = { checks: new Set(["test"]), why: "", scripts: new Set(["test"]), tools: new Set<string>() };
    const { texts } = composeWithJudgesOfBase(base, result, [change], isTestFile, new Map([["package.json", steer]]));
    expect(JSON.parse(texts.get("package.json") ?? "")).toEqual({
      scripts: { test: "jest", other: "x" },
      jest: { bail: true },
      dependencies: { a: "1" },
    });
  });

  it("mix a file of Rust, which holds its tests", () => {
    const before = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n  fn old() {}\n}\n";
    const after = "fn a() { b() }\n\n#[cfg(test)]\nmod tests {\n  fn new() {}\n}\n";
    const change = { path: "src/a.rs", kind: "modified" as const, before, after };
    const byBase = composeWithJudgesOfBase(base, result, [change], isTestFile, new Map()).texts.get("src/a.rs");
    expect([byBase?.includes("b()"), byBase?.includes("fn old"), byBase?.includes("fn new")]).toEqual([
      true,
      true,
      false,
    ]);
    const onBase = baseWithNewTests(base, result, [change], isTestFile).texts.get("src/a.rs");
    expect([onBase?.includes("b()"), onBase?.includes("fn new")]).toEqual([false, true]);
  });
});
