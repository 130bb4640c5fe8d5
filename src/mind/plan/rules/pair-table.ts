/**
 * A set of pairs of whole numbers, each pair with one number kept for it. Made of typed arrays: the pairs of a large
 * graph would otherwise be a few hundred thousand objects that live as long as it does.
 */
export class PairTable {
  #first: Int32Array;
  #second: Int32Array;
  #kept: Int32Array;
  #size = 0;

  constructor(expected: number) {
    const room = 1 << Math.max(4, Math.ceil(Math.log2(expected * 2 + 1)));
    this.#first = new Int32Array(room);
    this.#second = new Int32Array(room);
    this.#kept = new Int32Array(room).fill(-1);
  }

  /** Returns the value kept for the pair; keeps `value` (0 or more) and returns -1 when the pair is new. */
  getOrAdd(first: number, second: number, value: number): number {
    if (this.#size * 2 >= this.#kept.length) this.#grow();
    const at = this.#find(first, second);
    const kept = this.#kept[at] as number;
    if (kept >= 0) return kept;
    this.#first[at] = first;
    this.#second[at] = second;
    this.#kept[at] = value;
    this.#size++;
    return -1;
  }

  #find(first: number, second: number): number {
    const mask = this.#kept.length - 1;
    const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
    let at = (mixed ^ (mixed >>> 15)) & mask;
    while ((this.#kept[at] as number) >= 0 && (this.#first[at] !== first || this.#second[at] !== second))
      at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [first, second, kept] = [this.#first, this.#second, this.#kept];
    this.#first = new Int32Array(kept.length * 2);
    this.#second = new Int32Array(kept.length * 2);
    this.#kept = new Int32Array(kept.length * 2).fill(-1);
    for (let i = 0; i < kept.length; i++) {
      if ((kept[i] as number) < 0) continue;
      const at = this.#find(first[i] as number, second[i] as number);
      this.#first[at] = first[i] as number;
      this.#second[at] = second[i] as number;
      this.#kept[at] = kept[i] as number;
    }
  }
}
