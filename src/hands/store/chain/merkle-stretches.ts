import type { Sha256 } from "../event-store.js";
import type { Checkpoint } from "./checkpoint.js";
import { MerkleTree } from "./merkle.js";

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly tree: MerkleTree;
}

/**
 * The trees of a log whose checkpoints say where each begins and ends, built while the log is read from its beginning.
 * A stretch that was not read whole and in order has no root: what is wrong with it is found by the chain.
 */
export class MerkleStretches {
  readonly #waiting: Stretch[];
  #building: Stretch[] = [];
  readonly #roots = new Map<string, string>();

  constructor(checkpoints: readonly Checkpoint[], sha256: Sha256) {
    const stretches = new Map<string, Stretch>();
    for (const { merkle, sequence: to } of checkpoints)
      if (merkle !== undefined)
        stretches.set(nameOf(merkle.from, to), { from: merkle.from, to, tree: new MerkleTree(sha256) });
    this.#waiting = [...stretches.values()].sort((a, b) => b.from - a.from);
  }

  /** Contract: the numbers only grow. */
  take(sequence: number, hash: string): void {
    for (let next = this.#waiting.at(-1); next !== undefined && next.from <= sequence; next = this.#waiting.at(-1)) {
      this.#building.push(next);
      this.#waiting.pop();
    }
    if (this.#building.length === 0) return;
    let ended = false;
    for (const { from, to, tree } of this.#building) {
      if (sequence <= to && sequence === from + tree.leaves) tree.add(hash);
      if (sequence < to) continue;
      ended = true;
      if (tree.leaves === to - from + 1) this.#roots.set(nameOf(from, to), tree.root());
    }
    if (ended) this.#building = this.#building.filter(({ to }) => sequence < to);
  }

  /** The root over the events as they were read; undefined for a checkpoint without one and a log that lacks some. */
  rootOf({ merkle, sequence }: Checkpoint): string | undefined {
    return merkle === undefined ? undefined : this.#roots.get(nameOf(merkle.from, sequence));
  }
}

function nameOf(from: number, to: number): string {
  return `${from}-${to}`;
}
