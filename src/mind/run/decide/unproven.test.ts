import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import type { EscalationOrder, Objection } from "../../../model/run.js";
import { DrivenRun as Run } from "../../../testing/driven-run.js";
import { planRef, runTask } from "../../../testing/run-fixtures.js";
import { effectsOf } from "../effects.js";
import { fold } from "../transition.js";

const MISSING: Objection = {
  kind: "unproven",
  id: "test",
  message: "test did not run on the base: xo: not found",
  cause: "program_missing: xo",
};
const held = (task_id: string, ...objections: Objection[]): RunEvent => ({
  type: "verification_finished",
  task_id,
  attempt: 1,
  verdict: "BLOCKED",
  evidence: "not proven",
  liftable: { tests: [], guardrails: [], objections },
});
const passed = (task_id: string): RunEvent => ({
  type: "verification_finished",
  task_id,
  attempt: 1,
  verdict: "PASS",
  evidence: "",
});
const ADA = { by: "ada", how: "person" } as const;
const WAIVE: EscalationOrder = { action: "lift", tests: [], guardrails: [], objections: [MISSING] };

function started(): Run {
  const run = new Run(planRef([runTask("A"), runTask("B"), runTask("C")]), {
    plan_needs_approval: false,
    max_concurrent_tasks: 3,
  });
  run.finish("A");
  run.finish("B");
  return run;
}
const open = (run: Run) => run.state.inbox.flatMap((e) => (e.kind === "escalation" ? [e.escalation] : []));
const answer = (run: Run, order: EscalationOrder) =>
  run.take({
    type: "escalation_answered",
    escalation_id: open(run)[0]?.escalation_id ?? "",
    order,
    decider: ADA,
  });
const effectOf = (run: Run, task: string) => effectsOf(run.state).find((e) => "task_id" in e && e.task_id === task);

describe("checks that prove nothing", () => {
  it("are asked about once for the run, and every result they hold is judged again after the answer", () => {
    const run = started();
    expect(run.take(held("A", MISSING))).toEqual(["verification_finished", "escalation_raised"]);
    expect(run.take(held("B", MISSING))).toEqual(["verification_finished"]);
    expect(open(run)).toMatchObject([{ task_id: null, summary: expect.stringContaining("xo: not found") as unknown }]);
    expect(answer(run, WAIVE)).toEqual(["escalation_answered", "judgement_resumed", "judgement_resumed"]);
    expect(effectOf(run, "A")).toMatchObject({ kind: "verify", id: "verify:A#1~1", lifted: [{ by: "ada" }, {}] });
    expect(effectOf(run, "B")).toMatchObject({ kind: "verify", id: "verify:B#1~1" });
    expect(run.take(passed("A"))).toEqual(["verification_finished"]);
    expect(fold(run.log)).toEqual(run.state);
  });

  it("that a person accepted are waived of every later result too, and of the merge", () => {
    const run = started();
    run.take(held("A", MISSING));
    answer(run, { ...WAIVE, not_applicable: true });
    run.finish("C");
    const waived = { attempt: 0, objections: [MISSING], not_applicable: true, by: "ada" };
    expect(effectOf(run, "C")).toMatchObject({ kind: "verify", id: "verify:C#1", lifted: [waived] });
    run.take(passed("C"));
    expect(effectOf(run, "C")).toMatchObject({ kind: "integrate", lifted: [waived] });
  });

  it("are asked about again when they still prove nothing after they were said to be mended", () => {
    const run = started();
    run.take(held("A", MISSING));
    const [first] = open(run);
    expect(answer(run, { action: "recheck" })).toEqual(["escalation_answered", "judgement_resumed"]);
    expect(run.take(held("A", MISSING))).toEqual(["verification_finished", "escalation_raised"]);
    expect(open(run)[0]?.escalation_id).not.toBe(first?.escalation_id);
    // A result that is new since then joins it.
    expect(run.take(held("B", MISSING))).toEqual(["verification_finished"]);
    expect(answer(run, WAIVE)).toEqual(["escalation_answered", "judgement_resumed", "judgement_resumed"]);
  });

  it("with another cause are another question", () => {
    const run = started();
    run.take(held("A", MISSING));
    expect(run.take(held("B", { ...MISSING, cause: "timed_out" }))).toContain("escalation_raised");
    expect(open(run)).toHaveLength(2);
  });

  it("end the run when a person gives up, and take no order that would leave a result waiting for nothing", () => {
    const run = started();
    run.take(held("A", MISSING));
    expect(answer(run, { action: "retry" })).toEqual([expect.stringMatching(/^refused: retry does not help/)]);
    expect(answer(run, { action: "skip", reason: "no" })).toEqual([expect.stringMatching(/^refused: skip/)]);
    expect(answer(run, { ...WAIVE, objections: [{ ...MISSING, id: "lint" }] })).toEqual([
      "refused: unproven lint is not among what holds it",
    ]);
    expect(answer(run, { action: "give_up" })).toContain("run_finished");
  });

  it("beside something of the result's own are that result's, and what was said of them holds for the run", () => {
    const run = started();
    const refused: Objection = {
      kind: "refused",
      id: "edit src/x.py",
      message: "edit src/x.py",
      addition: { write: ["src/x.py"], commands: [], network: [] },
    };
    run.take(held("A", MISSING, refused));
    expect(open(run)).toMatchObject([{ task_id: "A" }]);
    answer(run, { ...WAIVE, objections: [MISSING, refused] });
    expect(effectOf(run, "A")).toMatchObject({ id: "verify:A#1~1" });
    run.finish("C");
    expect(effectOf(run, "C")).toMatchObject({ lifted: [{ objections: [MISSING] }] });
  });
});

describe("a result whose agent was refused something", () => {
  const addition = { write: ["src/x.py"], commands: [], network: [] };
  const refused: Objection = { kind: "refused", id: "edit src/x.py", message: "edit src/x.py", addition };

  it("is worked on again with a wider scope", () => {
    const run = started();
    run.take(held("A", refused));
    expect(answer(run, { action: "widen", addition, note: "go on" })).toEqual([
      "escalation_answered",
      "attempt_started A#2",
    ]);
    const effect = effectOf(run, "A");
    expect(effect).toMatchObject({ kind: "start_attempt", guidance: [{ asked: null, said: "go on" }] });
    expect(run.state.tasks.get(0).widened).toEqual(addition);
  });

  it("is skipped, and what builds on it goes on", () => {
    const run = new Run(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]), { plan_needs_approval: false });
    run.finish("A");
    run.take(held("A", refused));
    expect(answer(run, { action: "skip", reason: "done by another" })).toEqual([
      "escalation_answered",
      "attempt_started B#1",
    ]);
    expect(run.statusOf("A")).toBe("skipped");
  });
});

describe("a workspace that could not be made ready", () => {
  it("is asked about at once: no retry, and nothing against the agent", () => {
    const run = new Run(planRef([runTask("A")]), { plan_needs_approval: false });
    const outcome = { kind: "environment", message: "setup failed: xo: not found" } as const;
    expect(run.finish("A", outcome)).toEqual(["attempt_finished", "escalation_raised"]);
    expect(run.state.breakers["agent_a"]?.failures ?? 0).toBe(0);
    expect(open(run)).toMatchObject([{ type: "technical_blocker" }]);
  });
});
