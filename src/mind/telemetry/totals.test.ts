import { describe, expect, it } from "vitest";
import { BOUNDS, INSTRUMENTS } from "./instruments.js";
import { Totals } from "./totals.js";

describe("totals", () => {
  it("add up counters by attributes, keep the last of a gauge, and sort times into their parts", () => {
    const totals = new Totals();
    const add = (instrument: (typeof INSTRUMENTS)[keyof typeof INSTRUMENTS], value: number, attributes = {}) =>
      totals.add({ instrument, value, attributes });
    add(INSTRUMENTS.attempts, 1, { agent: "a" });
    add(INSTRUMENTS.attempts, 1, { agent: "b" });
    add(INSTRUMENTS.attempts, 1, { agent: "a" });
    add(INSTRUMENTS.waiting, 5);
    add(INSTRUMENTS.waiting, 2);
    for (const seconds of [0, 1, 1.5, 1e9]) add(INSTRUMENTS.waitTime, seconds);
    const of = (name: string) => totals.all().filter(({ instrument }) => instrument.name === name);
    expect(of("coordinator.attempts").map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ agent: "a" }, 2],
      [{ agent: "b" }, 1],
    ]);
    expect(of("coordinator.inbox.open")[0]?.value).toBe(2);
    const [waits] = of("coordinator.wait.duration");
    expect(waits?.buckets).toEqual([2, 1, ...BOUNDS.slice(2).map(() => 0), 1]);
    expect([waits?.count, waits?.value]).toEqual([4, 2.5 + 1e9]);
  });
});
