import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anything, array, assert, nat, property, record } from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { carryOut } from "../../hands/engine/carry-out.js";
import type { RunEvent } from "../../model/event.js";
import type { Judgement, ToolUse } from "../../model/scope.js";
import { NEW_RUN, type RunState } from "../../mind/run/state.js";
import { refusal, step } from "../../mind/run/transition.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { amounts, opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { createDeriver } from "../prove/derive.js";
import { holderOf, openRuns, readRuns } from "../project/open-runs.js";
import { criticalPathLeft } from "./overview.js";
import { serveSignals } from "../decide/serve-signals.js";
import { leaveSignal, leftSignals, newSignalId, readVerdict, type Signal, sweepBox } from "../decide/signal-box.js";
import { stateFolder } from "../project/state-folder.js";
import { fileBox } from "../decide/signal-boxes.js";
import { logTaker, takeForLog, takeSignal } from "../decide/take-signals.js";
import { readTape } from "../prove/tape.js";
import { isLineOfItsOwn, describeEvent } from "./describe-event.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function taken(events: readonly RunEvent[]): { state: RunState; all: RunEvent[] } {
  const all: RunEvent[] = [];
  let state = NEW_RUN;
  for (const event of events) {
    expect(refusal(state, event)).toBeNull();
    const moved = step(state, event, all.length);
    state = moved.state;
    all.push(...moved.events);
  }
  return { state, all };
}

describe("the critical path that is left", () => {
  it("is the longest of all ways, as trying every way finds it", () => {
    const dag = array(record({ minutes: nat(9), back: array(nat(9), { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 9,
    });
    assert(
      property(dag, (shape) => {
        const tasks = shape.map(({ minutes, back }, i) =>
          runTask(`T${i}`, {
            estimate: { ...amounts(0), minutes },
            dependencies: i === 0 ? [] : [...new Set(back.map((b) => `T${b % i}`))],
          }),
        );
        const { state } = taken(opening(planRef(tasks), { plan_needs_approval: false }));
        const longest = (i: number): number =>
          (tasks[i]?.estimate.minutes ?? 0) +
          Math.max(0, ...tasks.flatMap((task, j) => (task.dependencies.includes(`T${i}`) ? [longest(j)] : [])));
        const path = criticalPathLeft(state);
        expect(path.minutes).toBe(Math.max(...tasks.map((_, i) => longest(i))));
        const along = path.tasks.map((id) => tasks.find(({ task_id }) => task_id === id));
        expect(along.reduce((sum, task) => sum + (task?.estimate.minutes ?? 0), 0)).toBe(path.minutes);
        for (const [i, task] of along.entries()) if (i > 0) expect(task?.dependencies).toContain(path.tasks[i - 1]);
      }),
    );
  });
});

describe("telling events", () => {
  it("tells also those that this version does not know", () => {
    const unknown = (event: object) => describeEvent(event as RunEvent);
    expect(unknown({ type: "tool_lent", task_id: "A", tool: "bash", allowed: false })).toBe(
      "A: tool lent, tool bash, allowed false",
    );
    expect(unknown({ type: "sandbox_left" })).toBe("sandbox left");
    expect(unknown({ type: "x", long: "y".repeat(1000) }).length).toBe(300);
  });

  const use = (more: Partial<ToolUse>): ToolUse => ({
    tool_call_id: "1",
    stage: "deed",
    kind: "edit",
    title: "Edit",
    paths: [{ path: "src/csv.mjs", access: "write" }],
    command: null,
    hosts: [],
    ...more,
  });
  const judged = (tool: Partial<ToolUse>, judgement: Partial<Judgement> = {}): RunEvent => ({
    type: "tool_judged",
    task_id: "A",
    attempt: 1,
    use: use(tool),
    judgement: { decision: "allow", rule_id: "scope", reason: "in the scope", ...judgement },
  });

  it("tells what an agent does, and what it may not with the rule and the reason", () => {
    expect(describeEvent(judged({}))).toBe("A: edits src/csv.mjs");
    expect(describeEvent(judged({ kind: "execute", command: "npm test", paths: [] }))).toBe("A: runs npm test");
    const no = { rule_id: "scope_write", reason: "outside" };
    expect(describeEvent(judged({ stage: "request" }, { ...no, decision: "deny" }))).toBe(
      "A: may not edit src/csv.mjs: scope_write, outside",
    );
    expect(describeEvent(judged({ stage: "request" }, { ...no, decision: "ask" }))).toBe(
      "A: may not edit src/csv.mjs unless a person says so: scope_write, outside",
    );
    expect(describeEvent(judged({}, { ...no, decision: "violation" }))).toBe(
      "A: violation, edits src/csv.mjs: scope_write, outside",
    );
    const many = ["a", "b", "c", "d", "e"].map((path) => ({ path, access: "read" }) as const);
    expect(describeEvent(judged({ kind: "read", paths: many }))).toBe("A: reads a, b, c and 2 more");
  });

  it("gives a line to what has happened, and none to what is only on its way", () => {
    const usage = { amounts: amounts(1), source: "reported" } as const;
    expect(isLineOfItsOwn({ type: "attempt_progressed", task_id: "A", attempt: 1, usage, note: "" })).toBe(false);
    expect(isLineOfItsOwn(judged({ stage: "request" }))).toBe(false);
    expect(isLineOfItsOwn(judged({ stage: "request" }, { decision: "deny" }))).toBe(true);
    expect(isLineOfItsOwn(judged({}))).toBe(true);
  });
});

describe("deriving a log again", () => {
  const { all } = taken(opening(planRef([runTask("A")]), { plan_needs_approval: false }));
  const derive = (events: readonly RunEvent[]) => {
    const deriver = createDeriver();
    for (const [i, event] of events.entries())
      deriver.take({ run_id: "r", sequence: i + 1, at: "", clock_ms: i, event, previous_hash: "", hash: "" });
    return deriver.finish();
  };

  it("finds nothing in one that the rules made", () => {
    expect(derive(all)).toMatchObject({ impossible: null, other: null, reported: 3, derived: 2 });
  });

  it("finds an event that could not have been taken, and one that the rules do not give", () => {
    const forged: RunEvent = { type: "run_finished", status: "completed", reason: "because I say so" };
    expect(derive([...all.slice(0, 3), forged])).toMatchObject({
      other: { sequence: 4, expected: "plan_approved", found: "run_finished" },
    });
    const early: RunEvent = { type: "review_finished", task_id: "A", attempt: 1, accepted: true, summary: "" };
    expect(derive([...all, early])).toMatchObject({
      impossible: { sequence: 6, why: "A is not waiting for this outcome" },
    });
  });

  it("is total", () => {
    assert(
      property(array(anything()), (events) => {
        derive(events as RunEvent[]);
        readTape(JSON.stringify(events));
      }),
    );
  });
});

describe("serving a live run", () => {
  const runner = { run: () => new Promise<RunEvent>(() => undefined) };
  const clock = { now: () => "2026-02-03T04:06:06Z", elapsedMs: () => 0, wait: () => Promise.resolve() };
  const approve = (run_id: string): Signal => ({
    signal_id: newSignalId(1),
    run_id,
    event: { type: "plan_approved", decider: PERSON },
    roles: ["ada"],
    after: 0,
    sent_at: clock.now(),
  });

  async function served(others: "take" | "leave") {
    const root = mkdtempSync(join(tmpdir(), "coordinator-serve-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const at = stateFolder(root);
    const store = createMemoryStore({ sha256 });
    const runs = await Promise.all(["run_live", "run_other"].map((id) => carryOut(id, { store, runner, clock })));
    const [run] = runs;
    for (const each of runs) for (const event of opening(planRef([runTask("A")]))) await each.signal(event);
    if (run === undefined) throw new Error("there must be a run");
    const start = () => serveSignals(run, { runId: "run_live", at, store, now: clock.now, others, everyMs: 1 });
    return { at, store, run, start };
  }

  const judged = async (folder: string, { signal_id }: Signal) => {
    for (;;) {
      const verdict = readVerdict(folder, signal_id);
      if (verdict !== null) return verdict;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  it("brings a decision to the run, and to others only where it may", async () => {
    for (const others of ["take", "leave"] as const) {
      const { at, store, run, start } = await served(others);
      const [beside, own] = [approve("run_other"), approve("run_live")];
      leaveSignal(at.signals, beside);
      leaveSignal(at.signals, own);
      const serving = start();
      expect(await judged(at.signals, own)).toEqual({ status: "taken", sequence: 4 });
      expect(run.state()).toMatchObject({ plan_approved: true, running: 1 });
      if (others === "take") expect(await judged(at.signals, beside)).toEqual({ status: "taken", sequence: 4 });
      await serving.stop();
      expect(leftSignals(at.signals)).toEqual(others === "take" ? [] : [beside]);
      expect((await store.head("run_other"))?.sequence).toBe(others === "take" ? 5 : 3);
    }
  });

  it("leaves a decision for the next process when its own has stopped", async () => {
    const { at, run, start } = await served("leave");
    await run.stop();
    const signal = approve("run_live");
    leaveSignal(at.signals, signal);
    await expect(start().ended).rejects.toMatchObject({ code: "STORE_LOCKED" });
    expect(leftSignals(at.signals)).toEqual([signal]);
  });
});

describe("several processes work on the runs of a project", () => {
  it("each on its own, and a decision goes to the one that carries out the run", async () => {
    const root = mkdtempSync(join(tmpdir(), "coordinator-lock-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const at = stateFolder(root);
    const [store, other] = [await openRuns(at), await openRuns(at)];
    const claim = await store.claim("run_live");
    expect(claim.status).toBe("claimed");
    expect(await holderOf(other, "run_live")).toMatchObject({ pid: process.pid });
    expect(await holderOf(other, "run_other")).toBeNull();
    const signal: Signal = {
      signal_id: newSignalId(1),
      run_id: "run_live",
      event: { type: "plan_approved", decider: PERSON },
      roles: ["ada"],
      after: 0,
      sent_at: "2026-02-03T04:06:06Z",
    };
    leaveSignal(at.signals, signal);
    const now = () => "2026-02-03T04:06:06Z";
    expect(await takeForLog(fileBox(at.signals), signal, other, now)).toMatchObject({ pid: process.pid });
    expect(leftSignals(at.signals)).toEqual([signal]);
    await store.close();
    expect(await takeForLog(fileBox(at.signals), signal, other, now)).toBeNull();
    expect(leftSignals(at.signals)).toEqual([]);
    await other.close();
  });
});

describe("a store that is empty", () => {
  const emptied = () => {
    const root = mkdtempSync(join(tmpdir(), "coordinator-emptied-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const at = stateFolder(root);
    mkdirSync(at.folder);
    writeFileSync(at.database, "");
    return at;
  };

  it("is one that was never written to", async () => {
    const at = emptied();
    expect(await readRuns(at)).toBeNull();
    await (await openRuns(at)).close();
  });

  it("has lost its log where runs have left records: nothing is begun in its place", async () => {
    const at = emptied();
    mkdirSync(join(at.folder, "records", "run_before"), { recursive: true });
    await expect(readRuns(at)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(openRuns(at)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });
});

describe("the signal box", () => {
  const RUN = "run_of_a_box";
  const approval: RunEvent = { type: "plan_approved", decider: PERSON };

  async function waiting() {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-box-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = createMemoryStore({ sha256 });
    const events = taken(opening(planRef([runTask("A")]))).all;
    await store.append(
      RUN,
      0,
      events.map((event) => ({ event, at: "2026-02-03T04:05:06Z", clock_ms: 5 })),
    );
    const send = (difference: Partial<Signal> = {}): Signal => {
      const signal: Signal = {
        signal_id: newSignalId(1),
        run_id: RUN,
        event: approval,
        roles: ["ada"],
        after: 3,
        sent_at: "2026-02-03T04:05:06Z",
        ...difference,
      };
      leaveSignal(folder, signal);
      return signal;
    };
    const taker = logTaker(store, () => "2026-02-03T04:06:06Z");
    return { folder, store, send, taker };
  }

  it("is taken once, and the verdict stays for whoever asks again", async () => {
    const { folder, store, send, taker } = await waiting();
    const signal = send();
    expect(leftSignals(folder)).toEqual([signal]);
    expect(await takeSignal(fileBox(folder), signal, taker)).toEqual({ status: "taken", sequence: 4 });
    expect(leftSignals(folder)).toEqual([]);
    expect(readVerdict(folder, signal.signal_id)).toEqual({ status: "taken", sequence: 4 });
    const end = await store.head(RUN);
    leaveSignal(folder, signal);
    expect(await takeSignal(fileBox(folder), signal, taker)).toEqual({ status: "taken", sequence: 4 });
    expect(await store.head(RUN)).toEqual(end);
  });

  it("a second decision on the same thing is refused, with the reason", async () => {
    const { folder, send, taker } = await waiting();
    await takeSignal(fileBox(folder), send(), taker);
    const late = send({ event: { type: "plan_rejected", decider: PERSON, reason: "no" } });
    expect(await takeSignal(fileBox(folder), late, taker)).toEqual({
      status: "refused",
      reason: expect.stringMatching(/^it was decided by ada already: event 4 of /) as unknown,
    });
    expect(await takeSignal(fileBox(folder), send({ run_id: "run_unknown" }), taker)).toMatchObject({
      status: "refused",
    });
  });

  it("what nobody will come back for is swept, and nothing else", async () => {
    const { folder, send, taker } = await waiting();
    await takeSignal(fileBox(folder), send(), taker);
    const left = send();
    writeFileSync(join(folder, "sig_x.json.abc.draft"), "{");
    sweepBox(folder, Date.now());
    expect(readdirSync(folder)).toHaveLength(3);
    sweepBox(folder, Date.now() + 2 * 86_400_000);
    expect(readdirSync(folder)).toEqual([`${left.signal_id}.json`]);
  });

  it("takes nothing that nobody could read again", async () => {
    const { folder, send } = await waiting();
    expect(() => send({ roles: ["x".repeat(500)] })).toThrow(/roles/);
    expect(leftSignals(folder)).toEqual([]);
  });

  it("the run's clock does not go back when the wall clock does", async () => {
    const { folder, store, send } = await waiting();
    await takeSignal(
      fileBox(folder),
      send(),
      logTaker(store, () => "2020-01-01T00:00:00Z"),
    );
    for await (const { clock_ms } of store.read(RUN)) expect(clock_ms).toBe(5);
  });
});
