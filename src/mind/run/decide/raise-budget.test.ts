import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import type { BudgetLimits, Decider } from "../../../model/run.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { amounts, PERSON, planRef, runTask } from "../../../testing/run-fixtures.js";
import { fold } from "../transition.js";
import { limitsWith } from "./raise-budget.js";

const AUTO = { plan_needs_approval: false };
const raise = (limits: BudgetLimits, decider: Decider = PERSON): RunEvent => ({
  type: "budget_raised",
  limits,
  decider,
});
const twoTasks = (budget: number) =>
  new DrivenRun(planRef([runTask("A"), runTask("B")], { budget: amounts(budget) }), AUTO);

describe("a budget that a person raises before its limit", () => {
  it("binds: what did not fit starts at once, and the log folds to the same", () => {
    const run = twoTasks(15);
    expect([run.statusOf("A"), run.statusOf("B")]).toEqual(["in_progress", "pending"]);
    expect(run.take(raise(amounts(25)))).toEqual(["budget_raised", "attempt_started B#1"]);
    expect(run.state.ledger.run.budget).toEqual(amounts(25));
    expect(fold(run.log).ledger).toEqual(run.state.ledger);
  });

  it("changes what is named and nothing else", () => {
    const run = twoTasks(15);
    expect(run.take(raise({ tokens: 99 }))).toEqual(["budget_raised"]);
    expect(run.state.ledger.run.budget).toEqual({ ...amounts(15), tokens: 99 });
    expect(limitsWith(amounts(15), { tokens: 5, cost_usd: 0.1 })).toEqual({ tokens: 20, cost_usd: 0.115 });
  });

  it.each([
    ["lower than what is used or set aside", { tokens: 5 }, /5 tokens is less than the 10 that are used/],
    ["lower than it is", { tokens: 12 }, /12 tokens is not more than the budget of 15/],
    ["what it is already", { tokens: 15 }, /not more than the budget of 15/],
    ["higher in one and lower in another", { tokens: 50, cost_usd: 0.012 }, /0.012 cost_usd is not more/],
    ["nothing", {}, /no limit is named/],
  ])("is not raised to %s", (_, limits, why) => {
    const run = twoTasks(15);
    const before = run.state;
    expect(run.take(raise(limits))[0]).toMatch(why);
    expect(run.state).toBe(before);
  });

  it("is not raised twice by two people who saw the same limit", () => {
    const run = twoTasks(15);
    expect(run.take(raise({ tokens: 20 }))).toEqual(["budget_raised"]);
    expect(run.take(raise({ tokens: 20 }, { by: "grace", how: "person" }))[0]).toMatch(/^refused: /);
  });

  it("has no limit where the plan set none", () => {
    const run = new DrivenRun(planRef([runTask("A")], { budget: { ...amounts(15), minutes: 1e12 } }), AUTO);
    expect(run.take(raise({ minutes: 2e12 }))[0]).toMatch(/minutes has no limit/);
  });

  it("is a person's to raise, and nobody's after the end or before there is a plan", () => {
    const run = new DrivenRun(planRef([runTask("A")], { budget: amounts(50) }), AUTO);
    for (const how of ["rule", "agent", "timeout_default"] as const)
      expect(run.take(raise({ tokens: 99 }, { by: "x", how }))[0]).toMatch(/make_decisions is forbidden/);
    run.land("A");
    expect(run.state.status).toBe("completed");
    expect(run.take(raise({ tokens: 99 }))[0]).toMatch(/the run is over/);
  });

  it("is raised by the answer where the run asks already", () => {
    const run = new DrivenRun(planRef([runTask("A")], { budget: amounts(5) }), AUTO);
    const [entry] = run.state.inbox;
    expect(run.take(raise(amounts(20)))[0]).toContain(`answer ${entry?.id ?? ""} with raise_budget`);
  });
});
