import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import type { AttemptOutcome } from "../../model/run.js";
import { DrivenRun as Run } from "../../testing/driven-run.js";
import { amounts, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { effectsOf } from "./effects.js";
import { fold, step, transition } from "./transition.js";

const timeout: AttemptOutcome = { kind: "structural", error: "timeout", message: "no answer" };

describe("a run that goes well", () => {
  it("starts what is free, then what that frees, and ends with its gate", () => {
    const run = new Run(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]));
    expect(run.log.map(({ event }) => event.type)).toEqual([
      "request_received",
      "intake_decided",
      "plan_frozen",
      "plan_approved",
      "attempt_started",
    ]);
    expect(run.land("A")).toEqual(["review_finished", "attempt_started B#1"]);
    expect(run.land("B")).toEqual(["review_finished", "gate_decided", "run_finished"]);
    expect(run.state).toMatchObject({ status: "completed", phase: "closure", completed: 2 });
    expect(fold(run.log)).toEqual(run.state);
  });

  it("has at most so many at once, the longest way to go first within a priority", () => {
    const run = new Run(
      planRef([
        runTask("short"),
        runTask("long"),
        runTask("after", { dependencies: ["long"] }),
        runTask("urgent", { priority: "P0" }),
        runTask("later", { priority: "P3" }),
      ]),
      { plan_needs_approval: false, max_concurrent_tasks: 2 },
    );
    expect(
      run.log
        .filter(({ event }) => event.type === "attempt_started")
        .map(({ event }) => ("task_id" in event ? event.task_id : "")),
    ).toEqual(["urgent", "long"]);
    expect(run.land("urgent")).toEqual(["review_finished", "attempt_started short#1"]);
  });

  it("does nothing before a person has approved the plan", () => {
    const run = new Run(planRef([runTask("A")]), {});
    expect(run.state.status).toBe("blocked");
    expect(effectsOf(run.state).map(({ kind }) => kind)).toEqual(["ask"]);
    expect(run.take({ type: "plan_approved", decider: PERSON })).toEqual(["plan_approved", "attempt_started A#1"]);
  });

  it("never starts a plan that does not verify", () => {
    const run = new Run(planRef([]), {});
    const other = step(
      fold(run.log.slice(0, 2)),
      { type: "plan_frozen", plan: planRef([runTask("A")]), verified: false },
      0,
    );
    expect(other.state).toMatchObject({ status: "failed", reason: "the plan does not verify" });
    expect(other.effects).toEqual([]);
  });

  it("waits at a review of the plan for its approval", () => {
    const gates = [{ gate_id: "gate_x", category: "data", reviewers: ["ada"] }];
    const run = new Run(planRef([runTask("A", { gates: ["gate_x"] }), runTask("B")], { gates }));
    expect(run.statusOf("A")).toBe("pending");
    expect(run.statusOf("B")).toBe("in_progress");
    expect(run.take({ type: "review_approved", gate_id: "gate_x", decider: PERSON })).toEqual([
      "review_approved",
      "attempt_started A#1",
    ]);
  });

  it("fails what a rejected review guards, and what builds on it, once and with the cause", () => {
    const gates = [{ gate_id: "gate_x", category: "data", reviewers: ["ada"] }];
    const run = new Run(
      planRef(
        [
          runTask("A", { gates: ["gate_x"] }),
          runTask("B", { dependencies: ["A"] }),
          runTask("C", { dependencies: ["A", "B"] }),
        ],
        { gates },
      ),
    );
    expect(run.take({ type: "review_rejected", gate_id: "gate_x", decider: PERSON, reason: "no" })).toEqual([
      "review_rejected",
      "run_finished",
    ]);
    expect(run.state.failed).toBe(3);
  });
});

describe("the failure policy", () => {
  it("retries a structural failure three times, later each time, then asks [S1-088, S0-047, S0-051]", () => {
    const run = new Run(planRef([runTask("A")]));
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(run.finish("A", timeout, attempt)).toEqual(["attempt_finished"]);
      const [wait] = effectsOf(run.state);
      if (wait?.kind !== "wait_until") throw new Error("a retry waits");
      waits.push(wait.until_ms - run.clock);
      run.clock = wait.until_ms;
      expect(run.take({ type: "wait_ended", effect_id: wait.id })).toEqual([
        "wait_ended",
        `attempt_started A#${attempt + 1}`,
      ]);
    }
    expect(run.finish("A", timeout, 4)).toEqual(["attempt_finished", "escalation_raised"]);
    expect(run.state.status).toBe("blocked");
    expect(waits.map((ms, i) => ms >= 800 * 2 ** i && ms <= 1200 * 2 ** i)).toEqual([true, true, true]);
  });

  it.each([
    ["a timeout", timeout, "waits"],
    ["a crash", { kind: "structural", error: "crash", message: "gone" }, "waits"],
    ["malformed output", { kind: "structural", error: "malformed_output", message: "no JSON" }, "waits"],
    ["a rule violation", { kind: "semantic", violation: "rule", message: "against ADR 7" }, "asks"],
    ["a spec violation", { kind: "semantic", violation: "spec", message: "REQ-1" }, "asks"],
    ["a scope violation", { kind: "semantic", violation: "scope", message: "src/x" }, "asks"],
  ] as const)("has one answer to %s, the same however often it comes [S0-045]", (_, outcome, answer) => {
    for (const max_retries of [1, 3]) {
      const run = new Run(planRef([runTask("A")]), { plan_needs_approval: false, failure: { max_retries } });
      const types = run.finish("A", outcome);
      expect(types).toEqual(answer === "waits" ? ["attempt_finished"] : ["attempt_finished", "escalation_raised"]);
      expect(effectsOf(run.state).map(({ kind }) => kind)).toEqual([answer === "waits" ? "wait_until" : "ask"]);
    }
  });

  it("ends a task by rule, and asks nobody, for a trigger that the policy does not list [S0-011]", () => {
    const escalation_triggers = ["rule_violation", "spec_violation", "scope_violation"] as const;
    const failure = { max_retries: 0, escalation_triggers: [...escalation_triggers] };
    for (const outcome of [timeout, { kind: "clarification", question: "Which?" }] as const) {
      const run = new Run(planRef([runTask("A")]), { plan_needs_approval: false, failure });
      expect(run.finish("A", outcome).slice(0, 3)).toEqual([
        "attempt_finished",
        "escalation_raised",
        "escalation_answered",
      ]);
      expect([run.state.status, run.state.inbox]).toEqual(["failed", []]);
    }
  });

  it("waits for a usage limit until the time it states [S1-087]", () => {
    const run = new Run(planRef([runTask("A")]));
    run.finish("A", { kind: "structural", error: "usage_limit", message: "limit", wait_until_ms: 777_000 });
    expect(effectsOf(run.state)).toMatchObject([{ kind: "wait_until", until_ms: 777_000 }]);
  });

  it("asks a person at once when the stated time is further away than the policy waits [S1-087]", () => {
    const run = new Run(planRef([runTask("A"), runTask("B")]));
    const wait_until_ms = 75 * 365 * 24 * 3_600_000;
    const types = run.finish("A", { kind: "structural", error: "usage_limit", message: "until 2100", wait_until_ms });
    expect(types).toContain("escalation_raised");
    expect(run.state.inbox).toMatchObject([
      { kind: "escalation", escalation: { type: "technical_blocker", package: { violation: expect.any(String) } } },
    ]);
    expect(JSON.stringify(run.state.inbox)).toMatch(/until 2100 \(it says to wait for 6[\d.]+ h, and a run waits/);
    expect(effectsOf(run.state).filter(({ kind }) => kind === "wait_until")).toEqual([]);
  });

  it.each<[string, AttemptOutcome, string]>([
    ["semantic", { kind: "semantic", violation: "scope", message: "x" }, "quality_failure"],
    ["quality", { kind: "quality", message: "x" }, "quality_failure"],
    ["resource", { kind: "resource", what: "tokens", message: "x" }, "resource_exhaustion"],
  ])("never retries a %s failure: it asks a person, and other tasks go on", (_, outcome, type) => {
    const run = new Run(planRef([runTask("A"), runTask("B")]));
    expect(run.finish("A", outcome)).toEqual(["attempt_finished", "escalation_raised"]);
    expect(run.statusOf("A")).toBe("blocked");
    expect(run.escalations).toEqual([type]);
    expect(run.state.status).toBe("in_progress");
  });

  it("takes a person's order: another agent, more budget, or giving up", () => {
    const ask = () => {
      const run = new Run(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]));
      run.finish("A", { kind: "semantic", violation: "rule", message: "x" });
      return { run, id: run.state.inbox[0]?.id ?? "" };
    };
    const other = ask();
    expect(
      other.run.take({
        type: "escalation_answered",
        escalation_id: other.id,
        order: { action: "retry", agent: "agent_b" },
        decider: PERSON,
      }),
    ).toEqual(["escalation_answered", "attempt_started A#2"]);
    expect(other.run.state.tasks.get(0).agent).toBe("agent_b");
    const given = ask();
    expect(
      given.run.take({
        type: "escalation_answered",
        escalation_id: given.id,
        order: { action: "give_up" },
        decider: PERSON,
      }),
    ).toEqual(["escalation_answered", "run_finished"]);
    expect(given.run.state).toMatchObject({ status: "failed", failed: 2 });
  });

  it("asks a question and goes on with its answer [S1-068]", () => {
    const run = new Run(planRef([runTask("A")]));
    expect(run.finish("A", { kind: "clarification", question: "Which?" })).toEqual([
      "attempt_finished",
      "question_asked",
    ]);
    expect(run.take({ type: "question_answered", question_id: "q_A#1", answer: "this", decider: PERSON })).toEqual([
      "question_answered",
      "attempt_started A#2",
    ]);
  });

  it("ends the run for safety, at once [S1-070]", () => {
    const run = new Run(planRef([runTask("A"), runTask("B")]));
    expect(run.finish("A", { kind: "safety", message: "read a key" })).toEqual([
      "attempt_finished",
      "escalation_raised",
      "run_finished",
    ]);
    expect(run.state).toMatchObject({ status: "failed", reason: "stopped for safety: read a key" });
    expect(effectsOf(run.state)).toEqual([]);
  });

  it("pauses and asks once when three tasks fail alike", () => {
    const run = new Run(planRef(["A", "B", "C", "D"].map((id) => runTask(id))), {
      plan_needs_approval: false,
      max_concurrent_tasks: 4,
    });
    run.finish("A", { kind: "structural", error: "crash", message: "exit 1 at /tmp/1" });
    run.finish("B", { kind: "structural", error: "crash", message: "exit 2 at /tmp/2" });
    expect(run.finish("C", { kind: "structural", error: "crash", message: "exit 3 at /tmp/3" })).toEqual([
      "attempt_finished",
      "dispatch_paused",
      "escalation_raised",
    ]);
    expect(run.finish("D", { kind: "structural", error: "crash", message: "exit 4 at /tmp/4" })).toEqual([
      "attempt_finished",
    ]);
    run.clock = 100_000;
    expect(run.take({ type: "wait_ended", effect_id: "wait:A#1" })).toEqual(["wait_ended"]);
    const [entry] = run.state.inbox;
    expect(
      run.take({
        type: "escalation_answered",
        escalation_id: entry?.id ?? "",
        order: { action: "resume" },
        decider: PERSON,
      }),
    ).toEqual(["escalation_answered", "attempt_started A#2"]);
  });

  it("opens the breaker of an agent after five failures, and tries it with one attempt after thirty seconds [S1-099, S1-100]", () => {
    const tasks = ["A", "B", "C", "D", "E", "F"].map((id) => runTask(id));
    const run = new Run(planRef(tasks), {
      plan_needs_approval: false,
      max_concurrent_tasks: 6,
      failure: { same_signature_tasks: 9 },
    });
    for (const id of ["A", "B", "C", "D"]) run.finish(id, timeout);
    expect(run.finish("E", timeout)).toEqual(["attempt_finished", "breaker_changed"]);
    run.finish("F", timeout);
    run.clock = 10_000;
    for (const id of ["A", "B"])
      expect(run.take({ type: "wait_ended", effect_id: `wait:${id}#1` })).toEqual(["wait_ended"]);
    const wait = effectsOf(run.state).find(({ id }) => id.startsWith("breaker:"));
    expect(wait).toMatchObject({ kind: "wait_until", until_ms: 30_000 });
    run.clock = 30_000;
    expect(run.take({ type: "wait_ended", effect_id: wait?.id ?? "" })).toEqual([
      "wait_ended",
      "attempt_started A#2",
      "breaker_changed",
    ]);
    expect(run.finish("A", undefined, 2)).toEqual(["attempt_finished", "breaker_changed", "attempt_started B#2"]);
  });

  it("sets budget aside before an attempt and asks when there is none left [S1-067]", () => {
    const run = new Run(planRef([runTask("A"), runTask("B")], { budget: amounts(15) }));
    expect(run.statusOf("B")).toBe("pending");
    expect(run.land("A")).toEqual(["review_finished", "escalation_raised", "dispatch_paused"]);
    expect(run.state.status).toBe("blocked");
    const id = run.state.inbox[0]?.id ?? "";
    expect(
      run.take({
        type: "escalation_answered",
        escalation_id: id,
        order: { action: "raise_budget", add: amounts(50) },
        decider: PERSON,
      }),
    ).toEqual(["escalation_answered", "attempt_started B#1"]);
  });
});

describe("what is not taken", () => {
  const run = () => new Run(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]));

  it.each<[string, RunEvent]>([
    [
      "an outcome of an attempt that was not started",
      {
        type: "attempt_finished",
        task_id: "B",
        attempt: 1,
        outcome: timeout,
        usage: { amounts: amounts(1), source: "reported" },
      },
    ],
    [
      "an outcome of an earlier or later attempt",
      {
        type: "attempt_finished",
        task_id: "A",
        attempt: 2,
        outcome: timeout,
        usage: { amounts: amounts(1), source: "reported" },
      },
    ],
    [
      "a verdict nobody asked for",
      { type: "verification_finished", task_id: "A", attempt: 1, verdict: "PASS", evidence: "" },
    ],
    ["an unknown task", { type: "verification_finished", task_id: "Z", attempt: 1, verdict: "PASS", evidence: "" }],
    ["a second plan", { type: "plan_frozen", plan: planRef([]), verified: true }],
    ["an approval nobody waits for", { type: "plan_approved", decider: PERSON }],
    ["an answer to no question", { type: "question_answered", question_id: "q_x", answer: "x", decider: PERSON }],
    [
      "an order for no escalation",
      { type: "escalation_answered", escalation_id: "esc_nothing", order: { action: "resume" }, decider: PERSON },
    ],
    ["the end of no wait", { type: "wait_ended", effect_id: "wait:A#1" }],
    ["the end of an attempt as if it were a wait", { type: "wait_ended", effect_id: "attempt:A#1" }],
  ])("%s", (_, event) => {
    expect(run().take(event)[0]).toMatch(/^refused/);
  });

  it("anything once the run is over, the same outcome twice included", () => {
    const over = run();
    over.finish("A");
    expect(over.finish("A")[0]).toMatch(/^refused/);
    expect(over.take({ type: "run_cancelled", decider: PERSON, reason: "enough" })).toEqual(["run_cancelled"]);
    expect(over.state).toMatchObject({ status: "failed", reason: "cancelled" });
    expect(over.take({ type: "run_cancelled", decider: PERSON, reason: "again" })[0]).toMatch(/^refused/);
  });
});

it("carries a chain of ten thousand tasks on without copying it at every event", () => {
  const run = new Run(
    planRef(
      Array.from({ length: 10_000 }, (_, i) => runTask(`T${i}`, { dependencies: i === 0 ? [] : [`T${i - 1}`] })),
      { budget: amounts(1e9) },
    ),
  );
  for (let i = 0; i < 300; i++) run.land(`T${i}`);
  expect(run.state.completed).toBe(300);
});

it("is pure: the state it is given stays as it was, and the same event gives the same again", () => {
  const { state } = new Run(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]));
  const event: RunEvent = {
    type: "attempt_finished",
    task_id: "A",
    attempt: 1,
    outcome: timeout,
    usage: { amounts: amounts(10), source: "reported" },
  };
  const before = JSON.stringify([state, [...state.tasks]]);
  const once = transition(state, event, 5_000);
  expect(transition(state, event, 5_000)).toEqual(once);
  expect(JSON.stringify([state, [...state.tasks]])).toBe(before);
  expect(once.state.clock_ms).toBe(5_000);
});
