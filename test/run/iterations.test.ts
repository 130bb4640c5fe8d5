import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../src/model/event.js";
import { ownIdentity } from "../../src/foundation/processes/process-identity.js";
import { readRuns } from "../../src/app/project/open-runs.js";
import { RunPolicy } from "../../src/model/run.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import {
  carryOutRun,
  type Ended,
  FILE,
  openRun,
  type RealProject,
  realProject,
  realTask,
  RUN,
  THERE,
} from "./real-run.js";

/*
 * The turns of an agent within one attempt, in whole runs: what is missing after a turn goes back to the same session, and
 * nothing is completed without the completion promise.
 */

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const HEAD = "refs/coord/run_of_conflicts/head";
const BREAK = { edit: FILE, replace: "omega", with: "broken" };
const MEND = { edit: FILE, replace: "broken", with: "mended" };
const USE = { usage: { in: 1000, out: 100, cost_usd: 0.01 } };

const task = (difference: Parameters<typeof realTask>[2] = {}) =>
  realTask("T1", "Extend the list", { completion_promise: "FEATURE_COMPLETE", iterations: 4, ...difference });
const turn = (iteration: number, ...steps: Readonly<Record<string, unknown>>[]) => ({
  prompt_has: "Your task: Extend the list",
  iteration,
  steps,
});
const brief = ({ iteration, promised, failing, next }: EventOf<"iteration_finished">) => ({
  iteration,
  promised,
  failing,
  next,
});
const iterationsOf = (run: Ended) => run.of("iteration_finished").map(brief);

async function logOf({ root }: RealProject): Promise<RunEvent[]> {
  const reader = await readRuns(stateFolder(root));
  const events: RunEvent[] = [];
  if (reader === null) return events;
  for await (const { event } of reader.read(RUN)) events.push(event);
  await reader.close();
  return events;
}

/** The processes of this test: its folder stands in what they were started with. */
function processesNaming(folder: string): number[] {
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(name).includes(folder))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

function killAll(folder: string): void {
  for (const pid of processesNaming(folder))
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended with the one before it.
    }
}

function call({ root, env }: RealProject, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd: root, env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

describe("a turn that breaks a check", () => {
  it("is followed by another one in the same session, and a person is not asked [S3-078]", async () => {
    const project = realProject([turn(1, USE, BREAK), turn(2, USE, USE, MEND)]);
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("completed");
    expect(iterationsOf(run)).toEqual([
      { iteration: 1, promised: true, failing: [expect.stringMatching(/^sound: /)], next: "again" },
      { iteration: 2, promised: true, failing: [], next: "done" },
    ]);
    const [first, second] = run.of("iteration_finished");
    expect(first).toMatchObject({ limit: 4, checks: [{ check: "sound", failing: 1 }], tokens: 1100, cost_usd: 0.01 });
    expect(second).toMatchObject({ checks: [{ check: "sound", failing: 0 }], tokens: 2200, cost_usd: 0.02 });
    expect(run.of("attempt_started")).toHaveLength(1);
    expect(run.of("escalation_raised")).toEqual([]);
    expect(run.of("attempt_finished")[0]).toMatchObject({
      promise: { text: "FEATURE_COMPLETE", given: true, iterations: 2 },
      usage: { amounts: { tokens: 3300, cost_usd: 0.03 } },
    });
    expect(project.git("show", `${HEAD}:${FILE}`)).toBe("alpha\nmended");
  });

  it("goes on in the same session, with its count and budget, when the Coordinator is killed before the next one [S3-078]", async () => {
    const project = realProject([turn(1, USE, BREAK), turn(2, { sleep: 6000 }, USE, USE, MEND)]);
    await openRun(project, [task()]);
    const args = [MAIN, "run", "--resume", RUN];
    const coordinator = spawn(process.execPath, args, { cwd: project.root, env: project.env, stdio: "ignore" });
    const turns = async () => (await logOf(project)).filter(({ type }) => type === "iteration_finished").length;
    await expect.poll(turns, { timeout: 60_000, interval: 100 }).toBe(1);
    coordinator.kill("SIGKILL");
    await once(coordinator, "exit");
    const before = await logOf(project);
    expect(before.map(({ type }) => type)).not.toContain("attempt_finished");
    // The only place of the project is somebody else's: what goes on already is supervised at once all the same.
    const places = join(project.root, ".coordinator", "places");
    mkdirSync(places, { recursive: true });
    writeFileSync(join(places, "other.json"), JSON.stringify(ownIdentity()));
    const run = await carryOutRun(project, [task()], {}, { mostAtOnce: 1 });
    expect(run.status).toBe("completed");
    expect(run.events.slice(0, before.length)).toEqual(before);
    expect(iterationsOf(run).map(({ iteration, next }) => [iteration, next])).toEqual([
      [1, "again"],
      [2, "done"],
    ]);
    const [started, ...others] = run.of("attempt_started");
    expect(others).toEqual([]);
    expect(started?.reserved.tokens).toBe(10_000);
    expect(run.of("attempt_finished")).toMatchObject([
      { attempt: 1, promise: { iterations: 2 }, usage: { amounts: { tokens: 3300, cost_usd: 0.03 } } },
    ]);
    const attempts = join(project.root, ".coordinator", "attempts", RUN);
    const [effect = ""] = readdirSync(attempts).filter((name) => name.startsWith("attempt_"));
    expect(readdirSync(join(attempts, effect)), "one process and one session did both turns").toEqual(["1"]);
  });

  it("is not lost when every process is killed in the middle of the next one: another attempt mends it, and both count [S3-078]", async () => {
    const project = realProject([
      turn(2, { sleep: 60_000 }, USE, MEND),
      { ...turn(1, USE, BREAK), attempt: 1 },
      turn(1, USE, { edit: FILE, replace: "omega", with: "mended" }),
    ]);
    await openRun(project, [task()], { failure: RunPolicy.shape.failure.parse({ base_delay_ms: 1 }) });
    const args = [MAIN, "run", "--resume", RUN];
    const coordinator = spawn(process.execPath, args, { cwd: project.root, env: project.env, stdio: "ignore" });
    const turns = async () => (await logOf(project)).filter(({ type }) => type === "iteration_finished").length;
    await expect.poll(turns, { timeout: 60_000, interval: 100 }).toBe(1);
    coordinator.kill("SIGKILL");
    killAll(dirname(project.root));
    await once(coordinator, "exit");
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("completed");
    expect(run.of("attempt_finished").map(({ outcome }) => outcome.kind)).toEqual(["structural", "completed"]);
    expect(iterationsOf(run).map(({ iteration, next }) => [iteration, next])).toEqual([
      [1, "again"],
      [1, "done"],
    ]);
    // What the lost attempt used is counted, and never as nothing.
    for (const { usage } of run.of("attempt_finished")) expect(usage.amounts.tokens).toBeGreaterThan(0);
    expect(project.git("show", `${HEAD}:${FILE}`)).toBe("alpha\nmended");
  });

  it("that nobody mends is a person's to decide when the agent changes nothing any more [S1-069, S1-089, S3-078]", async () => {
    const project = realProject([turn(1, BREAK)]);
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("blocked");
    expect(iterationsOf(run).map(({ next }) => next)).toEqual(["again", "again", "ask"]);
    expect(run.of("verification_finished")[0]).toMatchObject({ verdict: "FAIL" });
    expect(run.of("escalation_raised")).toMatchObject([
      { escalation: { type: "quality_failure", response: "alternative_approach", package: { output: "T1#1" } } },
    ]);
    // Nobody tries it again by themselves, not with another approach either.
    expect(run.of("attempt_started")).toHaveLength(1);
    expect(run.of("alternative_chosen")).toEqual([]);
  });

  it("is not blamed for a check that failed on the base already", async () => {
    const checks = [...THERE, { name: "old", run: "! grep -q alpha src/list.txt" }];
    const project = realProject([turn(1, { edit: FILE, replace: "omega", with: "beta" })], { checks });
    const run = await carryOutRun(project, [task()]);
    expect(iterationsOf(run)).toEqual([{ iteration: 1, promised: true, failing: [], next: "done" }]);
    expect(run.of("iteration_finished")[0]?.checks).toContainEqual({ check: "old", failing: 0, failed_before: 1 });
  });

  it("is done with the tests that failed before: the verdict is PASS and lists them [S3-079]", async () => {
    const tests = `echo TAP version 14; test -s ${FILE} && echo "ok 1 - there"; echo "not ok 2 - old"; echo 1..2`;
    const checks = [{ name: "tests", kind: "test", run: tests, report: { format: "tap" } }];
    const project = realProject([turn(1, { edit: FILE, replace: "omega", with: "beta" })], { checks });
    const run = await carryOutRun(project, [task()]);
    const [verdict] = run.of("verification_finished");
    expect([verdict?.verdict, verdict?.proof?.failed_before]).toEqual(["PASS", ["tests: old"]]);
    expect(run.status).toBe("completed");
  });

  it("that leaves the scope is never followed by another one", async () => {
    const outside = { write: "src/other.txt", text: "changed\n", ask: false };
    const project = realProject([turn(1, BREAK, outside), turn(2, MEND)]);
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("blocked");
    expect(run.of("attempt_finished")[0]?.outcome).toMatchObject({ kind: "semantic", violation: "scope" });
    expect(iterationsOf(run).filter(({ next }) => next === "again")).toEqual([]);
  });
});

describe("an agent that does not give its completion promise", () => {
  const SAY = { say: "I am not done at all and promise nothing." };

  it("never completes its task, whatever its checks say; a person may accept it so [S3-034]", async () => {
    const project = realProject([
      turn(1, { edit: FILE, replace: "omega", with: "beta" }, SAY, { promise: false }),
      turn(2, SAY, { promise: false }),
    ]);
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("blocked");
    expect(run.of("verification_finished")[0]).toMatchObject({ verdict: "BLOCKED" });
    expect(run.of("integration_finished")).toEqual([]);
    const [asked] = run.of("escalation_raised");
    const promise = { kind: "unfinished", id: "completion promise" };
    expect(asked?.escalation).toMatchObject({
      liftable: { objections: expect.arrayContaining([expect.objectContaining(promise)]) as unknown },
    });
    expect(call(project, "inbox")).toContain("did not give its completion promise FEATURE_COMPLETE");
    const answered = call(project, "answer", asked?.escalation.escalation_id ?? "", "--order", "waive");
    expect(answered).toContain("waive ordered by");
    const after = await carryOutRun(project, [task()]);
    expect(after.status).toBe("completed");
    expect(after.of("escalation_answered")[0]?.order).toMatchObject({
      objections: expect.arrayContaining([expect.objectContaining(promise)]) as unknown,
    });
  });

  it("is reminded of the exact text, which costs it one iteration", async () => {
    const project = realProject([
      turn(
        1,
        { edit: FILE, replace: "omega", with: "beta" },
        { say: "FEATURE_COMPLETE, I think." },
        { promise: false },
      ),
      turn(2, { say: "Yes:" }),
    ]);
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("completed");
    expect(iterationsOf(run)).toMatchObject([
      { promised: false, next: "again" },
      { promised: true, next: "done" },
    ]);
  });

  it("has no more turns than the task allows, though it changes something in each [S3-073]", async () => {
    const grow = (n: number) => ({ edit: FILE, replace: "omega", with: `line ${n}\nomega` });
    const turns = [1, 2, 3, 4, 5, 6].map((n) => turn(n, grow(n), { promise: false }));
    const project = realProject(turns);
    const run = await carryOutRun(project, [task()]);
    expect(run.status).toBe("blocked");
    expect(iterationsOf(run).map(({ next }) => next)).toEqual(["again", "again", "again", "ask"]);
    expect(run.of("iteration_finished").at(-1)?.reason).toContain("after 4 of 4 iterations");
    expect(run.of("attempt_started")).toHaveLength(1);
  });

  it("is stopped when the budget of the attempt is used up", async () => {
    const much = { usage: { in: 6000, out: 100, cost_usd: 0 } };
    const project = realProject([turn(1, much, { promise: false }), turn(2, much, { promise: false })]);
    const run = await carryOutRun(project, [task()]);
    expect(run.of("attempt_finished")[0]?.outcome).toMatchObject({ kind: "resource", what: "tokens" });
    expect(iterationsOf(run)).toMatchObject([{ iteration: 1, next: "again" }]);
  });
});

it("a task whose plan names no promise is asked for the standard one", async () => {
  const { completion_promise: _, iterations: __, ...plain } = task();
  const project = realProject([turn(1, { edit: FILE, replace: "omega", with: "beta" })]);
  const run = await carryOutRun(project, [plain]);
  expect(run.status).toBe("completed");
  expect(run.of("attempt_finished")[0]?.promise).toMatchObject({ text: "TASK_COMPLETE", given: true });
});
