import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideNextIteration, type IterationState, MOST_IDLE_TURNS } from "./iterate.js";

const FAILS = { check: "unit", name: "adds", message: "1 is not 2" };
const state = (difference: Partial<IterationState> = {}): IterationState => ({
  iteration: 1,
  limit: 4,
  promised: true,
  failing: [],
  refused: false,
  idle: 0,
  ...difference,
});

describe("what follows a turn of an agent", () => {
  it.each<[string, Partial<IterationState>, object]>([
    ["promise and checks are there", {}, { next: "done" }],
    ["a check fails", { failing: [FAILS] }, { next: "again", promise_missing: false, failing: [FAILS] }],
    ["the promise is missing", { promised: false }, { next: "again", promise_missing: true, failing: [] }],
    ["the last iteration is used", { promised: false, iteration: 4 }, { next: "ask" }],
    ["the last but one is used", { promised: false, iteration: 3 }, { next: "again" }],
    ["nothing changes any more", { failing: [FAILS], idle: MOST_IDLE_TURNS }, { next: "ask" }],
    ["only a person can allow what is missing", { promised: false, refused: true }, { next: "ask" }],
    ["something was refused that it could do without", { refused: true }, { next: "done" }],
  ])("%s", (_, difference, expected) => {
    expect(decideNextIteration(state(difference))).toMatchObject(expected);
  });

  it("says what is missing when a person is asked", () => {
    const asked = decideNextIteration(state({ promised: false, failing: [FAILS], iteration: 4 }));
    expect(asked).toMatchObject({
      reason: "the completion promise is missing and unit fails after 4 of 4 iterations",
    });
  });

  it("is never done without the promise, and never more than the limit [S3-034, S3-073]", () => {
    const any = fc.record({
      iteration: fc.integer({ min: 1, max: 30 }),
      limit: fc.integer({ min: 1, max: 20 }),
      promised: fc.boolean(),
      failing: fc.array(fc.constant(FAILS), { maxLength: 2 }),
      refused: fc.boolean(),
      idle: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(any, (drawn) => {
        const { next } = decideNextIteration(drawn);
        if (next === "done") expect(drawn.promised && drawn.failing.length === 0).toBe(true);
        if (next === "again") expect(drawn.iteration).toBeLessThan(drawn.limit);
      }),
    );
  });
});
