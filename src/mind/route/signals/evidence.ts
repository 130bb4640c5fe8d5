import type { TextDocument } from "../../../foundation/text/read-text.js";

/** One place in the text that a detector points at. */
export interface Evidence {
  readonly start: number;
  readonly end: number;
  /** The name was found before: a place to point at, not another sign. */
  readonly again?: true;
}

/**
 * A detector finds one kind of sign in a text.
 *
 * Contract: pure, total, linear in the text; the evidence is in the order of the text, at most PLACES_MOST places. Each
 * distinct name counts once, and a count is at most SIGNS_MOST, a bounded number whatever the text.
 */
export type Detector = (doc: TextDocument) => readonly Evidence[];

const SIGNS_MOST = 100;
export const PLACES_MOST = 1_000;

/** Collect places; a name that was seen before is a place, but not a second sign. */
export class Finds {
  readonly #found: Evidence[] = [];
  #names: Set<string> | null = null;
  #ordered = true;

  add(start: number, end: number, name?: string): void {
    if (this.#found.length >= PLACES_MOST) return;
    if (start < (this.#found.at(-1)?.start ?? 0)) this.#ordered = false;
    if (name === undefined) {
      this.#found.push({ start, end });
      return;
    }
    this.#names ??= new Set();
    if (this.#names.has(name)) this.#found.push({ start, end, again: true });
    else this.#found.push({ start, end });
    this.#names.add(name);
  }

  /** In the order of the text, however many passes found them. */
  all(): readonly Evidence[] {
    return this.#ordered ? this.#found : this.#found.sort((a, b) => a.start - b.start);
  }
}

/** How many different signs there are. */
export function countOf(found: readonly Evidence[]): number {
  let count = 0;
  for (const { again } of found) if (again === undefined) count++;
  return Math.min(count, SIGNS_MOST);
}
