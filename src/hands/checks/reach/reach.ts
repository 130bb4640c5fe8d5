import type { CheckResult } from "../../../model/settings/check.js";
import { proofOf } from "../proof.js";
import { findCompiled } from "./compiled.js";
import { type Imports, importsOfJavaScript, importsOfPython, isOfJavaScript, isOfPython } from "./imports.js";

/*
 * Whether checks touch what was changed, as far as that can be known without running anything: by coverage where a check
 * wrote it, by what a build printed that it compiled, by what tests import. Where it cannot be known, nothing is said.
 */

export interface ReachInput {
  /** Files that were changed or added. */
  readonly changed: readonly string[];
  /** Every file of the result, and its text where it is one. */
  readonly paths: readonly string[];
  readonly text: (path: string) => string | null;
  readonly results: readonly CheckResult[];
}

type Reached = boolean | null;

/** The changed files that no check touches. Contract: pure; a file is named only where it is known to be untouched. */
export function findUnreached({ changed, paths, text, results }: ReachInput): string[] {
  const proving = results.filter((result) => proofOf(result).proves);
  const tests = proving.some(({ kind }) => kind === "test");
  const isBuilt = proving.some(({ kind }) => kind === "types" || kind === "build");
  const compiled = findCompiled(proving);
  const javaScript = lazily(() => importsOfJavaScript(paths, text));
  const python = lazily(() => importsOfPython(paths, text));
  const reach = (path: string): Reached => {
    const covered = isCovered(proving, path);
    if (covered !== null) return covered;
    if (proving.some(({ findings }) => findings.some(({ file }) => file === path))) return true;
    if (/\.(?:c|cc|cpp|cxx|h|hh|hpp)$/i.test(path)) return compiled(path, paths, text);
    if (isOfJavaScript(path)) return isBuilt || !tests ? null : isImported(javaScript(), path);
    if (isOfPython(path)) return tests ? isImported(python(), path) : null;
    return null;
  };
  return changed.filter((path) => reach(path) === false).sort();
}

/** By a report of coverage: a file of which no line ran is untouched, and of one it does not list nothing is known. */
function isCovered(results: readonly CheckResult[], path: string): Reached {
  const known = results.flatMap(({ coverage }) => coverage?.filter((one) => one.file === path) ?? []);
  return known.length === 0 ? null : known.some(({ hit }) => hit);
}

/** Where something may be loaded in a way that cannot be read from the text, only what is reached is known. */
function isImported({ reached, isOpaque, isTest }: Imports, path: string): Reached {
  if (isTest(path) || reached.has(path)) return true;
  return isOpaque || reached.size === 0 ? null : false;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
