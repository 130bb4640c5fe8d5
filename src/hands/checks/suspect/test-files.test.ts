import { describe, expect, it } from "vitest";
import { isDocument, isInSourceFolder, isTestFile } from "./test-files.js";

describe("files of tests, by convention", () => {
  it.each([
    "test/a.js",
    "src/sum.test.ts",
    "src/sum.spec.tsx",
    "types.test-d.ts",
    "pkg/__tests__/x.js",
    "src/__snapshots__/a.snap",
    "tests/data/expected.txt",
    "test_sums.py",
    "sums_test.py",
    "conftest.py",
    "mux_test.go",
    "pkg/testdata/golden.json",
    "spec/models/user_spec.rb",
    "src/main/FooTest.java",
    "tests.c",
    "test-parse.c",
    "test.js",
  ])("%s is one", (path) => {
    expect(isTestFile(path)).toBe(true);
  });

  it.each(["src/testing/store.ts", "latest.js", "src/contest.py", "attest.go", "src/sum.ts", "docs/testing.md"])(
    "%s is none",
    (path) => {
      expect(isTestFile(path)).toBe(false);
    },
  );

  it("tells documents and folders of products apart", () => {
    expect(["readme.md", "CHANGES.rst", "LICENSE", "docs/a.svg"].every(isDocument)).toBe(true);
    expect(isDocument("src/a.ts")).toBe(false);
    expect([isInSourceFolder("src/a.ts"), isInSourceFolder("scripts/a.ts")]).toEqual([true, false]);
  });
});
