import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import type { AttemptOutcome } from "../../model/run.js";
import type { EventStore } from "../store/event-store.js";
import { createMemoryStore } from "../store/memory-store.js";
import { FakeClock } from "../../testing/fake-clock.js";
import { amounts, opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { carryOut, type EngineParts } from "./carry-out.js";
import type { EffectRunner, RunnableEffect } from "./effect-runner.js";

const RUN = "run_of_a_test";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Every effect ends well, but for what is scripted. It remembers what it ran. */
class ScriptedRunner implements EffectRunner {
  readonly did: string[] = [];
  readonly aborted: string[] = [];
  readonly script: Map<string, AttemptOutcome | "hang" | "lost">;

  constructor(script: Record<string, AttemptOutcome | "hang" | "lost"> = {}) {
    this.script = new Map(Object.entries(script));
  }

  readonly run = async (
    _run: string,
    effect: RunnableEffect,
    { signal }: { signal: AbortSignal },
  ): Promise<RunEvent> => {
    this.did.push(effect.id);
    signal.addEventListener("abort", () => this.aborted.push(effect.id));
    const scripted = this.script.get(effect.id);
    if (scripted === "hang") return new Promise(() => undefined);
    if (scripted === "lost") throw new Error("the hand cannot tell");
    if (effect.kind === "prove_requirements") throw new Error("nothing is to be proven here");
    const { task_id, attempt } = effect;
    switch (effect.kind) {
      case "start_attempt":
        return {
          type: "attempt_finished",
          task_id,
          attempt,
          outcome: scripted ?? { kind: "completed", output_ref: "x" },
          usage: { amounts: amounts(1), source: "reported" },
        };
      case "stop_attempt":
        return {
          type: "attempt_finished",
          task_id,
          attempt,
          outcome: { kind: "resource", what: effect.what, message: effect.message },
          usage: { amounts: amounts(0), source: "estimated" },
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
  };
}

function parts(
  runner: EffectRunner,
  store: EventStore = createMemoryStore({ sha256 }),
): EngineParts & { clock: FakeClock } {
  return { store, runner, clock: new FakeClock() };
}

const plan = planRef([runTask("A"), runTask("B", { dependencies: ["A"] }), runTask("C", { dependencies: ["A"] })]);

async function opened(all: EngineParts, policy: Parameters<typeof opening>[1] = { plan_needs_approval: false }) {
  const run = await carryOut(RUN, all);
  for (const event of opening(plan, policy)) expect(await run.signal(event)).toBeNull();
  return run;
}

async function types(store: EventStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { event } of store.read(RUN)) found.push(event.type);
  return found;
}

describe("carryOut", () => {
  it("carries a run to its end, each effect done once and in order", async () => {
    const runner = new ScriptedRunner();
    const all = parts(runner);
    const run = await opened(all);
    expect(await run.settled()).toMatchObject({ status: "completed", completed: 3 });
    expect(runner.did).toHaveLength(12);
    expect(new Set(runner.did).size).toBe(12);
    expect((await types(all.store)).at(-1)).toBe("run_finished");
  });

  it("waits for a retry on its own clock", async () => {
    const all = parts(new ScriptedRunner({ "attempt:A#1": { kind: "structural", error: "timeout", message: "x" } }));
    const run = await opened(all);
    expect(await run.settled()).toMatchObject({ status: "completed" });
    expect(all.clock.ms).toBeGreaterThanOrEqual(800);
  });

  it("settles when only a person can go on, and goes on with the answer", async () => {
    const all = parts(new ScriptedRunner());
    const run = await opened(all, {});
    expect(await run.settled()).toMatchObject({ status: "blocked" });
    expect(await run.signal({ type: "plan_approved", decider: PERSON })).toBeNull();
    expect(await run.settled()).toMatchObject({ status: "completed" });
  });

  it("says why something is not taken", async () => {
    const run = await opened(parts(new ScriptedRunner({ "attempt:A#1": "hang" })));
    expect(await run.signal({ type: "plan_approved", decider: PERSON })).toBe("the plan is approved already");
  });

  it("stops effects in mid-work when the run is cancelled", async () => {
    const runner = new ScriptedRunner({ "attempt:A#1": "hang" });
    const run = await opened(parts(runner));
    await run.signal({ type: "run_cancelled", decider: PERSON, reason: "enough" });
    expect(await run.settled()).toMatchObject({ status: "failed", reason: "cancelled" });
    expect(runner.aborted).toEqual(["attempt:A#1"]);
  });

  it("goes on in another process from the log alone, asking again for what was under way", async () => {
    const first = parts(new ScriptedRunner({ "attempt:A#1": "hang" }));
    const run = await opened(first);
    await run.stop();
    const runner = new ScriptedRunner();
    const again = await carryOut(RUN, parts(runner, first.store));
    expect(await again.settled()).toMatchObject({ status: "completed" });
    expect(runner.did[0]).toBe("attempt:A#1");
    expect((await types(first.store)).filter((type) => type === "attempt_started")).toHaveLength(3);
  });

  it("keeps the run's clock going forward when the wall clock is set back", async () => {
    const first = parts(new ScriptedRunner({ "attempt:A#1": "hang" }));
    const run = await opened(first);
    await run.stop();
    const later = parts(new ScriptedRunner(), first.store);
    later.clock.ms = -3_600_000;
    await (await carryOut(RUN, later)).settled();
    const clocks: number[] = [];
    for await (const { clock_ms } of first.store.read(RUN)) clocks.push(clock_ms);
    expect(clocks.every((ms, i) => i === 0 || ms >= (clocks[i - 1] as number))).toBe(true);
  });

  it("ends with the error when the store fails, and nothing more is done", async () => {
    const runner = new ScriptedRunner();
    const all = parts(runner);
    const run = await opened(all, {});
    const failing = { ...all.store, append: () => Promise.reject(new Error("disk full")) };
    const other = await carryOut(RUN, { ...all, store: failing });
    await expect(other.signal({ type: "plan_approved", decider: PERSON })).rejects.toThrow("disk full");
    await expect(other.settled()).rejects.toThrow("disk full");
    expect(runner.did).toEqual([]);
    await run.stop();
  });

  it("refuses to go on when somebody else has written to the log", async () => {
    const all = parts(new ScriptedRunner());
    const one = await opened(all, {});
    const two = await carryOut(RUN, all);
    expect(await one.signal({ type: "plan_rejected", decider: PERSON, reason: "no" })).toBeNull();
    await expect(two.signal({ type: "plan_approved", decider: PERSON })).rejects.toMatchObject({
      code: "STORE_LOCKED",
    });
  });

  it("says to its effects that it has lost the run, so that nobody stops what the next one needs", async () => {
    const reasons: unknown[] = [];
    const runner = new ScriptedRunner({ "attempt:A#1": "hang" });
    const hung: EffectRunner = {
      run: (run, effect, { signal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        return runner.run(run, effect, { signal });
      },
    };
    const all = parts(hung);
    const one = await opened(all);
    await (await carryOut(RUN, all)).signal({ type: "dispatch_paused", reason: "x" });
    await expect(one.signal({ type: "dispatch_paused", reason: "y" })).rejects.toMatchObject({ code: "STORE_LOCKED" });
    expect(reasons).toEqual([expect.objectContaining({ code: "STORE_LOCKED" })]);
    // Unlike one that is not wanted any more.
    const other = await opened(parts(hung));
    await other.signal({ type: "run_cancelled", decider: PERSON, reason: "enough" });
    expect(reasons.at(-1)).not.toHaveProperty("code", "STORE_LOCKED");
    expect(reasons).toHaveLength(2);
  });

  it("takes what is reported in one turn in one commit", async () => {
    const all = parts(new ScriptedRunner());
    const sizes: number[] = [];
    const store: EventStore = {
      ...all.store,
      append: (runId, expected, events) => {
        sizes.push(events.length);
        return all.store.append(runId, expected, events);
      },
    };
    const run = await carryOut(RUN, { ...all, store });
    const wide = planRef(Array.from({ length: 20 }, (_, i) => runTask(`T${i}`)));
    const policy = { plan_needs_approval: false, max_concurrent_tasks: 20 };
    expect(await Promise.all(opening(wide, policy).map(run.signal))).toEqual([null, null, null]);
    expect(await run.settled()).toMatchObject({ status: "completed", completed: 20 });
    // The opening with all starts, then the twenty ends of each of the four stages, the last with the end of the run.
    expect(sizes).toEqual([24, 20, 20, 20, 22]);
  });

  it("judges each event of a commit on the state its predecessor left", async () => {
    const run = await carryOut(RUN, parts(new ScriptedRunner({ "attempt:A#1": "hang" })));
    const [received, decided, frozen] = opening(plan) as [RunEvent, RunEvent, RunEvent];
    const approved: RunEvent = { type: "plan_approved", decider: PERSON };
    expect(await Promise.all([frozen, received, decided, frozen, approved, approved].map(run.signal))).toEqual([
      "the run has no request yet",
      null,
      null,
      null,
      null,
      "the plan is approved already",
    ]);
  });

  it("does not begin an effect that the same commit made nobody's", async () => {
    const runner = new ScriptedRunner();
    const run = await carryOut(RUN, parts(runner));
    const events = opening(plan, { plan_needs_approval: false });
    const cancelled: RunEvent = { type: "run_cancelled", decider: PERSON, reason: "enough" };
    await Promise.all([...events, cancelled].map(run.signal));
    expect(await run.settled()).toMatchObject({ status: "failed", reason: "cancelled" });
    expect(runner.did).toEqual([]);
  });

  it("shows nobody a state that is not durable", async () => {
    const all = parts(new ScriptedRunner());
    const seen: string[] = [];
    const store: EventStore = {
      ...all.store,
      append: async (runId, expected, events) => {
        const before = run.state().status;
        const result = await all.store.append(runId, expected, events);
        seen.push(`${before} → ${run.state().status}`);
        return result;
      },
    };
    const run = await carryOut(RUN, { ...all, store });
    await Promise.all(opening(plan, { plan_needs_approval: false }).map(run.signal));
    expect(seen[0]).toBe("pending → pending");
    expect(run.state().status).toBe("in_progress");
    await run.stop();
  });

  it("takes the others when one of a commit is in the log already", async () => {
    const all = parts(new ScriptedRunner({ "attempt:A#1": "hang", "attempt:B#1": "hang" }));
    let refused = 0;
    const store: EventStore = {
      ...all.store,
      append: async (runId, expected, events) => {
        const isRepeated = events.some(({ event }) => event.type === "attempt_finished" && event.task_id === "A");
        if (!isRepeated) return all.store.append(runId, expected, events);
        refused++;
        return { status: "duplicate", sequence: 5 };
      },
    };
    const run = await carryOut(RUN, { ...all, store });
    const beside = planRef([runTask("A"), runTask("B")]);
    await Promise.all(opening(beside, { plan_needs_approval: false }).map(run.signal));
    const finished = (task_id: string): RunEvent => ({
      type: "attempt_finished",
      task_id,
      attempt: 1,
      outcome: { kind: "completed", output_ref: "x" },
      usage: { amounts: amounts(1), source: "reported" },
    });
    expect(await Promise.all([run.signal(finished("A")), run.signal(finished("B"))])).toEqual([
      "event 5 says so already",
      null,
    ]);
    expect(refused).toBe(2);
    await run.stop();
  });

  it("waits for what was reported before it says that a run has settled", async () => {
    const run = await carryOut(RUN, parts(new ScriptedRunner()));
    for (const event of opening(plan, { plan_needs_approval: false })) void run.signal(event);
    expect(await run.settled()).toMatchObject({ status: "completed", completed: 3 });
  });

  it("does not look at an open breaker again and again while there is no place for its probe", async () => {
    const all = parts(
      new ScriptedRunner({
        "attempt:A#1": { kind: "structural", error: "timeout", message: "x" },
        "attempt:B#1": "hang",
      }),
    );
    const run = await carryOut(RUN, all);
    const beside = planRef([runTask("A"), runTask("B", { agent: "agent_b" })]);
    const policy = { plan_needs_approval: false, max_concurrent_tasks: 1, failure: { breaker_failures: 1 } };
    for (const event of opening(beside, policy)) await run.signal(event);
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => void setImmediate(resolve));
    await run.stop();
    expect((await types(all.store)).filter((type) => type === "wait_ended").length).toBeLessThanOrEqual(2);
  });

  it("leaves an effect open whose hand cannot tell, for whoever folds the log next", async () => {
    const first = parts(new ScriptedRunner({ "verify:A#1": "lost" }));
    const run = await opened(first);
    await expect(run.settled()).rejects.toThrow("cannot tell");
    const runner = new ScriptedRunner();
    expect(await (await carryOut(RUN, parts(runner, first.store))).settled()).toMatchObject({ status: "completed" });
    expect(runner.did[0]).toBe("verify:A#1");
  });
});

describe("effects that can be done again unnoticed", () => {
  class LookingRunner extends ScriptedRunner {
    readonly repeatable = new Set<RunnableEffect["kind"]>(["verify", "review_level"]);
  }

  /** A store that says what it was asked to append, and what stands in it. */
  function watched(inner: EventStore) {
    const appends: string[][] = [];
    const kept = new Set<string>();
    const store: EventStore = {
      ...inner,
      append: async (runId, expected, events) => {
        const names = events.map(({ event }) => ("task_id" in event ? `${event.type} ${event.task_id}` : event.type));
        appends.push(names);
        const result = await inner.append(runId, expected, events);
        for (const name of names) kept.add(name);
        return result;
      },
    };
    return { store, appends, kept };
  }

  it("say in one commit with their cause what they found at once", async () => {
    const runner = new LookingRunner();
    const all = parts(runner);
    const { store, appends } = watched(all.store);
    const run = await carryOut(RUN, { ...all, store });
    const wide = planRef(Array.from({ length: 20 }, (_, i) => runTask(`T${i}`)));
    const policy = { plan_needs_approval: false, max_concurrent_tasks: 20 };
    await Promise.all(opening(wide, policy).map(run.signal));
    expect(await run.settled()).toMatchObject({ status: "completed", completed: 20 });
    expect(appends.map(({ length }) => length)).toEqual([24, 40, 42]);
    expect(new Set(runner.did).size).toBe(80);
    expect(appends[1]?.indexOf("attempt_finished T7")).toBeLessThan(
      appends[1]?.indexOf("verification_finished T7") ?? -1,
    );
  });

  it("are the only ones: all others begin when what led to them is durable", async () => {
    const all = parts(new LookingRunner());
    const { store, kept } = watched(all.store);
    const before = { start_attempt: "attempt_started", integrate: "verification_finished" } as const;
    const tooEarly: string[] = [];
    const runner: EffectRunner = {
      ...all.runner,
      run: (runId, effect, options) => {
        const cause = effect.kind === "start_attempt" || effect.kind === "integrate" ? before[effect.kind] : null;
        if (cause !== null && !kept.has(`${cause} ${effect.task_id}`)) tooEarly.push(effect.id);
        return all.runner.run(runId, effect, options);
      },
    };
    const run = await opened({ ...all, runner, store });
    expect(await run.settled()).toMatchObject({ status: "completed" });
    expect(tooEarly).toEqual([]);
    expect(kept).toContain("review_finished C");
  });

  it("are stopped when their cause did not come into the log", async () => {
    const runner = new LookingRunner({ "attempt:A#1": "hang", "verify:A#1": "hang" });
    const all = parts(runner);
    const store: EventStore = {
      ...all.store,
      append: async (runId, expected, events) =>
        events.some(({ event }) => event.type === "attempt_finished")
          ? { status: "duplicate", sequence: 5 }
          : all.store.append(runId, expected, events),
    };
    const run = await opened({ ...all, store });
    const finished: RunEvent = {
      type: "attempt_finished",
      task_id: "A",
      attempt: 1,
      outcome: { kind: "completed", output_ref: "x" },
      usage: { amounts: amounts(1), source: "reported" },
    };
    expect(await run.signal(finished)).toBe("event 5 says so already");
    expect(runner.aborted).toEqual(["verify:A#1"]);
    await run.stop();
  });

  it("do not take their cause with them when they cannot tell", async () => {
    const all = parts(new LookingRunner({ "verify:A#1": "lost" }));
    const run = await opened(all);
    await expect(run.settled()).rejects.toThrow("cannot tell");
    await run.stop();
    expect(await types(all.store)).toContain("attempt_finished");
    const runner = new LookingRunner();
    expect(await (await carryOut(RUN, parts(runner, all.store))).settled()).toMatchObject({ status: "completed" });
    expect(runner.did[0]).toBe("verify:A#1");
  });

  it("go on when the commit took them further, and are stopped when it ended the run", async () => {
    const runner = new LookingRunner({ "attempt:A#1": "hang", "verify:A#1": "hang" });
    const all = parts(runner);
    const run = await opened(all);
    const finished: RunEvent = {
      type: "attempt_finished",
      task_id: "A",
      attempt: 1,
      outcome: { kind: "completed", output_ref: "x" },
      usage: { amounts: amounts(1), source: "reported" },
    };
    expect(await run.signal(finished)).toBeNull();
    expect(runner.did).toContain("verify:A#1");
    expect(runner.aborted).not.toContain("verify:A#1");
    await run.signal({ type: "run_cancelled", decider: PERSON, reason: "enough" });
    expect(await run.settled()).toMatchObject({ status: "failed", reason: "cancelled" });
    expect(runner.aborted).toContain("verify:A#1");
  });
});
