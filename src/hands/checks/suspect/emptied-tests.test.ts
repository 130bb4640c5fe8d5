import { describe, expect, it } from "vitest";
import { emptiedTests } from "./emptied-tests.js";
import { testsIn } from "./test-bodies.js";

const change = (path: string, before: string, after: string) => ({ path, kind: "modified" as const, before, after });
const LANGUAGES: readonly (readonly [string, string, string])[] = [
  ["test/a.test.js", 'it("adds", () => { expect(add(1)).toBe(2); });', 'it("adds", () => { add(1); });'],
  ["test/a.test.ts", "test(`adds`, async t => { t.is(add(1), 2); });", "test(`adds`, async t => { t.pass(); });"],
  [
    "tests/test_a.py",
    "class T:\n  def test_adds(self):\n    assert add(1) == 2\n",
    "class T:\n  def test_adds(self):\n    pass\n",
  ],
  [
    "a_test.go",
    'func TestAdds(t *testing.T) {\n if add(1) != 2 { t.Fatal("x") }\n}',
    "func TestAdds(t *testing.T) {\n add(1)\n}",
  ],
  ["src/lib.rs", "#[test]\nfn adds() { assert_eq!(add(1), 2); }", "#[test]\nfn adds() { add(1); }"],
  [
    "src/test/AddTest.java",
    "class A { @Test void adds() { assertEquals(2, add(1)); } }",
    "class A { @Test void adds() { add(1); } }",
  ],
  ["spec/a_spec.rb", 'it "adds" do\n  expect(add(1)).to eq 2\nend\n', 'it "adds" do\n  add(1)\nend\n'],
  ["tests/test_a.c", "static void test_adds(void) { assert(add(1) == 2); }", "static void test_adds(void) { add(1); }"],
];

describe("tests that keep their names and prove less", () => {
  it.each(LANGUAGES)("%s: the body is emptied", (path, before, after) => {
    expect(testsIn(path, before)).toHaveLength(1);
    expect(emptiedTests([change(path, before, after)]).emptied).toMatchObject([
      { path, how: expect.stringContaining("asserts nothing") as unknown },
    ]);
    expect(emptiedTests([change(path, before, before)]).emptied).toEqual([]);
  });

  it.each([
    ["a constant", "assert.ok(true);"],
    ["the same on both sides", "assert.equal(1, 1);"],
    ["nothing but a comment", "// assert.equal(add(1), 2);"],
    ["an end before it", "return;\n assert.equal(add(1), 2);"],
    ["a condition that never holds", "if (false) { assert.equal(add(1), 2); }"],
    ["a failure that is dropped", "try { assert.equal(add(1), 2); } catch {}"],
  ])("%s is not an assertion", (_, body) => {
    const test = (text: string) => `test("adds", () => {\n ${text}\n});\n`;
    expect(emptiedTests([change("a.test.js", test("assert.equal(add(1), 2);"), test(body))]).emptied).toHaveLength(1);
  });

  it("finds a test again in another file, and lets a better one pass", () => {
    const before = 'test("adds", () => { assert.equal(add(1), 2); });';
    const moved = [
      { path: "test/a.test.js", kind: "deleted" as const, before, after: null },
      { path: "test/b.test.js", kind: "added" as const, before: null, after: 'test("adds", () => {});' },
    ];
    expect(emptiedTests(moved).emptied).toMatchObject([{ path: "test/b.test.js", name: "adds" }]);
    const better = 'test("adds", () => { assert.equal(add(1), 2); assert.equal(add(2), 3); });';
    expect(emptiedTests([change("test/a.test.js", before, better)])).toEqual({ emptied: [], thinner: [] });
    expect(emptiedTests([change("test/a.test.js", better, before)])).toEqual({ emptied: [], thinner: ["adds"] });
  });

  it("sees that a whole file of tests without names cannot fail any more", () => {
    const gone = emptiedTests([change("test/all.sh", "test $(./add 1) = 2 || exit 1\n", "./add 1\n")]);
    expect(gone.emptied).toMatchObject([{ path: "test/all.sh" }]);
    expect(emptiedTests([change("test/fixtures/a.js", "throw new Error();", "a();")]).emptied).toEqual([]);
  });
});
