import { describe, expect, it } from "vitest";
import type { EventOf } from "../../../model/event.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { amounts, PERSON, planRef, PROOF, runTask } from "../../../testing/run-fixtures.js";
import { missingPromise } from "./promise.js";

const PROMISE = { text: "FEATURE_COMPLETE", given: false, iterations: 2, reason: "the promise is missing" };
const turn = (
  iteration: number,
  difference: Partial<EventOf<"iteration_finished">> = {},
): EventOf<"iteration_finished"> => ({
  type: "iteration_finished",
  task_id: "A",
  attempt: 1,
  iteration,
  limit: 3,
  promised: false,
  checks: [],
  failing: [],
  next: "again",
  reason: "",
  tokens: 10,
  cost_usd: 0.1,
  source: "reported",
  ...difference,
});
const ended = (promise: EventOf<"attempt_finished">["promise"]): EventOf<"attempt_finished"> => ({
  type: "attempt_finished",
  task_id: "A",
  attempt: 1,
  outcome: { kind: "completed", output_ref: "x" },
  usage: { amounts: amounts(10), source: "reported" },
  ...(promise === undefined ? {} : { promise }),
});
const verdict = (more: Partial<EventOf<"verification_finished">> = {}): EventOf<"verification_finished"> => ({
  type: "verification_finished",
  task_id: "A",
  attempt: 1,
  verdict: "PASS",
  evidence: "",
  proof: PROOF,
  ...more,
});
const begun = () => new DrivenRun(planRef([runTask("A")]));

describe("a result without its completion promise", () => {
  it("does not go on, even where a verdict says PASS [S3-034]", () => {
    const run = begun();
    run.take(ended(PROMISE));
    expect(run.take(verdict())).toEqual(["verification_finished", "escalation_raised"]);
    expect(run.statusOf("A")).toBe("blocked");
  });

  it("goes on when a person accepts it so, and for that result only", () => {
    const run = begun();
    run.take(ended(PROMISE));
    const objection = missingPromise(PROMISE);
    const liftable = { tests: [], guardrails: [], objections: objection === null ? [] : [objection] };
    run.take(verdict({ verdict: "BLOCKED", liftable }));
    const [entry] = run.state.inbox;
    const order = { action: "lift" as const, ...liftable };
    run.take({ type: "escalation_answered", escalation_id: entry?.id ?? "", order, decider: PERSON });
    expect(run.take(verdict())).toEqual(["verification_finished"]);
    expect(run.state.tasks.get(0).state).toMatchObject({ stage: "integrate" });
  });

  it.each([
    ["it was given", { ...PROMISE, given: true }],
    ["a log of an earlier version says nothing of it", undefined],
  ])("is not held where %s", (_, promise) => {
    const run = begun();
    run.take(ended(promise));
    expect(run.take(verdict())).toEqual(["verification_finished"]);
  });
});

describe("the turns of an attempt", () => {
  it("are counted once, however often they are told, and not beyond their limit", () => {
    const run = begun();
    expect(run.take(turn(1))).toEqual(["iteration_finished"]);
    expect(run.take(turn(1))).toEqual(["refused: iteration 1 of A is in the log already"]);
    expect(run.take(turn(3))).toEqual(["iteration_finished"]);
    expect(run.take(turn(4))).toEqual(["refused: A has only 3 iterations"]);
    expect(run.state.tasks.get(0).turns).toMatchObject({ attempt: 1, last: { iteration: 3 }, promise: null });
  });

  it("are those of the attempt under way: what comes later is not taken", () => {
    const run = begun();
    run.take(turn(1));
    run.take(ended({ ...PROMISE, given: true }));
    expect(run.state.tasks.get(0).turns).toMatchObject({ last: { iteration: 1 }, promise: { given: true } });
    expect(run.take(turn(2))[0]).toContain("refused");
  });
});
