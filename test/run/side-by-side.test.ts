import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { carryOut } from "../../src/hands/engine/carry-out.js";
import type { RunnableEffect, EngineClock } from "../../src/hands/engine/effect-runner.js";
import type { EventOf, RunEvent } from "../../src/model/event.js";
import { figuresOfRuns } from "../../src/app/inspect/all-figures.js";
import { openRuns } from "../../src/app/project/open-runs.js";
import { respondToRun } from "../../src/app/inspect/respond-run.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { verifyRun } from "../../src/hands/store/chain/verify-run.js";
import { sha256 } from "../../src/hands/store/sha256.js";
import { amounts, opening, planRef, runTask } from "../../src/testing/run-fixtures.js";

const folder = mkdtempSync(join(tmpdir(), "coordinator-side-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clock: EngineClock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: () => Promise.reject(new Error("nobody waits here")),
};

/** Whatever is asked for is done, and says in which project. */
function doneIn(project: string, effect: RunnableEffect): RunEvent {
  if (effect.kind === "prove_requirements") throw new Error("nothing is to be proven here");
  const { kind, task_id, attempt } = effect;
  const at = { task_id, attempt };
  switch (kind) {
    case "stop_attempt":
      throw new Error("nobody is stopped here");
    case "start_attempt": {
      const outcome = { kind: "completed", output_ref: project } as const;
      return { type: "attempt_finished", ...at, outcome, usage: { amounts: amounts(4), source: "reported" } };
    }
    case "verify":
      return { type: "verification_finished", ...at, verdict: "PASS", evidence: project };
    case "integrate":
      return { type: "integration_finished", ...at, integrated: true, ref: project };
    case "resolve_conflict":
      throw new Error("nobody is in conflict here");
    case "review_level":
      return { type: "review_finished", ...at, accepted: true, summary: project };
  }
}

async function project(name: string, runs: number) {
  const root = join(folder, name);
  mkdirSync(root);
  const store = await openRuns(stateFolder(root));
  const runner = { run: async (_: string, effect: RunnableEffect) => doneIn(name, effect) };
  const [request, ...rest] = opening(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]), {
    plan_needs_approval: false,
  }) as [EventOf<"request_received">, ...RunEvent[]];
  const begin = async (i: number) => {
    const run = await carryOut(`run_${name}-${i}`, { store, runner, clock });
    const asked = { ...request, request_id: `${name}/${i}`, request: `Do it in ${name}` };
    await Promise.all([asked, ...rest].map(run.signal));
    await run.settled();
  };
  return { name, store, work: () => Promise.all(Array.from({ length: runs }, (_, i) => begin(i))) };
}

const nobodyLooks = () => Promise.resolve(null);

describe("projects side by side", () => {
  it("ten are active at once, each in a store of its own, and nothing of one is in another [S1-116]", async () => {
    const names = Array.from({ length: 10 }, (_, i) => `project${i}`);
    const projects = await Promise.all(names.map((name) => project(name, 2)));
    await Promise.all(projects.map(({ work }) => work()));
    for (const { name, store } of projects) {
      const runs = await store.runs();
      expect(runs.map(({ run_id }) => run_id)).toEqual([`run_${name}-0`, `run_${name}-1`]);
      for (const { run_id } of runs) {
        const log: string[] = [];
        for await (const logged of store.read(run_id)) log.push(JSON.stringify(logged.event));
        for (const other of names.filter((each) => each !== name)) expect(log.join("\n")).not.toContain(other);
        expect(log.join("\n")).toContain(`Do it in ${name}`);
        expect(await verifyRun(store, run_id, { sha256 })).toMatchObject({ intact: true });
      }
      const { figures, problems } = await figuresOfRuns(store);
      expect([figures.length, problems]).toEqual([2, []]);
      await store.close();
    }
  });

  it("a hundred requests at once are each answered, with their own id, what they cost and where their work is [S1-115]", async () => {
    const { store, work } = await project("busy", 100);
    await work();
    const answers = await Promise.all(
      (await store.runs()).map(({ run_id }) => respondToRun(store, run_id, nobodyLooks)),
    );
    const responses = answers.flatMap(({ response }) => (response === null ? [] : [response]));
    expect(new Set(responses.map(({ request_id }) => request_id)).size).toBe(100);
    expect(
      responses.every(({ status, resource_usage }) => status === "completed" && resource_usage.tokens_used === 8),
    ).toBe(true);
    await store.close();
  });
});
