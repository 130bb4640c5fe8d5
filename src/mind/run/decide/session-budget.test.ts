import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import { amounts, opening, planRef, runTask } from "../../../testing/run-fixtures.js";
import { NEW_RUN, type RunState } from "../state.js";
import { refusal, step } from "../transition.js";

const PURPOSE = "review: T1#1 abc 1";
const reserves = (tokens: number, purpose = PURPOSE): RunEvent => ({
  type: "coordination_reserved",
  purpose,
  tokens,
  cost_usd: 0,
});
const used = (tokens: number): RunEvent => ({
  type: "coordination_used",
  purpose: PURPOSE,
  tokens,
  cost_usd: 0,
  source: "reported",
});

function after(...events: readonly RunEvent[]): RunState {
  const plan = planRef([runTask("T1", { estimate: amounts(100) })], { budget: amounts(1000) });
  return [...opening(plan, { plan_needs_approval: false }), ...events].reduce((state, event) => {
    expect(refusal(state, event)).toBeNull();
    return step(state, event, state.clock_ms + 1).state;
  }, NEW_RUN);
}

describe("what a session of coordination may use", () => {
  it("is set aside before it starts, and what it did not use is free again", () => {
    const begun = after(reserves(300));
    expect(begun.ledger.run.reserved.tokens).toBe(400);
    const ended = after(reserves(300), used(50));
    expect(ended.ledger.run.reserved.tokens).toBe(100);
    expect(ended.ledger.run.used.tokens).toBe(50);
    expect(ended.ledger.coordination_tokens).toBe(50);
  });

  it("is refused where the run does not have it, and set aside once", () => {
    expect(refusal(after(), reserves(901))).toContain("over its budget");
    expect(refusal(after(), reserves(900))).toBeNull();
    expect(refusal(after(reserves(300)), reserves(300))).toBe("it is set aside already");
    expect(refusal(after(reserves(300)), reserves(601, "another"))).toContain("over its budget");
  });

  it("counts as used when the run ends before it has said", () => {
    const ended = after(reserves(300), {
      type: "run_cancelled",
      decider: { by: "ada", how: "person" },
      reason: "enough",
    });
    expect(ended.ledger.run.reserved.tokens).toBe(0);
    expect(ended.ledger.run.used.tokens).toBeGreaterThanOrEqual(300);
  });

  it("is counted as before where nothing was set aside", () => {
    expect(after(used(50)).ledger.run.used.tokens).toBe(50);
  });
});
