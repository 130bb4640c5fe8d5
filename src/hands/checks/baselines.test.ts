import { expect, it } from "vitest";
import { Check, type CheckResult } from "../../model/settings/check.js";
import { createBaselines } from "./baselines.js";
import { type KnownResults, type RunChecks, verify } from "./verify.js";

const check = Check.parse({ name: "test", run: "true" });
const result = (tree: string): CheckResult => ({
  check: "test",
  kind: "other",
  command: "true",
  tree,
  exit_code: 0,
  ended: "exited",
  format: "exit_code",
  findings: [],
  output: "",
  output_sha256: "",
});

function parts() {
  const ran: string[] = [];
  const kept = new Map<string, CheckResult>();
  const run: RunChecks = async (tree) => {
    ran.push(tree);
    await new Promise((resolve) => setImmediate(resolve));
    if (tree === "broken") throw new Error("no room");
    return [result(tree)];
  };
  const known: KnownResults = {
    get: async (tree) => kept.get(tree) ?? null,
    put: async (tree, _, one) => void kept.set(tree, one),
  };
  return { ran, baseline: createBaselines(run, known, new AbortController().signal) };
}

it("runs the checks of a base once, for all who ask at once and after", async () => {
  const { ran, baseline } = parts();
  await Promise.all([baseline("a", [check]), baseline("a", [check]), baseline("b", [check]), baseline("a", [check])]);
  await baseline("a", [check]);
  expect(ran).toEqual(["a", "b"]);
});

it("tries again what failed", async () => {
  const { ran, baseline } = parts();
  await expect(Promise.all([baseline("broken", [check]), baseline("broken", [check])])).rejects.toThrow("no room");
  await expect(baseline("broken", [check])).rejects.toThrow("no room");
  expect(ran).toEqual(["broken", "broken"]);
});

it("does not excuse by what fails on the base only sometimes", async () => {
  const failed = (name: string): CheckResult["findings"][number] => {
    return { id: `test:${name}`, name, status: "failed", message: "", file: null, line: null };
  };
  const runs = [["always", "sometimes"], ["always"], ["always", "sometimes"], ["always", "sometimes"]];
  const ran: string[] = [];
  const run: RunChecks = async (tree) => {
    const names = runs[ran.push(tree) - 1] ?? [];
    const findings = ["always", "sometimes"].map((name) =>
      names.includes(name) ? failed(name) : { ...failed(name), status: "passed" as const },
    );
    return [{ ...result(tree), kind: "test", format: "tap", exit_code: 1, findings }];
  };
  const known: KnownResults = { get: async () => null, put: async () => undefined };
  const report = await verify(
    {
      base_tree: "base",
      tree: "result",
      checks: [check],
      changed_files: 1,
      changes_due: true,
      blocked: [],
      may_go: [],
      lifted: [],
      security: [],
      signal: new AbortController().signal,
    },
    run,
    known,
  );
  expect(ran).toEqual(["base", "base", "result", "result"]);
  expect(report.verdict).toBe("FAIL");
  expect(report.regressions.map(({ finding }) => finding.name)).toEqual(["sometimes"]);
  expect(report.pre_existing.map(({ finding }) => finding.name)).toEqual(["always"]);
});
