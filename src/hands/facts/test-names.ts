import { folderOf, kindOfFile, nameOf, stemOf } from "./file-kinds.js";
import type { TreeFile } from "./tree.js";

/* Where the tests of one source file are: by its name, as the project's other tests are called. */

const MARK = /^(?:test_|test-)|(?:[._-](?:test|spec|tests|specs|test-d)|Tests?|Spec)$/g;

/** The name of what a test tests: `total` for `total.test.ts`, `test_total.py`, `TotalTest.java`. */
function nameOfTested(path: string): string {
  return stemOf(path).replaceAll(MARK, "").toLowerCase();
}

/** Existing tests of a source file; where there are none, where one would be. Contract: pure; none where nothing is tested. */
export function testsFor(source: string, files: readonly TreeFile[]): string[] {
  const tests = files
    .map(({ path }) => path)
    .filter((path) => kindOfFile(path) === "test" && !/(?:fixtures?|__snapshots__|data)\//.test(path));
  const stem = stemOf(source).toLowerCase();
  const own = tests.filter((path) => nameOfTested(path) === stem);
  if (own.length > 0 && own.length <= 6) return own;
  const like = nearest(source, tests);
  if (like === undefined) return [];
  const name = nameOf(like);
  const tested = stemOf(like).replaceAll(MARK, "");
  const at = name.indexOf(tested);
  if (tested === "" || at === -1) return [];
  const mine = `${name.slice(0, at)}${stemOf(source)}${name.slice(at + tested.length)}`;
  const folder = folderOf(like) === folderOf(source) ? folderOf(source) : folderOf(like);
  return [folder === "" ? mine : `${folder}/${mine}`];
}

/** The test whose folder has most in common with the file's; of several one that is called a test: `conftest.py` is none. */
function nearest(source: string, tests: readonly string[]): string | undefined {
  const ending = nameOf(source).slice(nameOf(source).lastIndexOf("."));
  let best: string | undefined;
  let most = -1;
  const isCalledATest = (path: string) => nameOfTested(path) !== stemOf(path).toLowerCase();
  for (const path of tests) {
    if (!path.endsWith(ending)) continue;
    const common = path.split("/").findIndex((part, at) => source.split("/")[at] !== part);
    if (common > most || (common === most && best !== undefined && !isCalledATest(best) && isCalledATest(path))) {
      most = common;
      best = path;
    }
  }
  return best ?? tests[0];
}
