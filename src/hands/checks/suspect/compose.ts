import { shownPath, type Tree, type TreeEntry } from "../../git/records.js";
import type { FileChange } from "./examined.js";
import { parsePackage, composeSteered } from "./package-scripts.js";
import type { Steering } from "./steering-files.js";

/*
 * Trees that no one wrote as a whole: the code of one side judged by the tests of the other.
 */

export interface Composed {
  readonly entries: Tree;
  /** Files that are mixed from both sides, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Contract: every file for which `isJudge` holds as `judges` has it or not at all; all others as `code` has them. */
function composeTree(code: Tree, judges: Tree, isJudge: (path: string) => boolean): Map<string, TreeEntry> {
  const selectJudges = (tree: Tree, which: boolean) => [...tree].filter(([path]) => isJudge(shownPath(path)) === which);
  return new Map([...selectJudges(code, false), ...selectJudges(judges, true)]);
}

/** The result's code with the base's own tests and settings. */
export function composeWithJudgesOfBase(
  base: Tree,
  result: Tree,
  changes: readonly FileChange[],
  isJudge: (path: string) => boolean,
  steering: Steering,
): Composed {
  const texts = new Map<string, string>();
  for (const { path, before, after } of changes) {
    const mixed = path.endsWith("package.json")
      ? mixedPackage(before, after, steering.get(path)?.scripts ?? new Set())
      : mixedRust(path, before, after);
    if (mixed !== null) texts.set(path, mixed);
  }
  return { entries: composeTree(result, base, (path) => isJudge(path) && !texts.has(path)), texts };
}

/** The base's code with the tests of the result. */
export function baseWithNewTests(
  base: Tree,
  result: Tree,
  changes: readonly FileChange[],
  isTest: (path: string) => boolean,
): Composed {
  const texts = new Map<string, string>();
  for (const { path, before, after } of changes) {
    const mixed = mixedRust(path, after, before);
    if (mixed !== null) texts.set(path, mixed);
  }
  return { entries: composeTree(base, result, isTest), texts };
}

/** Dependencies are the result's, because its code needs them; what steers checks is the base's. */
function mixedPackage(before: string | null, after: string | null, scripts: ReadonlySet<string>): string | null {
  const [base, result] = [parsePackage(before), parsePackage(after)];
  return base === null || result === null
    ? null
    : `${JSON.stringify(composeSteered(base, result, scripts), null, 2)}\n`;
}

/** Rust keeps tests in the file they test, in a module of their own: `tests` gives that module, `code` all else. */
function mixedRust(path: string, tests: string | null, code: string | null): string | null {
  if (!path.endsWith(".rs") || tests === null || code === null) return null;
  const [from, to] = [testModule(tests), testModule(code)];
  if (from === null && to === null) return null;
  const rest = to === null ? code : `${code.slice(0, to.begin)}${code.slice(to.end)}`;
  return from === null ? rest : `${rest.trimEnd()}\n\n${tests.slice(from.begin, from.end)}\n`;
}

function testModule(text: string): { readonly begin: number; readonly end: number } | null {
  const match = /#\[cfg\(test\)\]\s*(?:pub\s+)?mod\s+\w+\s*\{/.exec(text);
  if (match === null) return null;
  let depth = 0;
  for (let at = match.index + match[0].length - 1; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return { begin: match.index, end: at + 1 };
  }
  return { begin: match.index, end: text.length };
}
