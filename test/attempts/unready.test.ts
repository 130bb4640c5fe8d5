import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { countCommits, createAttempts, type StartEffect } from "../../src/hands/attempts/run-attempts.js";
import { notReady, setupProblem } from "../../src/hands/attempts/attempt-endings.js";
import { systemClock } from "../../src/app/run/machine.js";
import { openRecords } from "../../src/hands/attempts/run-records.js";
import { shimSpawner } from "../../src/hands/attempts/shim/spawn-shim.js";
import { CoordinatorError } from "../../src/model/errors.js";
import { bookedAmounts } from "../../src/mind/run/ledger.js";
import { ensureBuilt } from "../build.js";
import { attemptOnce } from "./attempt.js";

/* Attempts that end before an agent was there: what they could not use is not counted as used. */

beforeAll(ensureBuilt);

const BODIES = fileURLToPath(new URL("../chaos/shim-bodies.mjs", import.meta.url));
const SET_ASIDE = { tokens: 1000, cost_usd: 1, minutes: 50, files: 200, commits: 1, api_calls: 100 };

describe("an attempt that never began", () => {
  it("has used nothing, and says what was in its way", async () => {
    const { result } = await attemptOnce({
      order: { base: "0123456789".repeat(4), budget: SET_ASIDE },
      steps: [{ say: "Done." }],
    });
    expect(result.outcome).toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/^nothing was begun: The repository has no commit 0123456789/) as unknown,
    });
    expect(bookedAmounts(SET_ASIDE, result.usage)).toMatchObject({ tokens: 0, cost_usd: 0, files: 0, api_calls: 0 });
    expect(result.usage.amounts.minutes).toBeLessThanOrEqual(SET_ASIDE.minutes);
  });

  it("is tried again for what may be over soon, and asks a person for all else", () => {
    const busy = new CoordinatorError("WORKSPACE_FAILED", "too many", { retryable: true, fix: "Wait." });
    expect(setupProblem(busy)).toEqual(notReady(busy));
    expect(setupProblem(busy)).toMatchObject({ kind: "structural", message: "nothing was begun: too many Wait." });
    expect(setupProblem(new Error("EAGAIN"))).toMatchObject({ kind: "structural" });
    const full = new CoordinatorError("WORKSPACE_FAILED", "no room", { fix: "Make room." });
    expect(setupProblem(full)).toEqual({ kind: "environment", message: "nothing was begun: no room Make room." });
    expect(setupProblem(Object.assign(new Error("no space"), { code: "ENOSPC" }))).toMatchObject({
      kind: "environment",
    });
    expect(setupProblem(new CoordinatorError("USAGE", "no key", { fix: "Set it." }))).toMatchObject({
      kind: "clarification",
    });
  });
});

it("an attempt whose process died left no file and no commit: none is counted, and all else as it was set aside", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-unready-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const attempts = createAttempts({
    runId: "run_of_one",
    folder,
    spawnShim: shimSpawner({ argv: [process.execPath, BODIES], env: { PATH: process.env["PATH"] ?? "" } }),
    clock: systemClock,
    records: openRecords(join(folder, "records")),
    holdForData: () => null,
    orderFor: () => Promise.resolve({ scope: { minutes: 1 } } as never),
    report: () => undefined,
    reroute: () => Promise.resolve(),
  });
  const effect = { kind: "start_attempt", id: "attempt:a#1", task_id: "a", attempt: 1, reserved: SET_ASIDE };
  const event = await attempts.start(effect as unknown as StartEffect, new AbortController().signal);
  if (event.type !== "attempt_finished") throw new Error(event.type);
  expect(event.outcome).toMatchObject({ kind: "structural", error: "crash" });
  expect(bookedAmounts(SET_ASIDE, event.usage)).toEqual({ ...SET_ASIDE, files: 0, commits: 0 });
});

it("an attempt that left no commit has used none, also where its usage is estimated", () => {
  const usage = { amounts: { ...SET_ASIDE, tokens: 5, commits: 0 }, source: "estimated" as const };
  expect(bookedAmounts(SET_ASIDE, countCommits({ commit: null, usage })).commits).toBe(0);
  expect(bookedAmounts(SET_ASIDE, countCommits({ commit: "0123456789".repeat(4), usage })).commits).toBe(1);
});
