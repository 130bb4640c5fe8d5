import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { carryOut, type LiveRun } from "../../src/hands/engine/carry-out.js";
import type { EffectRunner, RunnableEffect } from "../../src/hands/engine/effect-runner.js";
import type { LoggedEvent, RunEvent } from "../../src/model/event.js";
import { type AttemptOutcome, Message, type PlanRef } from "../../src/model/run.js";
import type { InboxEntry } from "../../src/mind/run/inbox-entry.js";
import { planningRequest, planningResponse } from "../../src/mind/run/messages.js";
import { monitorProgress, type ProjectState, projectState } from "../../src/mind/report/project-state/project-state.js";
import { readNotes } from "../../src/mind/report/project-state/project-notes.js";
import type { EventStore } from "../../src/hands/store/event-store.js";
import { openSqliteStore } from "../../src/hands/store/sqlite/open-sqlite-store.js";
import { FakeClock } from "../../src/testing/fake-clock.js";
import { amounts, opening, PERSON, planRef, runTask } from "../../src/testing/run-fixtures.js";

/*
 * Whole runs on a real SQLite store, with the real engine: what the specification wants tested end to end. The hands
 * are scripted; what they report is what real ones do.
 */

const RUN = "run_of_a_flow";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

interface Script {
  /** By effect id: how the attempt ends, or what is done while it works. */
  readonly attempts?: Readonly<Record<string, AttemptOutcome | ((effect: RunnableEffect) => Promise<void>)>>;
  readonly failing?: ReadonlySet<string>;
}

class Flow {
  readonly effects: RunnableEffect[] = [];
  readonly aborted: string[] = [];
  #live: LiveRun | null = null;
  readonly #store: EventStore;
  readonly #script: Script;

  constructor(store: EventStore, script: Script) {
    this.#store = store;
    this.#script = script;
  }

  get run(): LiveRun {
    if (this.#live === null) throw new Error("the flow has not begun");
    return this.#live;
  }

  async begin(plan: PlanRef, policy: Parameters<typeof opening>[1], early: readonly RunEvent[] = []): Promise<void> {
    const runner: EffectRunner = { run: (_, effect, { signal }) => this.#act(effect, signal) };
    this.#live = await carryOut(RUN, { store: this.#store, runner, clock: new FakeClock() });
    const [request, intake, frozen] = opening(plan, policy) as [RunEvent, RunEvent, RunEvent];
    for (const event of [request, intake, ...early, frozen]) expect(await this.run.signal(event)).toBeNull();
  }

  async #act(effect: RunnableEffect, signal: AbortSignal): Promise<RunEvent> {
    this.effects.push(effect);
    signal.addEventListener("abort", () => this.aborted.push(effect.id));
    if (effect.kind === "prove_requirements") throw new Error("nothing is to be proven here");
    const { task_id, attempt } = effect;
    const usage = { amounts: amounts(1), source: "reported" } as const;
    switch (effect.kind) {
      case "start_attempt": {
        const scripted = this.#script.attempts?.[effect.id];
        if (typeof scripted === "function") await scripted(effect);
        const outcome: AttemptOutcome =
          typeof scripted === "object" ? scripted : { kind: "completed", output_ref: `out:${task_id}` };
        return { type: "attempt_finished", task_id, attempt, outcome, usage };
      }
      case "stop_attempt": {
        const outcome: AttemptOutcome = { kind: "resource", what: effect.what, message: effect.message };
        return { type: "attempt_finished", task_id, attempt, outcome, usage };
      }
      case "verify": {
        const failed = this.#script.failing?.has(effect.id) === true;
        const evidence = failed ? "security scan: SQL injection in login.ts" : "all checks pass";
        return { type: "verification_finished", task_id, attempt, verdict: failed ? "FAIL" : "PASS", evidence };
      }
      case "integrate":
        return { type: "integration_finished", task_id, attempt, integrated: true, ref: `refs/coord/${task_id}` };
      case "resolve_conflict":
        throw new Error("nobody is in conflict here");
      case "review_level":
        return { type: "review_finished", task_id, attempt, accepted: true, summary: "good" };
    }
  }

  async entry<K extends InboxEntry["kind"]>(kind: K): Promise<Extract<InboxEntry, { kind: K }>> {
    const { inbox } = await this.run.settled();
    const found = inbox.find((each): each is Extract<InboxEntry, { kind: K }> => each.kind === kind);
    if (found === undefined) throw new Error(`there is no ${kind} among ${JSON.stringify(inbox)}`);
    return found;
  }

  async log(store = this.#store): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const event of store.read(RUN)) events.push(event);
    return events;
  }
}

let folder: string;
let store: EventStore;
const AUTO = { plan_needs_approval: false };

async function opened(): Promise<EventStore> {
  return openSqliteStore(join(folder, "runs.db"), { sha256 });
}

beforeEach(async () => {
  const made = mkdtempSync(join(tmpdir(), "coordinator-flow-"));
  folder = made;
  store = await opened();
  onTestFinished(async () => {
    await store.close();
    rmSync(made, { recursive: true, force: true });
  });
});

const envelope = (n: number) => ({
  message_id: `550e8400-e29b-41d4-a716-44665544000${n}`,
  timestamp: "2026-02-03T04:05:06Z",
});
const PLANNING: RunEvent[] = [
  {
    type: "message_sent",
    message: planningRequest(envelope(1), {
      request_id: "req_of_a_test",
      objective: "Do it",
      requirements: [],
      constraints: { max_tokens: 100, max_time_seconds: 60, technologies: [], project_type: "frontend" },
      context: {},
    }),
  },
  {
    type: "message_sent",
    message: planningResponse(
      { ...envelope(2), in_reply_to: envelope(1).message_id },
      { status: "success", phases: [], risks: [], recommendations: [] },
    ),
  },
];

describe("a run from its request to its end", () => {
  it("goes through planner, plan, supervisor, monitoring and gate, in progress until it is completed [S1-010, S1-082]", async () => {
    const flow = new Flow(store, {});
    await flow.begin(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]), AUTO, PLANNING);
    expect((await flow.run.settled()).status).toBe("completed");
    const log = await flow.log();
    const statusAt = (n: number) => projectState(readNotes(log.slice(0, n)))?.status;
    expect(log.map((_, i) => statusAt(i + 1)).filter((status, i, all) => status !== all[i - 1])).toEqual([
      "pending",
      "in_progress",
      "completed",
    ]);
    const { messages, go_decisions, phase } = projectState(readNotes(log)) as ProjectState;
    expect(messages.map(({ type }) => type)).toEqual([
      "planning_request",
      "planning_response",
      "task_assignment",
      "task_result",
      "progress_update",
      "task_assignment",
      "task_result",
      "progress_update",
    ]);
    expect(go_decisions.execution?.decision).toBe("GO");
    expect(phase).toBe("closure");
  });

  it("keeps every message once, valid, with the same id whenever it is read, in SQLite [S1-078, S1-130]", async () => {
    const flow = new Flow(store, { attempts: { "attempt:A#1": { kind: "quality", message: "bad" } } });
    await flow.begin(planRef([runTask("A")]), AUTO);
    await flow.entry("escalation");
    const said = projectState(readNotes(await flow.log()))?.messages ?? [];
    expect(said.map(({ type }) => type)).toEqual(["task_assignment", "task_result", "escalation"]);
    for (const message of said) expect(Message.parse(message)).toEqual(message);
    const [assignment, result] = said;
    expect(result?.in_reply_to).toBe(assignment?.message_id);
    await flow.run.stop();
    await store.close();
    store = await opened();
    expect(projectState(readNotes(await flow.log(store)))?.messages).toEqual(said);
    expect((await flow.log(store)).filter(({ event }) => event.type === "message_sent")).toEqual([]);
  });

  it("has a state that goes to disk and comes back with its log [S0-002, S1-105]", async () => {
    const flow = new Flow(store, { attempts: { "attempt:B#1": { kind: "clarification", question: "Which?" } } });
    await flow.begin(planRef([runTask("A"), runTask("B")]), AUTO);
    await flow.entry("question");
    const state = projectState(readNotes(await flow.log())) as ProjectState;
    expect(state).toMatchObject({ status: "blocked", tasks_completed: 1, tasks_remaining: 1 });
    await flow.run.stop();
    await store.close();
    store = await opened();
    expect(projectState(readNotes(await flow.log(store)))).toEqual(state);
  });

  it("says at any time how far it has come and what stands in its way [S1-009, S1-139]", async () => {
    const flow = new Flow(store, {
      attempts: { "attempt:B#1": { kind: "semantic", violation: "scope", message: "wrote to /etc" } },
    });
    await flow.begin(planRef([runTask("A"), runTask("B")]), AUTO);
    await flow.entry("escalation");
    expect(monitorProgress(readNotes(await flow.log()))).toEqual({
      request_id: "req_of_a_test",
      progress_percentage: 50,
      current_phase: "execution",
      current_task: "",
      tasks_completed: 1,
      tasks_remaining: 1,
      blockers: [
        {
          severity: "critical",
          description: "The result leaves its scope: wrote to /etc",
          requires_coordinator_decision: true,
        },
      ],
    });
    expect(monitorProgress(readNotes([]))).toBeNull();
  });
});

describe("a run that needs its user", () => {
  it("asks, waits, and goes on with the answer, which the next attempt is told [S1-127]", async () => {
    const flow = new Flow(store, { attempts: { "attempt:A#1": { kind: "clarification", question: "Which?" } } });
    await flow.begin(planRef([runTask("A")]), AUTO);
    const { id } = await flow.entry("question");
    expect(flow.run.state().status).toBe("blocked");
    await flow.run.signal({ type: "question_answered", question_id: id, answer: "the first", decider: PERSON });
    expect((await flow.run.settled()).status).toBe("completed");
    expect(flow.effects.find((effect) => effect.id === "attempt:A#2")).toMatchObject({
      guidance: [{ asked: "Which?", said: "the first" }],
    });
  });

  it("is reviewed at its gate: GO with nothing in the way, NO_GO while a blocker is critical [S1-010, S1-127]", async () => {
    const alike: AttemptOutcome = { kind: "semantic", violation: "rule", message: "no tests" };
    const flow = new Flow(store, { attempts: { "attempt:A#1": alike, "attempt:B#1": alike } });
    await flow.begin(planRef([runTask("A"), runTask("B")]), { ...AUTO, failure: { same_signature_tasks: 2 } });
    const { inbox } = await flow.run.settled();
    // Both tasks are let go on, but what they have in common is left undecided.
    for (const entry of inbox)
      if (entry.kind === "escalation" && entry.escalation.task_id !== null)
        await flow.run.signal({
          type: "escalation_answered",
          escalation_id: entry.id,
          order: { action: "retry" },
          decider: PERSON,
        });
    expect(await flow.run.settled()).toMatchObject({ status: "failed", completed: 2 });
    expect(projectState(readNotes(await flow.log()))?.go_decisions.execution).toMatchObject({
      decision: "NO_GO",
      reason: expect.stringContaining("Critical blockers: The same failure on 2 tasks"),
    });
  });

  it("takes a vulnerability in what was made for a failure of quality: a person decides, nothing is retried [S1-090]", async () => {
    const flow = new Flow(store, { failing: new Set(["verify:A#1"]) });
    await flow.begin(planRef([runTask("A")]), AUTO);
    const { escalation } = await flow.entry("escalation");
    expect(escalation).toMatchObject({ type: "quality_failure", response: "alternative_approach" });
    expect(escalation.summary).toContain("SQL injection");
    expect(flow.effects.map(({ id }) => id)).toEqual(["attempt:A#1", "verify:A#1"]);
  });
});

describe("a run in trouble", () => {
  it("gets over a timeout by itself, with a new attempt [S1-126, S1-134]", async () => {
    const flow = new Flow(store, {
      attempts: { "attempt:A#1": { kind: "structural", error: "timeout", message: "no answer" } },
    });
    await flow.begin(planRef([runTask("A")]), AUTO);
    expect((await flow.run.settled()).status).toBe("completed");
    expect(flow.effects[1]).toMatchObject({ id: "attempt:A#2" });
  });

  it("stops an attempt that uses up its budget in mid-work, asks, and goes on with more [S1-086, S1-124, S1-126]", async () => {
    let reports = 0;
    const greedy = async (effect: RunnableEffect) => {
      // It would go on for ever: only being stopped ends it.
      for (let tokens = 4; !flow.aborted.includes(effect.id); tokens += 4) {
        reports++;
        await flow.run.signal({
          type: "attempt_progressed",
          task_id: "A",
          attempt: 1,
          usage: { amounts: { ...amounts(0), tokens }, source: "reported" },
          note: "a turn",
        });
      }
    };
    const flow: Flow = new Flow(store, { attempts: { "attempt:A#1": greedy } });
    await flow.begin(planRef([runTask("A")]), AUTO);
    const { id, escalation } = await flow.entry("escalation");
    expect(reports).toBe(3);
    expect(escalation).toMatchObject({ type: "resource_exhaustion", response: "budget_increase_or_terminate" });
    expect(flow.run.state().ledger.run.used.tokens).toBe(12);
    expect(flow.effects.map((effect) => effect.id)).toEqual(["attempt:A#1", "stop:A#1"]);
    const order = { action: "raise_budget", add: amounts(10) } as const;
    await flow.run.signal({ type: "escalation_answered", escalation_id: id, order, decider: PERSON });
    expect((await flow.run.settled()).status).toBe("completed");
  });
});
