import { describe, expect, it } from "vitest";
import { Check, type CheckResult } from "../../model/settings/check.js";
import { proofOf } from "../../hands/checks/proof.js";
import { describeTrial } from "./describe-trial.js";

const FACTS = { outside: () => null, install: null, fill: null, hasSetup: false, uncommitted: [] };

function tried(kind: CheckResult["kind"], about: Partial<CheckResult>, ms = 2040) {
  const check = Check.parse({ name: kind, kind, run: "x" });
  const result: CheckResult = {
    check: kind,
    kind,
    command: "x",
    tree: "t",
    exit_code: 0,
    ended: "exited",
    format: "exit_code",
    findings: [],
    output: "",
    output_sha256: "",
    ...about,
  };
  return { check, result, proof: proofOf(result), elapsed_ms: ms };
}

const finding = (name: string, status: "passed" | "failed" | "skipped") => ({
  id: name,
  name,
  status,
  message: "",
  file: null,
  line: null,
});
const lines = (checks: readonly ReturnType<typeof tried>[], facts: object = {}) =>
  describeTrial({ commit: "c", elapsed_ms: 1, setup: null, checks }, { ...FACTS, ...facts });

describe("a line for each check", () => {
  it("says what passed, what failed by name, and how long it took", () => {
    const many = Array.from({ length: 1963 }, (_, i) => finding(`t${i}`, "passed"));
    expect(lines([tried("test", { format: "pytest", findings: many }, 12_300)])).toMatchObject([
      { status: "good", detail: "1,963 passed in 12 s", cause: null },
    ]);
    const some = [finding("a", "passed"), finding("b", "failed"), finding("c", "skipped")];
    expect(lines([tried("test", { format: "pytest", findings: some, exit_code: 1 })])).toMatchObject([
      { status: "weak", detail: "1 failed of 2, 1 skipped in 2.0 s: b" },
    ]);
    expect(lines([tried("build", {}, 125_000)])).toMatchObject([{ status: "good", detail: "ok in 2 min 5 s" }]);
  });

  it("says why nothing is proven, and what to do about it", () => {
    const missing = tried("lint", { exit_code: 127, output: "sh: 1: eslint: not found\n" });
    const bad = { status: "bad", cause: "program_missing", detail: "eslint: not found" };
    expect(lines([missing])).toMatchObject([{ ...bad, fix: expect.stringContaining("Install eslint") }]);
    expect(lines([missing], { install: "npm ci", hasSetup: true })).toMatchObject([
      { ...bad, fix: expect.stringContaining("Run npm ci first") },
    ]);
    expect(lines([missing], { install: "eslint install" })).toMatchObject([
      { fix: expect.stringContaining("Install eslint") },
    ]);
    expect(lines([missing], { install: "python3 -m pip install -e ." })).toMatchObject([
      { fix: expect.stringContaining("Install eslint") },
    ]);
    expect(lines([missing], { outside: () => "/opt/x/bin/eslint" })).toMatchObject([
      { ...bad, fix: expect.stringContaining("workspace.tools") },
    ]);
    const module = tried("test", { exit_code: 1, output: "ModuleNotFoundError: No module named 'freezegun'" });
    expect(lines([module])).toMatchObject([{ fix: expect.stringContaining("Install freezegun") }]);
    const old = tried("test", { exit_code: 1, output: "mux.go:4:2: package slices is not in GOROOT (/usr/lib/go)" });
    expect(lines([old])).toMatchObject([{ fix: expect.stringContaining("older than the project needs") }]);
    const network = tried("test", { exit_code: 1, output: "Error: getaddrinfo EAI_AGAIN example.org" });
    expect(lines([network])).toMatchObject([{ fix: expect.stringContaining("without a network") }]);
    const none = tried("test", { exit_code: 0, format: "pytest", findings: [] });
    expect(lines([none])).toMatchObject([{ status: "bad", cause: "no_tests" }]);
  });

  it("is that of setup alone where setup failed", () => {
    const setup = { run: "npm ci", ran: true, elapsed_ms: 10, failure: "setup failed: ENOTCACHED" };
    const all = describeTrial({ commit: "c", elapsed_ms: 1, setup, checks: [tried("test", { unready: "x" })] }, FACTS);
    expect(all).toMatchObject([{ name: "setup", status: "bad", cause: "setup_failed" }]);
    const trial = { commit: "c", elapsed_ms: 1, setup, checks: [] };
    expect(describeTrial(trial, { ...FACTS, fill: "mvn dependency:go-offline" })).toMatchObject([
      { fix: expect.stringContaining("Run mvn dependency:go-offline once outside") },
    ]);
    const facts = { ...FACTS, uncommitted: ["package-lock.json"] };
    expect(describeTrial(trial, facts)).toMatchObject([
      { fix: expect.stringContaining("package-lock.json is not in the commit that was tried") },
    ]);
  });
});
