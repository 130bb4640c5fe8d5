import type { Finding } from "../../../model/settings/check.js";
import { reportCutOff, test, unnamedTests, type ReadReport } from "./report.js";

/*
 * Runners of tests that name what fails and only count what passes: uvu, Minitest and PHPUnit. The number is what shows
 * that tests were taken away or are skipped.
 */

const MESSAGE_LINES = 10;

// --------------------------------------------------------------------------------------------------------------- uvu

const UVU_END = /^ {2}Total: +\d+\n {2}Passed: +(\d+)\n {2}Skipped: +\d+\n {2}Duration: /gm;
const UVU_FAILED = /^ {3}FAIL {2}(?:(\S.*?) {2})?"(.+)"$/;

export const readUvu: ReadReport = (text) => {
  const ends = [...text.matchAll(UVU_END)];
  if (ends.length === 0) return null;
  const failed = findFailedLines(text, (line) => {
    const [, suite, name] = UVU_FAILED.exec(line) ?? [];
    return name === undefined ? null : suite === undefined ? name : `${suite} > ${name}`;
  });
  return [...failed, ...unnamedTests(sumOf(ends, 1))];
};

// ---------------------------------------------------------------------------------------------------------- Minitest

const MINITEST_END = /^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips$/gm;

export const readMinitest: ReadReport = (text) => {
  const ends = [...text.matchAll(MINITEST_END)];
  if (ends.length === 0) return null;
  const lines = text.split("\n");
  const failed = findFailedLines(text, (line, i) =>
    /^ +\d+\) (?:Failure|Error):$/.test(lines[i - 1] ?? "")
      ? (/^(\S+#\S+?)(?: \[.*\])?:$/.exec(line)?.[1] ?? null)
      : null,
  );
  const passed = sumOf(ends, 1) - sumOf(ends, 2) - sumOf(ends, 3) - sumOf(ends, 4);
  const begun = [...text.matchAll(/^# Running:$/gm)].length;
  const isCutOff = begun > ends.length;
  return [...failed, ...unnamedTests(passed), ...(isCutOff ? [reportCutOff("minitest")] : [])];
};

// ----------------------------------------------------------------------------------------------------------- PHPUnit

const PHPUNIT_END =
  /^(?:OK \((\d+) tests?, \d+ assertions?\)|Tests: (\d+), Assertions: \d+((?:, [A-Z][a-z ]+: \d+)*)\.)$/gm;
const PHPUNIT_SECTION = /^There (?:was|were) \d+ (.+?):$/;

export const readPhpunit: ReadReport = (text) => {
  const begun = [...text.matchAll(/^PHPUnit \d+\.\d+\S* by Sebastian Bergmann/gm)].length;
  if (begun === 0) return null;
  const ends = [...text.matchAll(PHPUNIT_END)];
  const isEmpty = /^No tests executed!$/m.test(text);
  let section = "";
  const failed = findFailedLines(text, (line) => {
    section = PHPUNIT_SECTION.exec(line)?.[1] ?? section;
    return /^(?:failure|error)s?$/.test(section) ? (/^\d+\) (\S.*)$/.exec(line)?.[1] ?? null) : null;
  });
  const not = ends.map(([, , , counts = ""]) => {
    const of = (word: string) => Number(new RegExp(`, ${word}: (\\d+)`).exec(counts)?.[1] ?? 0);
    return of("Errors") + of("Failures") + of("Skipped") + of("Incomplete");
  });
  const passed = sumOf(ends, 1) + sumOf(ends, 2) - not.reduce((sum, each) => sum + each, 0);
  const isCutOff = begun > ends.length && !isEmpty;
  return [...failed, ...unnamedTests(passed), ...(isCutOff ? [reportCutOff("phpunit")] : [])];
};

// ------------------------------------------------------------------------------------------------------------ for all

/** A failed test for each line that names one, with what stands behind it. */
function findFailedLines(text: string, nameOf: (line: string, at: number) => string | null): Finding[] {
  const lines = text.split("\n");
  return lines.flatMap((line, i): Finding[] => {
    const name = nameOf(line, i);
    if (name === null) return [];
    const about = lines.slice(i + 1, i + 1 + MESSAGE_LINES).join("\n");
    return [test(name, "failed", { message: about.trim() })];
  });
}

function sumOf(ends: readonly RegExpMatchArray[], group: number): number {
  return ends.reduce((sum, match) => sum + Number(match[group] ?? 0), 0);
}
