import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOBODY_READY, ReadyQueue } from "./ready-queue.js";

describe("ReadyQueue", () => {
  it("is always what a sorted list would be, and leaves the queue it was made from alone", () => {
    const size = 300;
    const places = fc.shuffledSubarray(
      Array.from({ length: size }, (_, i) => i),
      { minLength: size },
    );
    const tasks = fc.array(fc.nat(size - 1), { maxLength: 600 });
    fc.assert(
      fc.property(places, fc.uniqueArray(fc.nat(size - 1)), tasks, (order, first, changes) => {
        const place = Int32Array.from(order);
        const byPlace = (a: number, b: number) => (place[a] as number) - (place[b] as number);
        const listed = new Set(first);
        let queue = ReadyQueue.of(first, place);
        for (const task of changes) {
          const before = [...queue];
          const next = listed.has(task) ? queue.without(task, place) : queue.with(task, place);
          if (!listed.delete(task)) listed.add(task);
          expect([...queue]).toEqual(before);
          queue = next;
          expect(queue.length).toBe(listed.size);
        }
        expect([...queue]).toEqual([...listed].sort(byPlace));
      }),
      { numRuns: 20 },
    );
  });

  it("is itself without what is not in it", () => {
    const place = Int32Array.from([2, 1, 0]);
    const queue = ReadyQueue.of([0, 2], place);
    expect([...queue]).toEqual([2, 0]);
    expect(queue.without(1, place)).toBe(queue);
    expect(NOBODY_READY.without(0, place)).toBe(NOBODY_READY);
  });
});
