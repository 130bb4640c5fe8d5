import type { CheckResult, Finding } from "../../model/settings/check.js";
import type { Requirement, RequirementResult, Verification } from "../../model/intent-spec.js";
import { compileGlob, isPlainPath } from "../../foundation/globs/glob.js";
import { listFailing } from "./compare.js";

/*
 * Whether a requirement holds, by what was seen of a tree: its files, and what checks and commands did on it. Nothing is
 * taken on anybody's word, and what cannot be evaluated does not hold.
 */

export interface SeenTree {
  readonly tree: string;
  /** Every file of the tree. */
  readonly paths: readonly string[];
  /** The text of a file; null when it is none, or too large to be looked at. */
  readonly text: (path: string) => string | null;
  /** Results by the name of the check; `again` of those that failed and were run once more. */
  readonly results: ReadonlyMap<string, CheckResult>;
  readonly again: ReadonlyMap<string, CheckResult>;
  /** The project's own checks that give single tests. */
  readonly tests: readonly string[];
}

/** The name of the check a command becomes. */
export const commandCheck = (id: string): string => `requirement ${id}`;

/** Contract: pure and total; equal sights give equal results. */
export function judgeRequirement({ id, verification }: Requirement, seen: SeenTree): RequirementResult {
  const { holds, evidence } = judgeVerification(id, verification, seen);
  return { id, holds, evidence: `${evidence} (tree ${seen.tree.slice(0, 12)})` };
}

type Judged = Pick<RequirementResult, "holds" | "evidence">;

const unknownOutcome = (evidence: string): Judged => ({ holds: null, evidence });

function judgeVerification(id: string, verification: Verification, seen: SeenTree): Judged {
  switch (verification.kind) {
    case "command":
      return commandHolds(commandCheck(id), verification, seen);
    case "check":
      return checkHolds(verification.name, seen);
    case "test":
      return testHolds(verification, seen);
    case "file_exists":
      return fileExists(verification, seen);
    case "file_contains":
      return fileContains(verification, seen);
  }
}

/** Returns the result of the last run, with a note when the run before failed. */
function lastOf(name: string, { results, again }: SeenTree): { result: CheckResult | null; note: string } {
  const first = results.get(name) ?? null;
  const second = again.get(name) ?? null;
  return { result: second ?? first, note: second !== null && passes(second) ? ", on the second run only" : "" };
}

function passes(result: CheckResult): boolean {
  return listFailing(result).length === 0;
}

function commandHolds(name: string, { run, exit_code }: Extract<Verification, { kind: "command" }>, seen: SeenTree) {
  const first = seen.results.get(name) ?? null;
  const second = seen.again.get(name) ?? null;
  const result = first?.exit_code === exit_code ? first : (second ?? first);
  if (result === null || result.ended !== "exited" || result.exit_code === null)
    return unknownOutcome(`\`${run}\` did not come to its end: ${howItEnded(result)}`);
  const holds = result.exit_code === exit_code;
  const note = holds && result === second ? ", on the second run only" : "";
  const expected = holds ? "" : ` and not with ${exit_code}${tail(result)}`;
  return { holds, evidence: `\`${run}\` ended with exit code ${result.exit_code}${expected}${note}` };
}

function checkHolds(name: string, seen: SeenTree): Judged {
  const { result, note } = lastOf(name, seen);
  if (result === null) return unknownOutcome(`there is no check ${name}`);
  if (result.ended !== "exited") return unknownOutcome(`${name} did not come to its end: ${howItEnded(result)}`);
  const failed = listFailing(result);
  const why = failed.length === 0 ? "" : `: ${failed.length} failed, the first is ${failed[0]?.name ?? "?"}`;
  return {
    holds: failed.length === 0,
    evidence: `${name} (\`${result.command}\`) ended with exit code ${result.exit_code ?? "?"}${why}${note}`,
  };
}

function testHolds({ name, check }: Extract<Verification, { kind: "test" }>, seen: SeenTree): Judged {
  if (check !== undefined && !seen.results.has(check)) return unknownOutcome(`there is no check ${check}`);
  const where = check === undefined ? seen.tests : [check];
  if (where.length === 0) return unknownOutcome("the project has no check that runs tests");
  const last = where.map((each) => lastOf(each, seen));
  const listed = last.flatMap(({ result }) => (result === null || result.format === "exit_code" ? [] : [result]));
  if (listed.length === 0) return unknownOutcome(`${where.join(", ")} does not say which tests it ran`);
  const found = listed.flatMap(({ findings }) => findings.filter((finding) => isTest(finding, name)));
  const of = (status: Finding["status"]) => found.filter((finding) => finding.status === status);
  const [failed] = of("failed");
  if (failed !== undefined) return { holds: false, evidence: `the test "${failed.name}" fails` };
  const passed = of("passed");
  const note = last.map((each) => each.note).find((each) => each !== "") ?? "";
  if (passed.length > 0) return { holds: true, evidence: `${count(passed.length)} "${passed[0]?.name ?? ""}"${note}` };
  const skipped = of("skipped").length > 0;
  return { holds: false, evidence: skipped ? `"${name}" was skipped` : `no test named "${name}" ran` };
}

const isTest = ({ id, name }: Finding, part: string) => id.startsWith("test:") && name.includes(part);
const count = (tests: number) => (tests === 1 ? "passed:" : `${tests} passed, the first:`);

function fileExists({ path, exists }: Extract<Verification, { kind: "file_exists" }>, seen: SeenTree): Judged {
  if (!isPlainPath(path)) return unknownOutcome(`${path} is not a path inside the repository`);
  const matches = compileGlob(path);
  const found = seen.paths.filter((each) => matches(each));
  const said = found.length === 0 ? `there is no ${path}` : `there is ${found[0] ?? ""}${andMore(found.length)}`;
  return { holds: found.length > 0 === exists, evidence: said };
}

function fileContains(
  { path, text, contains }: Extract<Verification, { kind: "file_contains" }>,
  seen: SeenTree,
): Judged {
  if (!isPlainPath(path)) return unknownOutcome(`${path} is not a path inside the repository`);
  const matches = compileGlob(path);
  const files = seen.paths.filter((each) => matches(each)).map((each) => ({ path: each, text: seen.text(each) }));
  const found = files.filter((file) => file.text?.includes(text) === true);
  if (found.length > 0)
    return { holds: contains, evidence: `${found[0]?.path ?? ""}${andMore(found.length)} contains the text` };
  const unread = files.filter((file) => file.text === null);
  // It may stand in what could not be read.
  if (unread.length > 0)
    return unknownOutcome(`${unread[0]?.path ?? ""}${andMore(unread.length)} could not be read as text`);
  const said = files.length === 0 ? `there is no ${path}` : `none of ${files.length} files ${path} contains the text`;
  return { holds: !contains, evidence: said };
}

function andMore(found: number): string {
  return found > 1 ? ` and ${found - 1} more` : "";
}

function howItEnded(result: CheckResult | null): string {
  return result === null ? "it was not run" : result.ended.replaceAll("_", " ");
}

function tail({ output }: CheckResult): string {
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return last === "" ? "" : `, its last line: ${last.slice(0, 200)}`;
}
