// Runs the test suite with one Node.js: what passed, what failed twice, and what failed once only.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
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
  const folder = mkdtempSync(join(tmpdir(), "check-"));
  const report = join(folder, "tests.json");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const suite = [node, "node_modules/vitest/vitest.mjs", "run", ...args, ...reporters];
  const memory = memoryBelow(folder);
  const [program, ...words] = [...memory.command, ...suite];
  const ok = run(program, words, {
    env: { ...process.env, ...memory.variables, COORDINATOR_TESTS_LEFT_OUT: JSON.stringify(leftOut) },
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

/** The part of a program's arguments that mounts memory at a folder, in a mount namespace that ends with the program. */
function mountMemory(place) {
  const mount = 'mount -t tmpfs -o size=10g,mode=1777 coordinator "$0" && exec "$@"';
  return ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", mount, place];
}

/**
 * Tests make and remove some hundred thousand files, and nearly every event that they log is synced to the disk. Where this
 * is root and memory is free, their temporary files are kept in memory; `COORDINATOR_TESTS_DISK` names the folder on the disk
 * for what must lie there. Otherwise everything is on the disk.
 */
function memoryBelow(folder) {
  const none = { command: [], variables: {} };
  if (process.platform !== "linux" || process.getuid() !== 0 || freemem() < 12 * 1024 ** 3) return none;
  const place = join(folder, "m");
  mkdirSync(place);
  // Tests work as other users, too.
  chmodSync(folder, 0o711);
  const [program, ...words] = [...mountMemory(place), "true"];
  if (spawnSync(program, words).status !== 0) return none;
  return { command: mountMemory(place), variables: { TMPDIR: place, COORDINATOR_TESTS_DISK: tmpdir() } };
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
