import { describe, expect, it } from "vitest";
import { createThrottle } from "./guard.js";

describe("the throttle", () => {
  const HERE = "127.0.0.1";

  function throttled() {
    let now = 0;
    const throttle = createThrottle(() => now);
    const isAdmitted = (secret: string) => {
      try {
        throttle.admit(HERE, secret);
        return true;
      } catch {
        return false;
      }
    };
    return { throttle, isAdmitted, pass: (ms: number) => void (now += ms) };
  }

  it("lets an address wait longer after each failure, up to a minute, and none that was right before", () => {
    const { throttle, isAdmitted, pass } = throttled();
    throttle.recordSuccess("right");
    for (let i = 0; i < 5; i++) throttle.recordFailure(HERE);
    expect(isAdmitted("other")).toBe(true);
    for (const waits of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      throttle.recordFailure(HERE);
      pass(waits - 1);
      expect([waits, isAdmitted("other"), isAdmitted("right")]).toEqual([waits, false, true]);
      pass(1);
      expect([waits, isAdmitted("other")]).toEqual([waits, true]);
    }
  });

  it("forgets an address that made no mistake for a quarter of an hour", () => {
    const { throttle, isAdmitted, pass } = throttled();
    for (let i = 0; i < 12; i++) throttle.recordFailure(HERE);
    expect(isAdmitted("other")).toBe(false);
    pass(60_000 + 14 * 60_000);
    throttle.recordFailure(HERE);
    expect(isAdmitted("other")).toBe(false);
    pass(60_000 + 15 * 60_000);
    throttle.recordFailure(HERE);
    expect(isAdmitted("other")).toBe(true);
  });
});
