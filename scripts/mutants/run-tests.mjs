// Runs the tests of some files that cite some ids, and says what came of it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

/** Guards against a mutant that never ends. */
const LIMIT_MS = 15 * 60_000;

/**
 * - failed: a test failed; `failed` names it first.
 * - passed: all tests that cite an id passed, at least one.
 * - hung: they did not end in time.
 * - none: no test has an id in its name.
 * - broken: no test could be judged, for example because a file could not be loaded.
 */
export async function runTests(folder, ids, files, { bail = true } = {}) {
  const report = join(folder, "mutants-report.json");
  rmSync(report, { force: true });
  const ended = await vitest(folder, [
    "run",
    ...files,
    ...(bail ? ["--bail=1"] : []),
    "--testNamePattern",
    `\\[[^\\]]*\\b(?:${ids.join("|")})\\b[^\\]]*\\]`,
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  if (ended === "hung") return { is: "hung" };
  if (!existsSync(report)) return { is: "broken", why: "the tests left no report" };
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const results = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((result) => ({ ...result, file: relative(folder, name) })),
  );
  const failed = results.filter(({ status }) => status === "failed");
  if (failed.length > 0) return { is: "failed", failed: failed.map(({ file, fullName }) => `${file}: ${fullName}`) };
  const unloaded = testResults.find(({ status, message }) => status === "failed" && message);
  if (unloaded) return { is: "broken", why: unloaded.message.split("\n")[0] };
  if (ended !== 0) return { is: "broken", why: "the tests did not end well, though none failed" };
  if (!results.some(({ status }) => status === "passed")) return { is: "none" };
  return { is: "passed" };
}

const running = new Set();

/** Ends what still runs: anyone who interrupts this program must not leave workers behind. */
export function stopTests() {
  for (const pid of running) process.kill(-pid, "SIGKILL");
}

/** The exit code, or "hung". */
function vitest(folder, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(folder, "node_modules", "vitest", "vitest.mjs"), ...args], {
      cwd: folder,
      stdio: "ignore",
      detached: true,
    });
    const pid = child.pid ?? 0;
    if (pid > 0) running.add(pid);
    const guard = setTimeout(() => {
      // The whole group: the workers are what hangs.
      process.kill(-pid, "SIGKILL");
      resolve("hung");
    }, LIMIT_MS);
    child.on("error", (error) => {
      clearTimeout(guard);
      reject(error);
    });
    child.on("exit", (code) => {
      clearTimeout(guard);
      running.delete(pid);
      resolve(code ?? 1);
    });
  });
}
