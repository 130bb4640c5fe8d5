import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Check } from "../../model/settings/check.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { proofOf } from "./proof.js";
import { runCheck } from "./run-check.js";

/* A place to run checks in that is not a sandbox: what is tried here is how a check is run and read. */

function place(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const sandbox: Sandbox = {
    grade: "none",
    root: folder,
    spawn: ({ argv: [program, ...args], env }) => {
      const child = spawn(program, args, { cwd: folder, env: { PATH: process.env["PATH"] ?? "", ...env } });
      const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
        child.once("close", (code, signal) => resolve({ code, signal }));
      });
      return { ...child, pid: child.pid ?? 0, exited, kill: () => void child.kill("SIGKILL") };
    },
    close: async () => undefined,
  };
  const readFile = async (path: string) => {
    try {
      return readFileSync(join(folder, path), "utf8");
    } catch {
      return null;
    }
  };
  return { sandbox, tree: "t", readFile, signal: new AbortController().signal };
}

const check = (run: string) => Check.parse({ name: "test", kind: "test", run });

describe("what a check prints", () => {
  it("keeps no secret that a check prints, in its output or in its findings", async () => {
    const token = ["ghp", "R7tq2VbN9xKcW4mZ8sLp3dFh6jGy1aTe5uQo"].join("_");
    const password = ["q7Zx4Mp", "L2vNr5T"].join("");
    const report = [`TAP version 13`, `not ok 1 - logs in with ${token}`, `# DB_PASSWORD=${password}`, `1..1`].join(
      "\n",
    );
    const result = await runCheck(check("cat report.txt; cat report.txt >&2; exit 1"), place({ "report.txt": report }));
    expect(result.findings.map(({ name }) => name)).toContain("logs in with [GitHub token]");
    expect(result.output).toContain("DB_PASSWORD=[password or key]");
    for (const secret of [token, password]) expect(JSON.stringify(result)).not.toContain(secret);
  });

  it("keeps the end of a long output from where no token was cut in two", async () => {
    const token = ["ghp", "R7tq2VbN9xKcW4mZ8sLp3dFh6jGy1aTe5uQo"].join("_");
    const result = await runCheck(check("cat long.txt"), place({ "long.txt": `${`${token} `.repeat(4000)}end` }));
    expect(result.output).toMatch(/end$/);
    expect(result.output).not.toContain(token.slice(-12));
  });
});

/** Prints what pytest prints where one of its files cannot be loaded, and goes on only when it is told to. */
const PYTEST = `echo "============================= test session starts =============================="
if [ "$PYTEST_ADDOPTS" = "--continue-on-collection-errors" ]; then
  echo "tests/test_good.py::test_b PASSED                                        [ 50%]"
  echo "ERROR tests/test_bad.py"
  echo "========================== 1 passed, 1 error in 2.71s =========================="
  exit 1
fi
echo "ERROR tests/test_bad.py"
echo "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!"
echo "=============================== 1 error in 3.24s ==============================="
exit 2
`;

describe("a run of tests of which a file cannot be collected", () => {
  it("is run again so that the others run, and what cannot be collected is a finding of its own", async () => {
    const result = await runCheck(check("sh pytest.sh"), place({ "pytest.sh": PYTEST }));
    expect(result.findings.map(({ name, status }) => `${status} ${name}`)).toEqual([
      "passed tests/test_good.py::test_b",
      "failed tests/test_bad.py",
    ]);
    expect(proofOf(result)).toMatchObject({ proves: true, passed: 1, failed: 1 });
  });

  it("stays what it was where nothing else runs either", async () => {
    const none = PYTEST.replace("--continue-on-collection-errors", "never");
    const result = await runCheck(check("sh pytest.sh"), place({ "pytest.sh": none }));
    expect(result.exit_code).toBe(2);
    expect(proofOf(result).cause).toMatchObject({ kind: "collection_error" });
  });
});

describe("coverage", () => {
  it("is read where the check wrote it, and not where it lay there before", async () => {
    const lcov = "SF:src/a.js\nDA:1,1\nend_of_record\n";
    const wrote = await runCheck(check(`printf '${lcov.replaceAll("\n", "\\n")}' > lcov.info`), place({}));
    expect(wrote.coverage).toEqual([{ file: "src/a.js", hit: true }]);
    const old = await runCheck(check("true"), place({ "lcov.info": lcov }));
    expect(old.coverage).toBeUndefined();
  });
});

it("tells package managers that nobody is there and that the version installed is the one to use", async () => {
  const said =
    'echo "$CI $npm_config_manage_package_manager_versions $pnpm_config_pm_on_fail $COREPACK_ENABLE_NETWORK $COMPOSER_ALLOW_SUPERUSER"';
  const { output } = await runCheck(check(said), place({}));
  expect(output.trim()).toBe("1 false ignore 0 1");
  // The environment of a script of a package: npm and pnpm take away what begins with npm_, and a pnpm called there must stay as it is.
  const inScript = "env | grep -v ^npm_ | grep -c ^COREPACK_ROOT=";
  expect((await runCheck(check(inScript), place({}))).output.trim()).toBe("1");
});
