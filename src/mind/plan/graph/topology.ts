/** A graph as numbers: edge i goes from `from[i]` to `to[i]`. */
export interface Wires {
  readonly size: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Successors in compressed rows: those of node n are `targets[offset[n]]` up to `targets[offset[n + 1]]`. */
export interface Rows {
  readonly offset: Int32Array;
  readonly targets: Int32Array;
}

export function rowsOf({ size, from, to }: Wires): Rows {
  const offset = new Int32Array(size + 1);
  for (let i = 0; i < from.length; i++) add(offset, (from[i] as number) + 1, 1);
  for (let n = 0; n < size; n++) add(offset, n + 1, offset[n] as number);
  const next = offset.slice();
  const targets = new Int32Array(from.length);
  for (let i = 0; i < from.length; i++) targets[add(next, from[i] as number, 1) - 1] = to[i] as number;
  return { offset, targets };
}

/** Adds to one place and returns what stands there now. */
function add(numbers: Int32Array, at: number, amount: number): number {
  return (numbers[at] = (numbers[at] as number) + amount);
}

export interface Topology {
  readonly rows: Rows;
  /** All nodes, each after everything it depends on. Shorter than the graph when there is a cycle. */
  readonly order: Int32Array;
  /** The nodes of one cycle, in order; null when there is none. */
  readonly cycle: readonly number[] | null;
}

/** Kahn's algorithm over compressed rows: linear in nodes and edges. Ties keep the order of the numbers. */
export function topologyOf(wires: Wires): Topology {
  const { size, to } = wires;
  const rows = rowsOf(wires);
  const waiting = new Int32Array(size);
  for (let i = 0; i < to.length; i++) add(waiting, to[i] as number, 1);
  const order = new Int32Array(size);
  let end = 0;
  for (let n = 0; n < size; n++) if (waiting[n] === 0) order[end++] = n;
  for (let start = 0; start < end; start++) {
    const n = order[start] as number;
    for (let i = rows.offset[n] as number; i < (rows.offset[n + 1] as number); i++) {
      const target = rows.targets[i] as number;
      if (add(waiting, target, -1) === 0) order[end++] = target;
    }
  }
  return { rows, order: order.subarray(0, end), cycle: end === size ? null : findCycle(rows, waiting) };
}

/** Every node Kahn left over lies on a cycle or behind one, so walking back along waiting nodes must meet itself. */
function findCycle({ offset, targets }: Rows, waiting: Int32Array): number[] {
  const size = waiting.length;
  const predecessor = new Int32Array(size).fill(-1);
  for (let n = 0; n < size; n++) {
    if (waiting[n] === 0) continue;
    for (let i = offset[n] as number; i < (offset[n + 1] as number); i++)
      if ((waiting[targets[i] as number] as number) > 0) predecessor[targets[i] as number] = n;
  }
  let at = predecessor.findIndex((p) => p >= 0);
  const seenAt = new Map<number, number>();
  const path: number[] = [];
  while (!seenAt.has(at)) {
    seenAt.set(at, path.length);
    path.push(at);
    at = predecessor[at] as number;
  }
  return path.slice(seenAt.get(at)).reverse();
}

/** The longest path into each node when a node weighs `weight[n]`: its own weight included. */
export function longestPaths({ rows, order }: Topology, weight: Float64Array): Float64Array {
  const longest = weight.slice();
  for (let at = 0; at < order.length; at++) {
    const n = order[at] as number;
    for (let i = rows.offset[n] as number; i < (rows.offset[n + 1] as number); i++) {
      const target = rows.targets[i] as number;
      const through = (longest[n] as number) + (weight[target] as number);
      if (through > (longest[target] as number)) longest[target] = through;
    }
  }
  return longest;
}
