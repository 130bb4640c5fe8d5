import type { Diagnostic } from "../../model/diagnostic.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";

/** Reports inputs that cannot be read as what they should be. */
export function inputFailure(problems: readonly Diagnostic[]): Finished {
  const files = [...new Set(problems.flatMap(({ file }) => (file === undefined ? [] : [file])))];
  const count = problems.length === 1 ? "is a problem" : `are ${problems.length} problems`;
  return fail(EXIT.invalid, "DOCUMENT_INVALID", `There ${count} in ${files.join(", ") || "what was asked"}`, {
    problems,
  });
}
