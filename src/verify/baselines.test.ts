import { expect, it } from "vitest";
import { Check, type CheckResult } from "../model/check.js";
import { createBaselines } from "./baselines.js";
import type { KnownResults, RunChecks } from "./verify.js";

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
  return { ran, baseline: createBaselines([check], run, known, new AbortController().signal) };
}

it("runs the checks of a base once, for all who ask at once and after", async () => {
  const { ran, baseline } = parts();
  await Promise.all([baseline("a"), baseline("a"), baseline("b"), baseline("a")]);
  await baseline("a");
  expect(ran).toEqual(["a", "b"]);
});

it("tries again what failed", async () => {
  const { ran, baseline } = parts();
  await expect(Promise.all([baseline("broken"), baseline("broken")])).rejects.toThrow("no room");
  await expect(baseline("broken")).rejects.toThrow("no room");
  expect(ran).toEqual(["broken", "broken"]);
});
