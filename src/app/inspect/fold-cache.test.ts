import { describe, expect, it } from "vitest";
import type { EventRange, EventStore } from "../../hands/store/event-store.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { sha256 } from "../../hands/store/sha256.js";
import { DrivenRun } from "../../testing/driven-run.js";
import { planRef, runTask } from "../../testing/run-fixtures.js";
import { createFoldCache } from "./fold-cache.js";
import { createRunFold } from "./fold-run.js";

const RUN = "run_kept";

/** Events of a run of three tasks, in the order of its log. */
function events() {
  const run = new DrivenRun(planRef(["A", "B", "C"].map((id) => runTask(id))));
  for (const id of ["A", "B", "C"]) run.land(id);
  return run.log;
}

async function append(store: EventStore, from: number, to: number, at = "2026-01-01T00:00:00Z"): Promise<void> {
  const { sequence } = await store.open(RUN);
  const added = events()
    .slice(from, to)
    .map((one) => ({ ...one, at }));
  expect(await store.append(RUN, sequence, added)).toMatchObject({ status: "appended" });
}

async function freshly(store: EventStore) {
  const fold = createRunFold(RUN);
  for await (const logged of store.read(RUN)) fold.take(logged);
  return fold.now();
}

describe("folds that are kept", () => {
  it("are what folding the whole log gives, after every event, and read only what is new", async () => {
    const store = createMemoryStore({ sha256 });
    const reads: EventRange[] = [];
    const reader = new Proxy(store, {
      get: (target, name) =>
        name === "read"
          ? (runId: string, range: EventRange = {}) => {
              reads.push(range);
              return target.read(runId, range);
            }
          : (Reflect.get(target, name) as unknown),
    });
    const cache = createFoldCache();
    const all = events().length;
    expect(all).toBeGreaterThan(12);
    for (let i = 0; i < all; i++) {
      await append(store, i, i + 1);
      const { run, events: seen } = await cache.foldOf(reader, RUN);
      expect(run).toEqual(await freshly(store));
      expect(seen.map(({ sequence }) => sequence)).toEqual(Array.from({ length: i + 1 }, (_, k) => k + 1));
      // Nothing new: nothing is read.
      expect((await cache.foldOf(reader, RUN)).run).toBe(run);
    }
    expect(reads).toEqual(Array.from({ length: all }, (_, i) => (i === 0 ? {} : { from: i })));
  });

  it("do not change under those who were given one, also when many look at once", async () => {
    const store = createMemoryStore({ sha256 });
    const cache = createFoldCache();
    await append(store, 0, 5);
    const before = await cache.foldOf(store, RUN);
    const was = structuredClone([...before.run.began]);
    await append(store, 5, events().length);
    const many = await Promise.all(Array.from({ length: 8 }, () => cache.foldOf(store, RUN)));
    for (const { run } of many) expect(run).toEqual(await freshly(store));
    expect([before.run.sequence, before.events.length, [...before.run.began]]).toEqual([5, 5, was]);
  });

  it("are thrown away when the log is another one: longer, as long or shorter", async () => {
    const all = events().length;
    for (const length of [all, 6, 4]) {
      const first = createMemoryStore({ sha256 });
      await append(first, 0, 6);
      const cache = createFoldCache();
      await cache.foldOf(first, RUN);
      const second = createMemoryStore({ sha256 });
      await append(second, 0, length, "2026-02-02T00:00:00Z");
      const { run, events: seen } = await cache.foldOf(second, RUN);
      expect(run).toEqual(await freshly(second));
      expect(seen.every(({ at }) => at === "2026-02-02T00:00:00Z")).toBe(true);
    }
  });

  it("are given up for others when there are too many events, and come back right", async () => {
    const store = createMemoryStore({ sha256 });
    const cache = createFoldCache(1);
    await append(store, 0, 6);
    for (const other of ["run_a", "run_b"]) {
      await store.open(other);
      await store.append(
        other,
        0,
        events()
          .slice(0, 2)
          .map((one) => ({ ...one, at: "2026-01-01T00:00:00Z" })),
      );
      await cache.foldOf(store, other);
    }
    expect((await cache.foldOf(store, RUN)).run).toEqual(await freshly(store));
  });
});
