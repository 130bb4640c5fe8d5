// Runs the test suite with one Node.js: what passed, what failed twice, and what failed once only.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root, run } from "./steps.mjs";

/**
 * Files with a failing test are run once more, alone. A test that passes then is flaky: it is named with its message and must
 * be looked into, but it does not fail the run, as it would not fail a task (docs/guides/running.md).
 */
export function runSuite(node, leftOut = []) {
  const first = runTests(node, [], leftOut);
  const files = [...new Set(first.failed.map(({ file }) => file))];
  if (files.length === 0 || files.includes(undefined)) return { ...first, flaky: [] };
  console.log(`\n── once more, alone: ${files.join(", ")}`);
  const second = runTests(node, files, []);
  const failsAgain = (failure) => second.failed.some((other) => isSame(failure, other));
  const flaky = first.failed.filter((failure) => !failsAgain(failure));
  return { ...first, passed: first.passed + flaky.length, failed: first.failed.filter(failsAgain), flaky };
}

/** A file that does not load fails with all its tests; a suite that does not end well, with all its files. */
const isSame = (one, other) =>
  other.file === undefined ||
  (one.file === other.file && (one.test === undefined || other.test === undefined || one.test === other.test));

function runTests(node, args, leftOut) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-check-"));
  const report = join(folder, "tests.json");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const ok = run(node, ["node_modules/vitest/vitest.mjs", "run", ...args, ...reporters], {
    env: { ...process.env, COORDINATOR_TESTS_LEFT_OUT: JSON.stringify(leftOut) },
  });
  const { numPassedTests, testResults } = existsSync(report)
    ? JSON.parse(readFileSync(report, "utf8"))
    : { numPassedTests: 0, testResults: [] };
  rmSync(folder, { recursive: true, force: true });
  const failed = testResults.flatMap(failuresOf);
  // A suite that ends badly without a failing test must not pass as green.
  if (!ok && failed.length === 0) failed.push({ message: "the suite did not end well" });
  return { passed: numPassedTests, failed, slowest: findSlowest(testResults) };
}

/** The files that took longest, in seconds: where to look first when the whole run takes too long. */
function findSlowest(testResults) {
  const timed = testResults.map(({ name, startTime, endTime }) => ({
    file: relative(root, name),
    seconds: Math.round((endTime - startTime) / 1000),
  }));
  return timed.toSorted((one, other) => other.seconds - one.seconds).slice(0, 12);
}

function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name);
  const failed = assertionResults
    .filter((result) => result.status === "failed")
    .map(({ fullName, failureMessages, meta }) => ({
      file,
      test: fullName,
      message: shortenMessage(failureMessages[0], meta?.stood),
    }));
  if (failed.length === 0 && status === "failed") failed.push({ file, message: shortenMessage(message) });
  return failed;
}

/** A failure's message in one line. Vitest gives one that took too long no message, but the place it was written at. */
function shortenMessage(text, stood) {
  const [first = "", ...rest] = text?.split("\n") ?? [];
  if (!first.includes("STACK_TRACE_ERROR")) return first || "no message";
  const place = rest.map((line) => /([^/(]+\.ts:\d+):\d+\)?$/.exec(line)?.[1]).find(Boolean);
  const where = place === undefined ? "" : ` (${place})`;
  return `it ran into the guard against hanging${where}${stood === undefined ? "" : `: ${stood}`}`;
}
