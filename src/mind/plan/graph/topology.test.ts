import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longestPaths, rowsOf, topologyOf, type Wires } from "./topology.js";

type Pair = readonly [from: number, to: number];

const wires = (size: number, pairs: readonly Pair[]): Wires => ({
  size,
  from: Int32Array.from(pairs, ([from]) => from),
  to: Int32Array.from(pairs, ([, to]) => to),
});

/** Any graph without a cycle: edges lead from an earlier to a later place of a random order of the nodes. */
const dag = fc.integer({ min: 1, max: 30 }).chain((size) =>
  fc
    .record({
      places: fc.shuffledSubarray(
        Array.from({ length: size }, (_, i) => i),
        { minLength: size, maxLength: size },
      ),
      pairs: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 80 }),
    })
    .map(({ places, pairs }) => ({
      size,
      pairs: pairs
        .filter(([a, b]) => a !== b)
        .map(([a, b]): Pair => [places[Math.min(a, b)] as number, places[Math.max(a, b)] as number]),
    })),
);

describe("topologyOf", () => {
  it("orders any acyclic graph: all nodes, each after those it depends on [S4-043]", () => {
    fc.assert(
      fc.property(dag, ({ size, pairs }) => {
        const { order, cycle } = topologyOf(wires(size, pairs));
        expect(cycle).toBeNull();
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
        const place = new Map([...order].map((n, i) => [n, i]));
        for (const [from, to] of pairs) expect(place.get(from)).toBeLessThan(place.get(to) as number);
      }),
      { numRuns: 300 },
    );
  });

  it("names a real cycle of any graph that has one, and orders what lies before it [S4-042]", () => {
    const planted = dag.chain((graph) =>
      fc.uniqueArray(fc.nat(graph.size - 1), { minLength: 1, maxLength: 6 }).map((ring) => ({
        ...graph,
        pairs: [...graph.pairs, ...ring.map((n, i): Pair => [n, ring[(i + 1) % ring.length] as number])],
      })),
    );
    fc.assert(
      fc.property(planted, ({ size, pairs }) => {
        const { cycle, order } = topologyOf(wires(size, pairs));
        const edges = new Set(pairs.map(([from, to]) => `${from} ${to}`));
        if (cycle === null) throw new Error("no cycle was found");
        expect(new Set(cycle).size).toBe(cycle.length);
        for (const [i, n] of cycle.entries()) expect(edges).toContain(`${n} ${cycle[(i + 1) % cycle.length]}`);
        expect(order.length).toBeLessThan(size);
        for (const n of cycle) expect(order).not.toContain(n);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps the order of the numbers where nothing else decides", () => {
    expect([...topologyOf(wires(4, [[3, 0]])).order]).toEqual([1, 2, 3, 0]);
  });

  it("knows a node that waits for itself", () => {
    expect(topologyOf(wires(2, [[1, 1]])).cycle).toEqual([1]);
  });

  it("takes a graph of a hundred thousand nodes in one long chain", () => {
    const size = 100_000;
    const chain = wires(
      size,
      Array.from({ length: size - 1 }, (_, i): Pair => [i + 1, i]),
    );
    expect(topologyOf(chain).order[0]).toBe(size - 1);
  });
});

describe("longestPaths", () => {
  it("gives levels in which every edge leads to a later one, and no node stands later than it must", () => {
    fc.assert(
      fc.property(dag, ({ size, pairs }) => {
        const topology = topologyOf(wires(size, pairs));
        const level = longestPaths(topology, new Float64Array(size).fill(1));
        for (const [from, to] of pairs) expect(level[to]).toBeGreaterThan(level[from] as number);
        for (let n = 0; n < size; n++) {
          const before = pairs.filter(([, to]) => to === n).map(([from]) => level[from] as number);
          expect(level[n]).toBe(1 + Math.max(0, ...before));
        }
      }),
    );
  });

  it("counts a node's own weight", () => {
    const topology = topologyOf(
      wires(3, [
        [0, 1],
        [1, 2],
      ]),
    );
    expect([...longestPaths(topology, Float64Array.from([2, 0, 5]))]).toEqual([2, 2, 7]);
  });
});

it("rowsOf lists the successors of each node in the order of the edges", () => {
  const { offset, targets } = rowsOf(
    wires(3, [
      [0, 2],
      [2, 1],
      [0, 1],
    ]),
  );
  expect([...offset]).toEqual([0, 2, 2, 3]);
  expect([...targets]).toEqual([2, 1, 1]);
});
