/** Numbers that were passed over and may still come, as ranges: a forged number must not cost memory. */
export class Gaps {
  readonly #ranges: [number, number][] = [];

  add(from: number, to: number): void {
    this.#ranges.push([from, to]);
  }

  /** Whether the number was missing; then it is no longer. */
  take(number: number): boolean {
    const index = this.#ranges.findIndex(([from, to]) => from <= number && number <= to);
    const range = this.#ranges[index];
    if (range === undefined) return false;
    const [from, to] = range;
    const rest: [number, number][] = [];
    if (from < number) rest.push([from, number - 1]);
    if (number < to) rest.push([number + 1, to]);
    this.#ranges.splice(index, 1, ...rest);
    return true;
  }

  left(): readonly (readonly [number, number])[] {
    return this.#ranges;
  }
}
