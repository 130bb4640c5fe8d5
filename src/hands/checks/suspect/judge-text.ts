import type { RunTask } from "../../../model/run.js";
import type { FileChange } from "./examined.js";
import { isSameCode, isSourceFile, withoutComments } from "./source-code.js";
import type { Tampering } from "./tampering.js";
import { isDocument, isTestFile } from "./test-files.js";

/* Suspicions that follow from the text of a change alone. */

/** A change of source files that means nothing to a machine, where something was to be built or mended. */
export function onlyComments(changes: readonly FileChange[], type: RunTask["type"]): boolean {
  if (type !== "bugfix" && type !== "feature") return false;
  const code = changes.filter(({ path }) => !isDocument(path) && !isTestFile(path));
  const isIdle = ({ path, before, after }: FileChange) =>
    isSourceFile(path) && isSameCode(path, before ?? "", after ?? "");
  return code.length > 0 && code.every(isIdle);
}

const SKIP =
  /\b(?:skip(?:if|unless|test)?|todo|pending|xfail|disabled|ignore)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(|\.only\b|\bt\.Skip|#\[ignore|@Disabled|@Ignore|skipTest|SkipNow/i;

/** Tests that are left out, where a runner does not say which tests it ran. */
export function findSkippedByText(changes: readonly FileChange[]): Tampering[] {
  return changes.flatMap(({ path, before, after }) => {
    if (after === null) return [];
    const known = new Set((before ?? "").split("\n").map((line) => line.trim()));
    return withoutComments(path, after)
      .split("\n")
      .flatMap((line, index) =>
        SKIP.test(line) && !known.has(line.trim())
          ? [{ path, line: index + 1, what: "leaves tests out, and of the tests only the exit code is known" }]
          : [],
      );
  });
}
