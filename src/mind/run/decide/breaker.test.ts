import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttemptOutcome, FailurePolicy } from "../../../model/run.js";
import {
  type Breaker,
  CLOSED_BREAKER,
  mayStart,
  onFailure,
  onRelease,
  onStart,
  onSuccess,
  speaksOfAgent,
} from "./breaker.js";

const policy = FailurePolicy.parse({});
const failedTimes = (times: number, now = 1000): Breaker => {
  let breaker = CLOSED_BREAKER;
  for (let i = 0; i < times; i++) breaker = onFailure(breaker, now, policy, `old#${i}`);
  return breaker;
};
const OPEN = failedTimes(5);
const PROBING = onStart(OPEN, 31_000, policy, "probe#1");

describe("the circuit breaker", () => {
  it("starts closed, opens at the fifth failure and not before [S1-099, S1-100, S1-102, S1-121]", () => {
    expect(CLOSED_BREAKER).toEqual({
      state: "closed",
      failures: 0,
      last_failure_ms: null,
      opened_at_ms: null,
      probe: null,
    });
    expect(failedTimes(4)).toMatchObject({ state: "closed", failures: 4, last_failure_ms: 1000, opened_at_ms: null });
    expect(mayStart(failedTimes(4), 1000, policy)).toEqual({ answer: "yes" });
    expect(OPEN).toMatchObject({ state: "open", failures: 5, last_failure_ms: 1000, opened_at_ms: 1000 });
  });

  it("counts failures also with successes between them: only a probe takes them back [S1-102]", () => {
    expect(onFailure(onSuccess(failedTimes(4), "t#1"), 1000, policy, "t#2").state).toBe("open");
  });

  it.each([
    [1000, { answer: "no", retry_at_ms: 31_000 }],
    [30_999, { answer: "no", retry_at_ms: 31_000 }],
    [31_000, { answer: "probe" }],
    [99_000, { answer: "probe" }],
  ])("opened at 1000, at %d it says %j: 30 s pass before it is half-open [S1-099, S1-101]", (now, answer) => {
    expect(mayStart(OPEN, now, policy)).toEqual(answer);
  });

  it("lets one probe out in half-open, and nobody else until it has ended [S1-101]", () => {
    expect(PROBING).toMatchObject({ state: "half_open", probe: "probe#1", opened_at_ms: null });
    expect(mayStart(PROBING, 999_000, policy)).toEqual({ answer: "no", retry_at_ms: null });
    expect(onStart(PROBING, 999_000, policy, "probe#2")).toBe(PROBING);
  });

  it("closes on the probe's success, with the count at zero [S1-102]", () => {
    expect(onSuccess(PROBING, "probe#1")).toEqual(CLOSED_BREAKER);
    expect(onSuccess(PROBING)).toEqual(CLOSED_BREAKER);
  });

  it("opens again for another 30 s on the probe's failure [S1-102]", () => {
    const again = onFailure(PROBING, 40_000, policy, "probe#1");
    expect(again).toMatchObject({ state: "open", failures: 6, opened_at_ms: 40_000, probe: null });
    expect(mayStart(again, 69_999, policy)).toEqual({ answer: "no", retry_at_ms: 70_000 });
    expect(mayStart(again, 70_000, policy)).toEqual({ answer: "probe" });
  });

  it("does not take the late end of an older attempt for the probe's", () => {
    expect(onSuccess(PROBING, "old#9")).toBe(PROBING);
    expect(onFailure(PROBING, 32_000, policy, "old#9")).toMatchObject({ state: "half_open", probe: "probe#1" });
    expect(onSuccess(OPEN, "old#9")).toBe(OPEN);
    const late = onFailure(OPEN, 2000, policy, "old#9");
    expect(mayStart(late, 31_000, policy)).toEqual({ answer: "no", retry_at_ms: 32_000 });
  });

  it("lets another probe out when one ended without a word about the agent", () => {
    const released = onRelease(PROBING, "probe#1");
    expect(mayStart(released, 32_000, policy)).toEqual({ answer: "probe" });
    expect(onStart(released, 32_000, policy, "probe#2")).toMatchObject({ state: "half_open", probe: "probe#2" });
    expect(onRelease(PROBING, "old#9")).toBe(PROBING);
  });

  it("takes its numbers from the policy", () => {
    const own = FailurePolicy.parse({ breaker_failures: 1, breaker_open_ms: 5 });
    const open = onFailure(CLOSED_BREAKER, 0, own);
    expect(mayStart(open, 4, own)).toEqual({ answer: "no", retry_at_ms: 5 });
    expect(mayStart(open, 5, own)).toEqual({ answer: "probe" });
  });

  it.each<[AttemptOutcome, string]>([
    [{ kind: "completed", output_ref: "r" }, "success"],
    [{ kind: "structural", error: "crash", message: "m" }, "failure"],
    [{ kind: "semantic", violation: "rule", message: "m" }, "failure"],
    [{ kind: "quality", message: "m" }, "failure"],
    [{ kind: "safety", message: "m" }, "failure"],
    [{ kind: "resource", what: "tokens", message: "m" }, "neither"],
    [{ kind: "clarification", question: "q" }, "neither"],
    [{ kind: "cancelled" }, "neither"],
  ])("reads %j as %s of the agent", (outcome, reading) => {
    expect(speaksOfAgent(outcome)).toBe(reading);
  });
});

/** A history: attempts start when they may and end at any time in any way, the clock goes on in any strides. */
const history = fc.array(
  fc.record({
    stride: fc.oneof(fc.nat(100), fc.nat(40_000)),
    act: fc.oneof(
      fc.constant({ kind: "start" as const }),
      fc.record({ kind: fc.constantFrom("fail" as const, "succeed" as const, "release" as const), which: fc.nat(20) }),
    ),
  }),
  { maxLength: 200 },
);

describe("whatever happens", () => {
  it("never more than one probe is out, and none within 30 s of the last failure", () => {
    fc.assert(
      fc.property(history, (acts) => {
        let breaker = CLOSED_BREAKER;
        let now = 0;
        let started = 0;
        let lastFailure: number | null = null;
        const running: string[] = [];
        const probes = new Set<string>();
        for (const { stride, act } of acts) {
          now += stride;
          if (act.kind === "start") {
            const { answer } = mayStart(breaker, now, policy);
            if (answer === "no") continue;
            const attempt = `t#${++started}`;
            const before = breaker;
            breaker = onStart(breaker, now, policy, attempt);
            running.push(attempt);
            if (answer === "probe") {
              probes.add(attempt);
              expect(breaker.probe).toBe(attempt);
              if (before.state === "open") expect(now - (lastFailure ?? -Infinity)).toBeGreaterThanOrEqual(30_000);
            }
          } else {
            const [attempt] = running.splice(act.which % Math.max(1, running.length), 1);
            if (attempt === undefined) continue;
            probes.delete(attempt);
            if (act.kind === "fail") {
              lastFailure = now;
              breaker = onFailure(breaker, now, policy, attempt);
            } else breaker = act.kind === "succeed" ? onSuccess(breaker, attempt) : onRelease(breaker, attempt);
          }
          expect(probes.size).toBeLessThanOrEqual(1);
          expect(breaker.probe).toBe([...probes][0] ?? null);
          expect(breaker.opened_at_ms !== null).toBe(breaker.state === "open");
          if (breaker.state === "closed") expect(breaker.failures).toBeLessThan(5);
        }
      }),
      { numRuns: 500 },
    );
  });
});
