import type { EdgeType } from "../../../model/plan/graph.js";

export interface EdgeNotes {
  readonly condition?: string;
  readonly label?: string;
}

/**
 * Edges as columns of numbers, by the order they were added in. A large graph has twice as many edges as nodes: as
 * objects they would be most of what has to be moved about in memory while it is built.
 */
export class EdgeColumns {
  #from = new Int32Array(64);
  #to = new Int32Array(64);
  readonly types: EdgeType[] = [];
  readonly notes: (EdgeNotes | null)[] = [];

  get size(): number {
    return this.types.length;
  }

  get from(): Int32Array {
    return this.#from.subarray(0, this.size);
  }

  get to(): Int32Array {
    return this.#to.subarray(0, this.size);
  }

  add(from: number, to: number, type: EdgeType, notes: EdgeNotes | null): void {
    const at = this.types.length;
    if (at === this.#from.length) {
      this.#from = doubleRoom(this.#from);
      this.#to = doubleRoom(this.#to);
    }
    this.#from[at] = from;
    this.#to[at] = to;
    this.types.push(type);
    this.notes.push(notes);
  }
}

function doubleRoom(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
