import type { FileChange } from "./examined.js";
import { assertionsOf, type TestBody, testsIn } from "./test-bodies.js";
import { isTestFile } from "./test-files.js";

/* Tests that keep their names and prove less: what each of them asserted on the base against what it asserts now. */

interface EmptiedTest {
  readonly path: string;
  readonly name: string;
  readonly how: string;
}

interface EmptiedTests {
  readonly emptied: readonly EmptiedTest[];
  /** Tests that assert less, and still something. */
  readonly thinner: readonly string[];
}

/** Contract: pure; a test is found again by its name, wherever among the changed files it stands now. */
export function emptiedTests(changes: readonly FileChange[]): EmptiedTests {
  const tests = changes.filter(({ path }) => isTestFile(path) || isTestSource(path));
  const now = tests.flatMap(({ path, after }) => readBodies(path, after));
  const emptied: EmptiedTest[] = [];
  const thinner: string[] = [];
  for (const { path, before, after } of tests) {
    const had = readBodies(path, before);
    for (const test of had) {
      const same = now.filter(({ name }) => name === test.name);
      const here = same.filter((each) => each.path === path);
      const after =
        (here.length > 0 ? here : same)[had.filter(({ name }) => name === test.name).indexOf(test)] ?? same[0];
      const how = after === undefined ? null : weaker(test, after);
      if (after !== undefined && how !== null) emptied.push({ path: after.path, name: test.name, how });
      else if (after !== undefined && after.asserts < test.asserts) thinner.push(test.name);
    }
    if (had.length === 0 && before !== null && after !== null && isTestFile(path) && !STOOD_ON.test(path)) {
      const count = assertionsOf(path, before);
      if (count > 0 && assertionsOf(path, after) === 0)
        emptied.push({ path, name: path, how: `it could fail in ${count} ways on the base, and cannot now` });
    }
  }
  return { emptied, thinner };
}

/** Files that tests use and that are not tests. */
const STOOD_ON = /(?:^|\/)(?:__)?(?:fixtures?[\w-]*|support|helpers?|data|testdata|mocks?)(?:__)?\//i;

/** Rust keeps tests beside the code. */
const isTestSource = (path: string) => path.endsWith(".rs");

function readBodies(path: string, text: string | null): (TestBody & { readonly path: string })[] {
  return text === null ? [] : testsIn(path, text).map((test) => ({ ...test, path }));
}

function weaker(before: TestBody, after: TestBody): string | null {
  if (before.asserts === 0) return null;
  if (after.asserts === 0) return `it asserts nothing any more, and had ${before.asserts} assertions on the base`;
  if (after.isCutShort && !before.isCutShort) return "it ends before it asserts anything";
  if (after.swallows && !before.swallows) return "a failure in it is caught and dropped";
  return null;
}
