import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import { verifyRun } from "../store/chain/verify-run.js";
import { openSqliteStore } from "../store/sqlite/open-sqlite-store.js";
import { amounts, opening, planRef, runTask } from "../../testing/run-fixtures.js";
import { carryOut } from "./carry-out.js";
import type { EffectRunner, EngineClock, RunnableEffect } from "./effect-runner.js";

const folder = mkdtempSync(join(tmpdir(), "coordinator-many-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const clock: EngineClock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: () => Promise.reject(new Error("nobody waits here")),
};

function done(effect: RunnableEffect): RunEvent {
  if (effect.kind === "prove_requirements") throw new Error("nothing is to be proven here");
  const { kind, task_id, attempt } = effect;
  switch (kind) {
    case "stop_attempt":
      throw new Error("nobody is stopped here");
    case "start_attempt":
      return {
        type: "attempt_finished",
        task_id,
        attempt,
        outcome: { kind: "completed", output_ref: "x" },
        usage: { amounts: amounts(1), source: "reported" },
      };
    case "verify":
      return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
    case "integrate":
      return { type: "integration_finished", task_id, attempt, integrated: true, ref: "r" };
    case "resolve_conflict":
      throw new Error("nobody is in conflict here");
    case "review_level":
      return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
  }
}

describe("many runs in one store", () => {
  it("carries a hundred runs at once to their ends, each effect done once, each log whole [S1-115]", async () => {
    const store = await openSqliteStore(join(folder, "store.db"), { sha256 });
    const did: string[] = [];
    const runner: EffectRunner = {
      run: async (runId, effect) => {
        did.push(`${runId} ${effect.id}`);
        return done(effect);
      },
    };
    const plan = planRef([runTask("A"), runTask("B", { dependencies: ["A"] }), runTask("C", { dependencies: ["A"] })]);
    const ids = Array.from({ length: 100 }, (_, i) => `run_many-${i}`);
    const ends = await Promise.all(
      ids.map(async (runId) => {
        const run = await carryOut(runId, { store, runner, clock });
        await Promise.all(opening(plan, { plan_needs_approval: false }).map(run.signal));
        return run.settled();
      }),
    );
    expect(ends.filter(({ status, completed }) => status === "completed" && completed === 3)).toHaveLength(100);
    expect(did).toHaveLength(1200);
    expect(new Set(did).size).toBe(1200);
    for (const runId of ids) expect(await verifyRun(store, runId, { sha256 })).toMatchObject({ intact: true });
    await store.close();
  });
});
