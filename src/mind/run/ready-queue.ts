/** How many entries stand in one chunk at most: putting one in, or taking one out, copies its chunk and no other. */
const MOST = 64;

type Chunk = readonly number[];

/**
 * The tasks that are ready, in the order of their places; changed by making another queue, like everything in a run's
 * state. Ten thousand tasks may be ready at once, and each that starts leaves it: it must not be copied whole.
 */
export class ReadyQueue {
  readonly length: number;
  // INVARIANT: no chunk is empty, and each entry of one stands before all of the next.
  readonly #chunks: readonly Chunk[];

  private constructor(chunks: readonly Chunk[], length: number) {
    this.#chunks = chunks;
    this.length = length;
  }

  /** Contract: each task once. */
  static of(tasks: readonly number[], place: Int32Array): ReadyQueue {
    const sorted = [...tasks].sort((a, b) => (place[a] as number) - (place[b] as number));
    const chunks: Chunk[] = [];
    for (let i = 0; i < sorted.length; i += MOST) chunks.push(sorted.slice(i, i + MOST));
    return new ReadyQueue(chunks, sorted.length);
  }

  /** Contract: the task is not in it. */
  with(task: number, place: Int32Array): ReadyQueue {
    if (this.length === 0) return new ReadyQueue([[task]], 1);
    const at = Math.min(this.#chunkOf(task, place), this.#chunks.length - 1);
    const chunk = (this.#chunks[at] as Chunk).slice();
    chunk.splice(positionIn(chunk, task, place), 0, task);
    const chunks = this.#chunks.slice();
    if (chunk.length <= MOST) chunks[at] = chunk;
    else chunks.splice(at, 1, chunk.slice(0, MOST >> 1), chunk.slice(MOST >> 1));
    return new ReadyQueue(chunks, this.length + 1);
  }

  /** Without a task; itself, when it is not in it. */
  without(task: number, place: Int32Array): ReadyQueue {
    const at = this.#chunkOf(task, place);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return this;
    const position = positionIn(chunk, task, place);
    if (chunk[position] !== task) return this;
    const chunks = this.#chunks.slice();
    if (chunk.length === 1) chunks.splice(at, 1);
    else chunks[at] = position === 0 ? chunk.slice(1) : [...chunk.slice(0, position), ...chunk.slice(position + 1)];
    return new ReadyQueue(chunks, this.length - 1);
  }

  [Symbol.iterator](): Iterator<number> {
    const [first = EMPTY] = this.#chunks;
    return this.#chunks.length < 2 ? first[Symbol.iterator]() : inTurn(this.#chunks);
  }

  /** The first chunk whose end does not stand before the task: where it is, or would be. */
  #chunkOf(task: number, place: Int32Array): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const last = (this.#chunks[middle] as Chunk).at(-1) as number;
      if ((place[last] as number) < (place[task] as number)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const EMPTY: Chunk = [];

function* inTurn(chunks: readonly Chunk[]): Generator<number> {
  for (const chunk of chunks) yield* chunk;
}

export const NOBODY_READY = ReadyQueue.of([], new Int32Array());

function positionIn(chunk: Chunk, task: number, place: Int32Array): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((place[chunk[middle] as number] as number) < (place[task] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
