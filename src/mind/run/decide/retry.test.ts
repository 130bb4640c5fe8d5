import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttemptOutcome, FailurePolicy, StructuralError } from "../../../model/run.js";
import { backoffMs, retryAtMs, retryDelayMs, shouldRetry, tooLongWait } from "./retry.js";
import { hash32, seededRandom } from "../seeded.js";

const policy = FailurePolicy.parse({});
const structural = (error: (typeof StructuralError.options)[number], wait_until_ms?: number): AttemptOutcome => ({
  kind: "structural",
  error,
  message: "m",
  ...(wait_until_ms === undefined ? {} : { wait_until_ms }),
});

const OTHERS: readonly [string, AttemptOutcome][] = [
  ["a success", { kind: "completed", output_ref: "ref" }],
  ["a rule violation", { kind: "semantic", violation: "rule", message: "m" }],
  ["a spec violation", { kind: "semantic", violation: "spec", message: "m" }],
  ["a scope violation", { kind: "semantic", violation: "scope", message: "m" }],
  ["a spent budget", { kind: "resource", what: "tokens", message: "m" }],
  ["a question for the user", { kind: "clarification", question: "which?" }],
  ["bad quality", { kind: "quality", message: "m" }],
  ["a safety concern", { kind: "safety", message: "m" }],
  ["a cancellation", { kind: "cancelled" }],
];

const anyPolicy: fc.Arbitrary<FailurePolicy> = fc
  .record({
    max_retries: fc.integer({ min: 0, max: 10 }),
    base_delay_ms: fc.integer({ min: 0, max: 1e9 }),
    backoff_multiplier: fc.double({ min: 1, max: 1e6, noNaN: true }),
    max_delay_ms: fc.integer({ min: 0, max: 1e9 }),
  })
  .map((over) => FailurePolicy.parse(over));

describe("backoffMs", () => {
  it("has the specification's numbers by default [S1-094]", () => {
    expect(policy).toMatchObject({
      max_retries: 3,
      base_delay_ms: 1000,
      backoff_multiplier: 2,
      max_delay_ms: 60_000,
    });
  });

  it.each([
    [0, 1000],
    [1, 2000],
    [2, 4000],
    [5, 32_000],
    [6, 60_000],
    [5000, 60_000],
  ])("retry %d waits %d ms: base × multiplier^retry, at most the longest delay [S1-088, S1-098]", (retry, delay) => {
    expect(backoffMs(policy, retry)).toBe(delay);
  });

  it("takes its numbers from the policy", () => {
    const own = FailurePolicy.parse({ base_delay_ms: 10, backoff_multiplier: 3, max_delay_ms: 80 });
    expect([0, 1, 2, 3].map((retry) => backoffMs(own, retry))).toEqual([10, 30, 80, 80]);
    expect(backoffMs(FailurePolicy.parse({ base_delay_ms: 0 }), 5000)).toBe(0);
  });
});

describe("retryDelayMs", () => {
  it("lies within a fifth of the backoff, from 0 to the longest delay, and is the same each time", () => {
    fc.assert(
      fc.property(anyPolicy, fc.nat(2000), fc.maxSafeInteger(), fc.string(), (policy, retry, seed, key) => {
        const delay = retryDelayMs(policy, retry, seed, key);
        const backoff = backoffMs(policy, retry);
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(Math.max(0, Math.floor(backoff * 0.8)));
        expect(delay).toBeLessThanOrEqual(Math.min(policy.max_delay_ms, Math.ceil(backoff * 1.2)));
        expect(retryDelayMs(policy, retry, seed, key)).toBe(delay);
      }),
    );
  });

  it("spreads tasks, retries and runs apart, also at the longest delay", () => {
    const delays = (retry: number) =>
      new Set(Array.from({ length: 100 }, (_, i) => retryDelayMs(policy, retry, 1, `task_${i}`)));
    expect(delays(0).size).toBeGreaterThan(75);
    expect(delays(9).size).toBeGreaterThan(95);
    expect(retryDelayMs(policy, 0, 1, "task_1")).not.toBe(retryDelayMs(policy, 0, 2, "task_1"));
  });
});

describe("shouldRetry", () => {
  it("does not try a model again that is not there", () => {
    expect(shouldRetry(policy, structural("model_unavailable"), 0, 0)).toBe(false);
  });

  const retried = StructuralError.options.filter((error) => error !== "model_unavailable");
  it.each(retried)("retries after %s, three times [S1-095, S1-121]", (error) => {
    expect([0, 1, 2, 3, 4].map((retries) => shouldRetry(policy, structural(error), retries, 0))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it.each(["timeout", "lost_connection", "rate_limit"] as const)("retries after %s [S1-096]", (error) => {
    expect(shouldRetry(policy, structural(error), 0, 0)).toBe(true);
  });

  it.each(OTHERS)("never retries after %s [S1-095, S1-097, S0-057, S0-064]", (_, outcome) => {
    fc.assert(
      fc.property(anyPolicy, fc.nat(10), (policy, retries) => {
        expect(shouldRetry(policy, outcome, retries, 0)).toBe(false);
      }),
    );
  });
});

describe("a limit that says when it ends", () => {
  const day = 24 * 3_600_000;
  const retried = (until: number) => shouldRetry(policy, structural("usage_limit", until), 0, 5000);

  it("is waited for as long as the policy has it, and not a millisecond longer", () => {
    expect([5000 + day, 5001 + day, 5000 + 700_000 * day].map(retried)).toEqual([true, false, false]);
    expect(tooLongWait(policy, structural("usage_limit", 5000 + 2 * day), 5000)).toBe(
      "it says to wait for 48 h, and a run waits for at most 24 h",
    );
  });

  it("is waited for without an end in a run that was begun before there was one", () => {
    const { max_wait_ms: _, ...earlier } = policy;
    expect(shouldRetry(earlier as FailurePolicy, structural("usage_limit", 900 * day), 0, 0)).toBe(true);
  });
});

describe("retryAtMs", () => {
  const at = (outcome: AttemptOutcome) => retryAtMs(policy, outcome, { retry: 0, now: 5000, seed: 7, key: "t#1" });
  const soonest = 5000 + retryDelayMs(policy, 0, 7, "t#1");

  it("waits for the stated end of a usage limit and not longer", () => {
    expect(at(structural("usage_limit", 900_000))).toBe(900_000);
  });

  it.each([
    ["without a stated end", structural("timeout")],
    ["when the stated end has passed", structural("usage_limit", 1)],
    ["when the stated end is not a time", structural("usage_limit", Number.NaN)],
    ["when the stated end never comes", structural("usage_limit", Infinity)],
  ])("waits for the backoff %s", (_, outcome) => {
    expect(at(outcome)).toBe(soonest);
  });
});

describe("seeded", () => {
  it("gives the same numbers in [0, 1) for the same seed and key", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.string(), (seed, key) => {
        const [one, two] = [seededRandom(seed, key), seededRandom(seed, key)];
        for (let i = 0; i < 20; i++) {
          const drawn = one();
          expect(drawn).toBe(two());
          expect(drawn).toBeGreaterThanOrEqual(0);
          expect(drawn).toBeLessThan(1);
        }
      }),
    );
  });

  it("tells seeds apart in all their bits, and is evenly spread", () => {
    const first = [0, 1, 2 ** 32, 2 ** 40, -1, -(2 ** 33)].map((seed) => seededRandom(seed, "k")());
    expect(new Set(first).size).toBe(first.length);
    const draw = seededRandom(42, "spread");
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) {
      const tenth = Math.floor(draw() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it("gives these numbers on every machine: a recorded run must replay", () => {
    const draw = seededRandom(20_260_101, "task_a#1");
    expect([draw(), draw(), draw()]).toMatchInlineSnapshot(`
      [
        0.9731499163899571,
        0.9552789302542806,
        0.8912278430070728,
      ]
    `);
    expect(hash32("task_a#1")).toMatchInlineSnapshot(`811914662`);
  });
});
