import type { Finding } from "../../../model/settings/check.js";
import { reportCutOff, test, unnamedTests, type ReadReport } from "./report.js";

/*
 * Output of test runners for people, without options. Failed tests have names there; of those that
 * pass there is often only the number, and the number is kept.
 */

// ------------------------------------------------------------------------------------------------------------ vitest

const VITEST_TOTAL = /^ *Tests {2,}(.*\(\d+\)|no tests)\s*$/gm;
const VITEST_FAILED = /^ ?FAIL {2}(.+)$/;

export const readVitest: ReadReport = (text) => {
  if (!/^ *Test Files {2,}/m.test(text)) return isEmptyRun(text) ? [] : null;
  const lines = text.split("\n");
  const failed = lines.flatMap((line, i): Finding[] => {
    const name = VITEST_FAILED.exec(line)?.[1]?.trim();
    if (name === undefined) return [];
    const [, file] = /^(.+?) \[ .+ \]$/.exec(name) ?? [];
    const about = lines.slice(i + 1, i + 9).filter((each) => !VITEST_FAILED.test(each));
    return [test(file === undefined ? name : `${file} loads`, "failed", { message: about.join("\n").trim() })];
  });
  const begun = [...text.matchAll(/^ *RUN {2}v\d/gm)].length;
  const isCutOff = begun > [...text.matchAll(VITEST_TOTAL)].length;
  return [
    ...failed,
    ...unnamedTests(total(text, VITEST_TOTAL, "passed")),
    ...(isCutOff ? [reportCutOff("vitest")] : []),
  ];
};

// -------------------------------------------------------------------------------------------------------------- jest

const JEST_TOTAL = /^Tests: +(.*\b\d+ total)\s*$/gm;
/** Headings of a report that are not tests. */
const JEST_NOTES = /^(Console|Cannot log after tests are done|process\.exit called|Test suite failed to run)/;

export const readJestText: ReadReport = (text) => {
  if (!/^Test Suites: .*\d+ total\s*$/m.test(text)) return null;
  const failed = new Map<string, Finding>();
  let file = "";
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    const heading = /^(?:FAIL|PASS) +(\S.*?)(?: \([\d.]+ m?s\))?$/.exec(line)?.[1];
    file = heading ?? file;
    const name = /^ {2}● (.+)$/.exec(line)?.[1]?.trim();
    const isLoad = name?.startsWith("Test suite failed to run") === true;
    if (name === undefined || (JEST_NOTES.test(name) && !isLoad)) continue;
    const told = isLoad ? `${file} loads` : name.split(" › ").join(" > ");
    const message = lines
      .slice(i + 1, i + 15)
      .join("\n")
      .trim();
    // Many failures are printed once more at the end.
    failed.set(`${file} ${told}`, test(told, "failed", { message, file: file === "" ? null : file }));
  }
  const end = [...text.matchAll(JEST_TOTAL)].at(-1)?.index ?? 0;
  const isCutOff = /^(?:PASS|FAIL) +\S.*\.[cm]?[jt]sx?\b/m.test(text.slice(end));
  return [
    ...failed.values(),
    ...unnamedTests(total(text, JEST_TOTAL, "passed")),
    ...(isCutOff ? [reportCutOff("jest")] : []),
  ];
};

/** The sum of what every summary says: a repository of several packages has several. */
function total(text: string, summary: RegExp, word: string): number {
  let sum = 0;
  for (const [, line = ""] of text.matchAll(summary)) sum += Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return sum;
}

function isEmptyRun(text: string): boolean {
  return /^(No test files found|No tests found), exiting with code/m.test(text);
}

// ------------------------------------------------------------------------------------------------------------- mocha

const MOCHA_END = /^ {2}\d+ passing(?: \(\S+\))?\s*$/;

export const readMocha: ReadReport = (text) => {
  if (!text.split("\n").some((line) => MOCHA_END.test(line))) return null;
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => /^ {2}\d+ failing\s*$/.test(line));
  const failed = begin < 0 ? [] : readMochaFailures(lines.slice(begin + 1));
  // A failed test has a mark in the tree, and its message is at the end.
  const end = lines.findLastIndex((line) => MOCHA_END.test(line));
  const marks = lines.slice(0, end).filter((line) => /^ {4,}\d+\) \S/.test(line) && !line.endsWith(":")).length;
  const isCutOff = marks > failed.length || lines.slice(end + 1).some((line) => /^ {2,}[✔✓] /.test(line));
  return [
    ...failed,
    ...unnamedTests(total(text, /^ {2}(\d+ passing)/gm, "passing")),
    ...(isCutOff ? [reportCutOff("mocha")] : []),
  ];
};

/** `1) suite`, deeper and deeper, until a line that ends with a colon. */
function readMochaFailures(lines: readonly string[]): Finding[] {
  const found: Finding[] = [];
  for (let i = 0; i < lines.length; i++) {
    const first = /^ {2}\d+\) (.+)$/.exec(lines[i] as string)?.[1];
    if (first === undefined) continue;
    const titles = [first.trim()];
    while (!(titles.at(-1) as string).endsWith(":") && i + 1 < lines.length && (lines[i + 1] ?? "").trim() !== "")
      titles.push((lines[++i] as string).trim());
    const name = titles.join(" > ").replace(/:$/, "");
    found.push(
      test(name, "failed", {
        message: lines
          .slice(i + 1, i + 12)
          .join("\n")
          .trim(),
      }),
    );
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------- node --test, spec

const NODE_LINE = /^( *)([✔✖﹣▶]) (.+?)(?: \([\d.]+ms\))?( # (?:SKIP|TODO).*| # .*)?$/u;

/** The tree that Node's own runner prints. Failures are printed once more behind it. */
export const readNodeSpec: ReadReport = (text) => {
  if (!/^ℹ tests \d+$/m.test(text) || !/^ℹ pass \d+$/m.test(text)) return null;
  const found: Finding[] = [];
  const titles: string[] = [];
  const opened = new Set<string>();
  const lines = text.split("\n");
  const end = lines.findLastIndex((line) => /^ℹ pass \d+$/.test(line));
  let isCutOff = false;
  for (const [i, line] of lines.entries()) {
    const [, blanks = "", sign, title = "", note] = NODE_LINE.exec(line) ?? [];
    // Another package may begin behind it.
    if (sign === undefined || isRepeated(lines, i)) continue;
    isCutOff ||= i > end;
    const depth = Math.floor(blanks.length / 2);
    const name = [...titles.slice(0, depth), title].join(" > ");
    titles[depth] = title;
    if (sign === "▶") opened.add(name);
    // The end of a suite says again what its tests said.
    else if (!opened.delete(name)) {
      const status = sign === "﹣" || note !== undefined ? "skipped" : sign === "✔" ? "passed" : "failed";
      const message =
        status === "failed"
          ? lines
              .slice(i + 1, i + 12)
              .join("\n")
              .trim()
          : "";
      found.push(test(name, status, { message }));
    }
  }
  return isCutOff ? [...found, reportCutOff("node --test")] : found;
};

function isRepeated(lines: readonly string[], i: number): boolean {
  return lines[i] === "✖ failing tests:" || /^test at \S+:\d+:\d+$/.test(lines[i - 1] ?? "");
}
