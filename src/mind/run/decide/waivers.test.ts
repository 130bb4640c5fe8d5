import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../../model/event.js";
import type { EscalationOrder, MissingTest } from "../../../model/run.js";
import { DrivenRun as Run } from "../../../testing/driven-run.js";
import { planRef, runTask } from "../../../testing/run-fixtures.js";
import { effectsOf } from "../effects.js";
import { fold } from "../transition.js";

const test = (name: string): MissingTest => ({ check: "test", id: `test:${name}`, name });
const held = (...names: string[]): RunEvent => ({
  type: "verification_finished",
  task_id: "A",
  attempt: 1,
  verdict: "BLOCKED",
  evidence: "gone",
  liftable: { tests: names.map(test), guardrails: [] },
});
const passed: EventOf<"verification_finished"> = {
  type: "verification_finished",
  task_id: "A",
  attempt: 1,
  verdict: "PASS",
  evidence: "",
};
const ADA = { by: "ada", how: "person" } as const;

/** A task whose result is done and waits for its verdict, and one more that has a place. */
function finished(policy: Record<string, unknown> = {}): Run {
  const run = new Run(planRef([runTask("A"), runTask("B"), runTask("C")]), {
    plan_needs_approval: false,
    max_concurrent_tasks: 3,
    ...policy,
  });
  run.finish("A");
  return run;
}

const open = (run: Run) => run.state.inbox.flatMap((e) => (e.kind === "escalation" ? [e.escalation] : []));

function answer(run: Run, order: EscalationOrder, decider: EventOf<"escalation_answered">["decider"] = ADA): string[] {
  const [escalation] = open(run);
  return run.take({ type: "escalation_answered", escalation_id: escalation?.escalation_id ?? "", order, decider });
}
const waive = (run: Run, ...names: string[]) => answer(run, { action: "lift", tests: names.map(test), guardrails: [] });
const effectOf = (run: Run, task: string) => effectsOf(run.state).find((e) => "task_id" in e && e.task_id === task);

describe("a result that is held by missing tests", () => {
  it("names them to a person, and is judged once more without those that were let go, as the same attempt", () => {
    const run = finished();
    expect(run.take(held("a", "b"))).toEqual(["verification_finished", "escalation_raised"]);
    expect(open(run)).toMatchObject([{ task_id: "A", attempt: 1, liftable: { tests: [test("a"), test("b")] } }]);
    expect(waive(run, "a", "b")).toEqual(["escalation_answered", "judgement_resumed"]);
    expect(effectOf(run, "A")).toEqual({
      kind: "verify",
      id: "verify:A#1~1",
      task_id: "A",
      attempt: 1,
      lifted: [
        {
          attempt: 1,
          tests: [test("a"), test("b")],
          guardrails: [],
          objections: [],
          not_applicable: false,
          by: "ada",
        },
      ],
    });
    expect(run.take(passed)).toEqual(["verification_finished"]);
    expect(effectOf(run, "A")).toMatchObject({ kind: "integrate", lifted: [{ by: "ada" }] });
    expect(fold(run.log)).toEqual(run.state);
  });

  it("is held once more, as another escalation, by what was not let go", () => {
    const run = finished();
    run.take(held("a", "b"));
    const [first] = open(run);
    waive(run, "a");
    expect(run.take(held("b"))).toEqual(["verification_finished", "escalation_raised"]);
    expect(open(run)[0]?.escalation_id).not.toBe(first?.escalation_id);
    waive(run, "b");
    expect(effectOf(run, "A")).toMatchObject({ id: "verify:A#1~2", lifted: [{ tests: [{ name: "a" }] }, {}] });
  });

  it("on the branch goes back to its turn, with what was made of its conflict", () => {
    const run = finished();
    run.take(passed);
    const conflict = { task_id: "A", attempt: 1, round: 1 };
    run.take({ type: "conflict_found", ...conflict, onto: "tip", paths: ["a"], ref: "r" });
    run.take({ type: "conflict_resolved", ...conflict, tree: "t", ref: "sha256:1" });
    const refused = { type: "integration_finished", task_id: "A", attempt: 1, integrated: false, ref: "no" } as const;
    expect(run.take({ ...refused, liftable: { tests: [test("c")], guardrails: [] } })).toContain("escalation_raised");
    expect(waive(run, "c")).toEqual(["escalation_answered", "judgement_resumed"]);
    expect(effectOf(run, "A")).toMatchObject({
      kind: "integrate",
      id: "integrate:A#1/1~1",
      conflict: { round: 1, onto: "tip", resolution: "sha256:1" },
      lifted: [{ tests: [{ name: "c" }] }],
    });
  });

  it("waits for a place like everybody, and goes before what has not begun", () => {
    const run = finished({ max_concurrent_tasks: 1 });
    expect(run.take(held("a"))).toEqual(["verification_finished", "escalation_raised", "attempt_started B#1"]);
    expect(waive(run, "a")).toEqual(["escalation_answered"]);
    expect(effectOf(run, "A")).toBeUndefined();
    expect(run.land("B")).toEqual(["review_finished", "judgement_resumed"]);
    expect(run.state.running).toBe(1);
    expect(fold(run.log)).toEqual(run.state);
  });

  it("that a person drops while it waits for its place is not judged any more", () => {
    const run = finished({ max_concurrent_tasks: 1 });
    run.take(held("a"));
    waive(run, "a");
    const change_id = "chg_drop-it";
    const change = { action: "skip_task", reason: "not needed" } as const;
    run.take({ type: "change_proposed", change_id, task_id: "A", change, decider: ADA });
    run.take({ type: "change_decided", change_id, approved: true, decider: ADA, reason: "" });
    expect(run.land("B")).toEqual(["review_finished", "attempt_started C#1"]);
    expect(run.statusOf("A")).toBe("skipped");
  });

  it("is waived by nobody but a person, for nothing but what was shown, and not where nothing may be waived", () => {
    const run = finished();
    run.take(held("a"));
    expect(waive(run, "a", "b")).toEqual(["refused: b of test is not among the tests it is about"]);
    expect(waive(run, "a", "a")).toEqual(["refused: a of test is not among the tests it is about"]);
    const order = { action: "lift", tests: [test("a")], guardrails: [] } as const;
    for (const how of ["rule", "timeout_default"] as const)
      expect(answer(run, { ...order, tests: [...order.tests], guardrails: [] }, { by: "policy", how })).toEqual([
        expect.stringContaining("make_decisions is forbidden: escalation_answered is a person's to say"),
      ]);
    const failed = finished();
    failed.take({ ...passed, verdict: "FAIL" });
    expect(waive(failed, "a")).toEqual(["refused: there is nothing about it that may be waived"]);
  });

  it("lets nothing go of a later attempt, and is given up like any other", () => {
    const run = finished();
    run.take(held("a"));
    waive(run, "a");
    run.take(held("b"));
    expect(answer(run, { action: "retry" })).toEqual(["escalation_answered", "attempt_started A#2"]);
    run.finish("A", undefined, 2);
    expect(effectOf(run, "A")).toMatchObject({ id: "verify:A#2", lifted: [] });
    run.take({ ...held("a"), attempt: 2 } as RunEvent);
    answer(run, { action: "give_up" });
    expect(run.statusOf("A")).toBe("failed");
  });
});
