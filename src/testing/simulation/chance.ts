import { seededRandom } from "../../mind/run/seeded.js";

/** Everything a simulated world draws, from one seed. */
export class Chance {
  readonly #draw: () => number;

  constructor(seed: number) {
    this.#draw = seededRandom(seed, "world");
  }

  number(): number {
    return this.#draw();
  }

  happens(probability: number): boolean {
    return this.#draw() < probability;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#draw() * (most - least + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#draw() * values.length)] as T;
  }
}
