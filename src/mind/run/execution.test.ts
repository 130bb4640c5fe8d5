import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import type { AttemptOutcome, Usage } from "../../model/run.js";
import type { Scope, ScopeAddition } from "../../model/scope.js";
import { DrivenRun } from "../../testing/driven-run.js";
import { amounts, opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { effectsOf } from "./effects.js";
import { NOTHING } from "./amounts.js";
import { coordinationShare } from "./decide/coordination.js";
import { NEW_RUN, scopeOf } from "./state.js";
import { taskIdOf } from "./inbox-entry.js";
import { fold, refusal, step } from "./transition.js";

const AUTO = { plan_needs_approval: false };

const used = (tokens: number): Usage => ({ amounts: { ...NOTHING, tokens }, source: "reported" });
const progressed = (task_id: string, tokens: number, attempt = 1): RunEvent => ({
  type: "attempt_progressed",
  task_id,
  attempt,
  usage: used(tokens),
  note: "a turn",
});

describe("usage within an attempt", () => {
  it("is held for it and settled in the end, the larger of what was seen and what is said", () => {
    const run = new DrivenRun(planRef([runTask("A")]), AUTO);
    expect(run.take(progressed("A", 4))).toEqual(["attempt_progressed"]);
    expect(run.take(progressed("A", 9))).toEqual(["attempt_progressed"]);
    expect(run.take(progressed("A", 5))).toEqual(["attempt_progressed"]);
    expect(run.state.ledger.open).toMatchObject([{ in_flight: { tokens: 9 }, amounts: { tokens: 10 } }]);
    expect(effectsOf(run.state).map(({ id }) => id)).toEqual(["attempt:A#1"]);
    run.take({
      type: "attempt_finished",
      task_id: "A",
      attempt: 1,
      outcome: { kind: "structural", error: "crash", message: "gone" },
      usage: { amounts: { ...NOTHING, tokens: 2 }, source: "estimated" },
    });
    expect(run.state.ledger.run.used.tokens).toBe(9);
    expect(run.state.ledger.run.reserved).toEqual(NOTHING);
    expect(run.state.tasks.get(0).used.tokens).toBe(9);
  });

  it("beyond what was set aside replaces the attempt by its stop, at the first report over it [S1-086]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")]), AUTO);
    const taken = step(run.state, progressed("A", 11), 0);
    expect(taken.effects).toEqual([
      {
        kind: "stop_attempt",
        id: "stop:A#1",
        task_id: "A",
        attempt: 1,
        what: "tokens",
        message: "11 tokens in flight, 10 set aside",
      },
    ]);
    run.take(progressed("A", 11));
    expect(effectsOf(run.state).map(({ id }) => id)).toEqual(["stop:A#1", "attempt:B#1"]);
    expect(run.finish("A", { kind: "resource", what: "tokens", message: "over" })).toEqual([
      "attempt_finished",
      "escalation_raised",
    ]);
    expect(run.escalations).toEqual(["resource_exhaustion"]);
    expect(run.state.ledger.run.used.tokens).toBe(11);
    expect(fold(run.log)).toEqual(run.state);
  });

  it("lets an attempt that came to its end before it was stopped keep its work", () => {
    const run = new DrivenRun(planRef([runTask("A")]), AUTO);
    run.take(progressed("A", 11));
    expect(run.finish("A")).toEqual(["attempt_finished"]);
    expect(effectsOf(run.state).map(({ id }) => id)).toEqual(["verify:A#1"]);
  });

  it("where nothing was set aside goes as far as the budget, and not past it", () => {
    const estimate = { ...NOTHING, minutes: 1 };
    const run = new DrivenRun(
      planRef([runTask("A", { estimate }), runTask("B", { estimate })], { budget: { ...amounts(1000), tokens: 100 } }),
      AUTO,
    );
    run.take(progressed("A", 60));
    run.take(progressed("B", 40));
    expect(effectsOf(run.state).map(({ kind }) => kind)).toEqual(["start_attempt", "start_attempt"]);
    run.take(progressed("B", 41));
    expect(effectsOf(run.state).map(({ id }) => id)).toEqual(["attempt:A#1", "stop:B#1"]);
  });

  it("is bounded by the budgets of the task and of its phase too, over all attempts", () => {
    const estimate = { ...NOTHING, minutes: 1 };
    const budget = { ...amounts(1000), tokens: 50 };
    const task = new DrivenRun(planRef([runTask("A", { estimate, budget })]), AUTO);
    task.take(progressed("A", 30));
    task.finish("A", { kind: "structural", error: "crash", message: "x" });
    task.clock = 5_000;
    task.take({ type: "wait_ended", effect_id: "wait:A#1" });
    task.take(progressed("A", 20, 2));
    expect(effectsOf(task.state)).toMatchObject([{ kind: "start_attempt" }]);
    task.take(progressed("A", 21, 2));
    expect(effectsOf(task.state)).toMatchObject([{ kind: "stop_attempt", what: "tokens" }]);
    const phase = new DrivenRun(
      planRef([runTask("A", { estimate })], { phase_budgets: { implementation: budget } }),
      AUTO,
    );
    phase.take(progressed("A", 51));
    expect(effectsOf(phase.state)).toMatchObject([{ kind: "stop_attempt", what: "tokens" }]);
  });

  it("a person grants more to the task that ran out, and its next attempt sets aside what that leaves", () => {
    const run = new DrivenRun(planRef([runTask("A", { budget: amounts(12) })], { budget: amounts(40) }), AUTO);
    run.take(progressed("A", 11));
    run.finish("A", { kind: "resource", what: "tokens", message: "over" });
    const escalation_id = run.state.inbox[0]?.id ?? "";
    expect(
      run.take({
        type: "escalation_answered",
        escalation_id,
        order: { action: "raise_budget", add: amounts(30) },
        decider: PERSON,
      }),
    ).toEqual(["escalation_answered", "attempt_started A#2"]);
    expect(effectsOf(run.state)).toMatchObject([{ id: "attempt:A#2", reserved: { tokens: 31 } }]);
  });

  it("asks about the task alone when only its own budget or its phase's is short", () => {
    const run = new DrivenRun(planRef([runTask("A", { budget: amounts(5) }), runTask("B")]), AUTO);
    run.land("B");
    expect(run.state.status).toBe("blocked");
    const [entry] = run.state.inbox;
    if (entry?.kind !== "escalation") throw new Error("somebody must be asked");
    expect(entry.escalation.task_id).toBe("A");
    run.take({
      type: "escalation_answered",
      escalation_id: entry.id,
      order: { action: "raise_budget", add: amounts(5) },
      decider: PERSON,
    });
    expect(run.statusOf("A")).toBe("in_progress");
  });

  it.each<[string, RunEvent]>([
    ["a report of an attempt that has ended", progressed("A", 1)],
    ["a report of an attempt that is not the last", progressed("B", 1, 2)],
    [
      "a judgement of an attempt that has ended",
      {
        type: "tool_judged",
        task_id: "A",
        attempt: 1,
        use: { tool_call_id: "t", stage: "deed", kind: "read", title: "Read", paths: [], command: null, hosts: [] },
        judgement: { decision: "allow", rule_id: "r", reason: "" },
      },
    ],
  ])("does not take %s", (_, event) => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")]), AUTO);
    run.finish("A");
    expect(run.take(event)[0]).toMatch(/^refused: . is not waiting/);
  });
});

it("a judgement is evidence: a violation changes nothing until the attempt ends for it", () => {
  const run = new DrivenRun(planRef([runTask("A")]), AUTO);
  const before = run.state;
  const taken = run.take({
    type: "tool_judged",
    task_id: "A",
    attempt: 1,
    use: { tool_call_id: "t", stage: "deed", kind: "edit", title: "Write x", paths: [], command: null, hosts: [] },
    judgement: { decision: "violation", rule_id: "scope.write", reason: "outside" },
  });
  expect(taken).toEqual(["tool_judged"]);
  expect(run.state).toEqual(before);
});

describe("coordination", () => {
  const spent = (tokens: number): RunEvent => ({
    type: "coordination_used",
    purpose: "review",
    tokens,
    cost_usd: 0.001,
    source: "reported",
  });

  it("counts against the run's budget, also what was used before there was one [S1-117]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")], { budget: amounts(25) }), {}, [spent(2)]);
    expect(run.state.ledger.run).toMatchObject({ used: { tokens: 2, cost_usd: 0.001 }, budget: { tokens: 25 } });
    run.take({ type: "plan_approved", decider: PERSON });
    run.land("A");
    run.land("B");
    expect(coordinationShare(run.state.ledger)).toEqual({ tokens: 2, share: 2 / 22, within: false });
    expect(run.state.status).toBe("completed");
  });

  it("leaves no budget for an attempt when it has used it up", () => {
    const run = new DrivenRun(planRef([runTask("A")], { budget: amounts(10) }), {}, [spent(1)]);
    expect(run.take({ type: "plan_approved", decider: PERSON })).toEqual([
      "plan_approved",
      "escalation_raised",
      "dispatch_paused",
    ]);
  });
});

it("keeps the grade of the sandbox, and takes none only by order", () => {
  const run = new DrivenRun(planRef([runTask("A")]), AUTO);
  run.take({ type: "sandbox_graded", grade: "strong", reason: "bubblewrap", by_order: false });
  expect(run.state.sandbox).toEqual({ grade: "strong", reason: "bubblewrap", by_order: false });
  expect(run.take({ type: "sandbox_graded", grade: "none", reason: "x", by_order: false })).toEqual([
    "refused: a run without a sandbox needs an explicit order",
  ]);
  expect(run.take({ type: "sandbox_graded", grade: "none", reason: "x", by_order: true })).toEqual(["sandbox_graded"]);
});

describe("a wider scope", () => {
  const scope: Scope = {
    tools: ["edit"],
    commands: [],
    read: ["**"],
    write: ["src/**"],
    network: [],
    minutes: 5,
    output_bytes: 1000,
    files: 5,
  };
  const addition = (write: string[]): ScopeAddition => ({ commands: [], write, network: [] });
  const asks = (write: string[]): AttemptOutcome => ({
    kind: "scope_request",
    request: addition(write),
    message: "must change the lock file",
  });
  const asking = () => {
    const run = new DrivenRun(planRef([runTask("A", { scope })]), AUTO);
    run.finish("A", asks(["package-lock.json"]));
    return run;
  };

  it("is asked for in the inbox, and the task waits", () => {
    const run = asking();
    expect(run.statusOf("A")).toBe("blocked");
    expect(run.state.status).toBe("blocked");
    expect(run.state.inbox).toEqual([
      {
        kind: "scope_request",
        id: "scope_A#1",
        task_id: "A",
        attempt: 1,
        request: addition(["package-lock.json"]),
        message: "must change the lock file",
      },
    ]);
    expect(effectsOf(run.state)).toEqual([{ kind: "ask", id: "ask:scope_A#1", task_id: null, entry: "scope_A#1" }]);
  });

  it("is granted to a new attempt, and adds up over several", () => {
    const run = asking();
    const widen = (attempt: number, write: string[]) =>
      run.take({
        type: "scope_widened",
        task_id: "A",
        request_id: `scope_A#${attempt}`,
        addition: addition(write),
        decider: PERSON,
      });
    expect(widen(1, ["package-lock.json"])).toEqual(["scope_widened", "attempt_started A#2"]);
    expect(effectsOf(run.state)).toMatchObject([
      { id: "attempt:A#2", scope: { write: ["src/**", "package-lock.json"], tools: ["edit"] } },
    ]);
    run.finish("A", asks(["docs/**"]), 2);
    expect(widen(1, ["docs/**"])[0]).toMatch(/^refused/);
    expect(widen(2, ["docs/**", "src/**"])).toEqual(["scope_widened", "attempt_started A#3"]);
    expect(scopeOf(run.state, 0)?.write).toEqual(["src/**", "package-lock.json", "docs/**"]);
  });

  it("when refused becomes a person's decision on the task", () => {
    const run = asking();
    expect(
      run.take({ type: "scope_refused", task_id: "A", request_id: "scope_A#1", decider: PERSON, reason: "no" }),
    ).toEqual(["scope_refused", "escalation_raised"]);
    const [entry] = run.state.inbox;
    if (entry?.kind !== "escalation") throw new Error("somebody must be asked");
    expect(entry.escalation).toMatchObject({
      type: "quality_failure",
      task_id: "A",
      package: { violation: "scope violation: a wider scope was refused: no" },
    });
    expect(
      run.take({
        type: "escalation_answered",
        escalation_id: entry.id,
        order: { action: "retry", note: "do without the lock file" },
        decider: PERSON,
      }),
    ).toEqual(["escalation_answered", "attempt_started A#2"]);
    expect(effectsOf(run.state)).toMatchObject([
      { scope, guidance: [{ asked: null, said: "do without the lock file" }] },
    ]);
  });
});

it("tells the next attempt what a person answered", () => {
  const run = new DrivenRun(planRef([runTask("A")]), AUTO);
  run.finish("A", { kind: "clarification", question: "Which?" });
  run.take({ type: "question_answered", question_id: "q_A#1", answer: "the first", decider: PERSON });
  expect(effectsOf(run.state)).toMatchObject([{ guidance: [{ asked: "Which?", said: "the first" }] }]);
});

it.each(["FAIL", "BLOCKED"] as const)("integrates no result whose verdict is %s [S3-066]", (verdict) => {
  const run = new DrivenRun(planRef([runTask("A")]), AUTO);
  run.finish("A");
  run.take({ type: "verification_finished", task_id: "A", attempt: 1, verdict, evidence: "a test fails" });
  expect(effectsOf(run.state).map(({ kind }) => kind)).not.toContain("integrate");
  const [said] = run.take({ type: "integration_finished", task_id: "A", attempt: 1, integrated: true, ref: "r" });
  expect(said).toMatch(/^refused: /);
});

describe("levels", () => {
  const tasks = [
    runTask("A"),
    runTask("B"),
    runTask("C", { dependencies: ["A"] }),
    runTask("D", { dependencies: ["C"] }),
  ];
  const started = (run: DrivenRun) =>
    run.log.flatMap(({ event }) => (event.type === "attempt_started" ? [event.task_id] : []));

  it("start when the one before has ended, not when one task of it has [S2-012, S2-013]", () => {
    const run = new DrivenRun(planRef(tasks), { ...AUTO, schedule: "levels" });
    run.land("A");
    expect(started(run)).toEqual(["A", "B"]);
    expect(run.land("B")).toEqual(["review_finished", "attempt_started C#1"]);
    const dataflow = new DrivenRun(planRef(tasks), AUTO);
    expect(dataflow.land("A")).toEqual(["review_finished", "attempt_started C#1"]);
  });

  it("end with what is blocked, and go on at once with what a person lets go on", () => {
    const run = new DrivenRun(planRef(tasks), { ...AUTO, schedule: "levels" });
    run.land("A");
    expect(run.finish("B", { kind: "clarification", question: "Which?" })).toEqual([
      "attempt_finished",
      "question_asked",
      "attempt_started C#1",
    ]);
    expect(run.take({ type: "question_answered", question_id: "q_B#1", answer: "x", decider: PERSON })).toEqual([
      "question_answered",
      "attempt_started B#2",
    ]);
    run.land("C");
    expect(started(run)).toEqual(["A", "B", "C", "B"]);
    expect(run.land("B", 2)).toEqual(["review_finished", "attempt_started D#1"]);
  });

  it("are held open by what builds on something blocked", () => {
    const run = new DrivenRun(
      planRef([
        runTask("A"),
        runTask("B"),
        runTask("C", { dependencies: ["A"] }),
        runTask("E", { dependencies: ["B"] }),
        runTask("D", { dependencies: ["C"] }),
      ]),
      { ...AUTO, schedule: "levels" },
    );
    run.finish("B", { kind: "quality", message: "x" });
    run.land("A");
    run.land("C");
    expect(run.statusOf("D")).toBe("pending");
    expect(run.state.status).toBe("blocked");
    const escalation_id = run.state.inbox[0]?.id ?? "";
    expect(
      run.take({ type: "escalation_answered", escalation_id, order: { action: "give_up" }, decider: PERSON }),
    ).toEqual(["escalation_answered", "attempt_started D#1"]);
  });
});

it("takes nothing before its request: the policy it goes by comes with it", () => {
  const [, intake] = opening(planRef([]));
  expect(refusal(NEW_RUN, intake as RunEvent)).toBe("the run has no request yet");
});

it("takes a question about the budget back when the budget carries something after all, and asks it once", () => {
  const run = new DrivenRun(
    planRef([runTask("A", { budget: amounts(5) }), runTask("B"), runTask("C", { dependencies: ["B"] })]),
    AUTO,
  );
  run.finish("B", { kind: "quality", message: "x" });
  expect(run.state.inbox.map(taskIdOf)).toEqual(["B", "A"]);
  const [ofB] = run.state.inbox;
  const order = { action: "retry" } as const;
  expect(run.take({ type: "escalation_answered", escalation_id: ofB?.id ?? "", order, decider: PERSON })).toEqual([
    "escalation_answered",
    "attempt_started B#2",
  ]);
  expect(run.state.inbox).toEqual([]);
  run.land("B", 2);
  run.land("C");
  expect(run.state.inbox.map(taskIdOf)).toEqual(["A"]);
  expect(run.take({ type: "sandbox_graded", grade: "strong", reason: "", by_order: false })).toEqual([
    "sandbox_graded",
  ]);
});

it("counts what was in flight when it ends: what was seen, and what was set aside where nothing was", () => {
  const run = new DrivenRun(planRef([runTask("A"), runTask("B")]), AUTO);
  run.take(progressed("A", 4));
  run.take({ type: "run_cancelled", decider: PERSON, reason: "enough" });
  expect(run.state.ledger.run).toMatchObject({ used: { tokens: 14 }, estimated: { tokens: 14 }, reserved: NOTHING });
});
