/** How many entries share one block: changing one copies its block and the list of blocks. */
const BLOCK = 128;

/**
 * A list that is changed by making another one, which shares all blocks but the changed one. A run of ten thousand tasks
 * changes one task an event; copying all of them each time would make the run quadratic.
 */
export class Chunked<T> {
  readonly length: number;
  readonly #blocks: readonly (readonly T[])[];

  private constructor(blocks: readonly (readonly T[])[], length: number) {
    this.#blocks = blocks;
    this.length = length;
  }

  static of<T>(values: readonly T[]): Chunked<T> {
    const blocks: T[][] = [];
    for (let i = 0; i < values.length; i += BLOCK) blocks.push(values.slice(i, i + BLOCK));
    return new Chunked(blocks, values.length);
  }

  /** Contract: `at` is a place of the list. */
  get(at: number): T {
    return this.#blocks[Math.floor(at / BLOCK)]?.[at % BLOCK] as T;
  }

  with(at: number, value: T): Chunked<T> {
    const b = Math.floor(at / BLOCK);
    const block = [...(this.#blocks[b] ?? [])];
    block[at % BLOCK] = value;
    const blocks = [...this.#blocks];
    blocks[b] = block;
    return new Chunked(blocks, this.length);
  }

  *[Symbol.iterator](): Generator<T> {
    for (const block of this.#blocks) yield* block;
  }
}
