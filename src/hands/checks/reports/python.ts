import type { Finding } from "../../../model/settings/check.js";
import { reportCutOff, test, unnamedTests, type ReadReport } from "./report.js";

// ------------------------------------------------------------------------------------------------------------ pytest

const PYTEST_VERBOSE = /^(\S.*?::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/;
/** Where several processes run them, the status comes first. */
const PYTEST_WORKER = /^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S.*::.+?)\s*$/;
const PYTEST_SUMMARY = /^(FAILED|ERROR) (\S+?(?:::.+?)?)(?: - (.*))?$/;
/** Between signs of equality, or without them when it is to be quiet. */
const PYTEST_END =
  /^(?:=+ )?(\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*|no tests ran) in [\d.]+s.*$/gm;

export const readPytest: ReadReport = (text) => {
  const ends = [...text.matchAll(PYTEST_END)].map(([, counts = ""]) => counts);
  const begun = [...text.matchAll(/^=+ test session starts =+$/gm)].length;
  if (ends.length === 0 && begun === 0) return null;
  const tests = new Map<string, Finding>();
  for (const line of text.split("\n")) {
    const worker = PYTEST_WORKER.exec(line);
    if (worker !== null) add(tests, worker[2] as string, pytestStatus(worker[1] as string), "");
    const verbose = worker === null ? PYTEST_VERBOSE.exec(line) : null;
    if (verbose !== null) add(tests, verbose[1] as string, pytestStatus(verbose[2] as string), "");
    const summary = PYTEST_SUMMARY.exec(line);
    // A log may begin with these words too; a test has a file.
    if (summary !== null && /\.py\b|::|[\\/]/.test(summary[2] as string))
      add(tests, summary[2] as string, "failed", summary[3] ?? "");
  }
  // Several runs of one project have an end each.
  const passed = ends.reduce((sum, counts) => sum + Number(/(\d+) passed/.exec(counts)?.[1] ?? 0), 0);
  const named = [...tests.values()].filter(({ status }) => status === "passed").length;
  // Without -v only those that failed have names; that others passed is known by their number.
  return [...tests.values(), ...unnamedTests(passed - named), ...(begun > ends.length ? [reportCutOff("pytest")] : [])];
};

function add(tests: Map<string, Finding>, name: string, status: Finding["status"], message: string): void {
  tests.set(name, test(name, status, { message, file: name.split("::")[0] ?? null }));
}

function pytestStatus(word: string): Finding["status"] {
  if (word === "PASSED" || word === "XPASS") return "passed";
  return word === "FAILED" || word === "ERROR" ? "failed" : "skipped";
}

// ---------------------------------------------------------------------------------------------------------- unittest

const UNITTEST = /^(\w+ \([\w.]+\))(?: \.\.\.|$)/;
const UNITTEST_END = /\.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b[^\n]*$|^(ok|FAIL|ERROR)$/;
const UNITTEST_PROBLEM = /^(?:FAIL|ERROR): (.+)$/;

/** Python's own `unittest -v`. Output of a test and its first line of documentation may stand between its name and its end. */
export const readUnittest: ReadReport = (text) => {
  const ends = [...text.matchAll(/^Ran (\d+) tests? in [\d.]+s$/gm)];
  if (ends.length === 0) return null;
  const tests = new Map<string, Finding>();
  const lines = text.split("\n");
  let name: string | null = null;
  for (const [i, line] of lines.entries()) {
    name = UNITTEST.exec(line)?.[1] ?? name;
    const ended = UNITTEST_END.exec(line);
    if (ended !== null && name !== null) {
      tests.set(name, test(name, unittestStatus(ended[1] ?? ended[2] ?? "")));
      name = null;
    }
    // Modules that cannot be imported have no line of their own, only this one.
    const problem = UNITTEST_PROBLEM.exec(line)?.[1];
    if (problem !== undefined && lines[i - 1]?.startsWith("=====") === true) {
      const about = lines.slice(i + 2, i + 40);
      const end = about.findIndex((each) => /^(?:=====|-----)/.test(each));
      const message = about.slice(0, end === -1 ? undefined : end).join("\n");
      tests.set(problem, test(problem, "failed", { message: message.trim() }));
    }
  }
  const ran = ends.reduce((sum, [, count]) => sum + Number(count), 0);
  const behind = text.slice(ends.at(-1)?.index).split("\n");
  const isCutOff = behind.some((line) => UNITTEST.test(line) && line.includes(" ..."));
  // Without -v only those that failed have names; that others passed is known by their number.
  return [...tests.values(), ...unnamedTests(ran - tests.size), ...(isCutOff ? [reportCutOff("unittest")] : [])];
};

function unittestStatus(word: string): Finding["status"] {
  if (word === "ok" || word === "expected failure") return "passed";
  return word === "skipped" ? "skipped" : "failed";
}
