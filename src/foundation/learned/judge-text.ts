import { CHARACTERS, type Features, SIGNS, WORDS } from "./features.js";
import type { LearnedModel } from "./model.js";

/*
 * INVARIANT: whole numbers only. A text gets identical scores on every machine and every version of Node.js.
 */

export interface Judgement {
  /** For each class of the model, in units of a weight × 16. */
  readonly scores: readonly number[];
  /** For each class the chance that it is right, of 100; each class is judged on its own, so they need not sum to 100. */
  readonly chances: readonly number[];
}

/** A place in the text that speaks for a class. */
export interface Reason {
  readonly start: number;
  readonly end: number;
  /** How much of the score it gives, in the same units. */
  readonly weight: number;
}

const UNIT = 16;

/** Contract: pure and total. */
export function judge(model: LearnedModel, features: Features): Judgement {
  const { classes, weights } = model;
  const { buckets, groups, count } = features;
  const width = classes.length;
  const sums = Array.from({ length: 3 * width }, () => 0);
  for (let i = 0; i < count; i++) {
    const from = (buckets[i] ?? 0) * width;
    const into = (groups[i] ?? 0) * width;
    for (let k = 0; k < width; k++) sums[into + k] = (sums[into + k] ?? 0) + (weights[from + k] ?? 0);
  }
  const scores = classes.map((_, k) => {
    let score = model.bias[k] ?? 0;
    for (const group of [WORDS, CHARACTERS, SIGNS] as const)
      score += shareOf(sums[group * width + k] ?? 0, group, features.sizes[group]);
    return score;
  });
  return { scores, chances: scores.map((score, k) => chanceOf(model.chances[k] ?? [], score)) };
}

/**
 * The places that speak most for a class, the strongest first, at most `most` of them and no two that overlap.
 *
 * Contract: pure and total. Places that speak against the class are not among them.
 */
export function reasonsFor(model: LearnedModel, features: Features, of: number, most: number): Reason[] {
  const places = placesOf(model, features, of);
  const chosen: Reason[] = [];
  while (chosen.length < most) {
    let best: Reason | null = null;
    for (const place of places)
      if (
        place.weight > (best?.weight ?? 0) &&
        !chosen.some(({ start, end }) => place.start < end && start < place.end)
      )
        best = place;
    if (best === null) break;
    chosen.push(best);
  }
  return chosen;
}

/** The amount each place adds to the score of a class. Parts of one word stand next to each other, and count as one place. */
function placesOf({ weights, classes }: LearnedModel, features: Features, of: number): Reason[] {
  const { buckets, groups, starts, ends, sizes, count } = features;
  const places: Reason[] = [];
  const share = [WORDS, CHARACTERS, SIGNS].map((group) => shareOf(1 << 10, group, sizes[group] ?? 0));
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const group = groups[i] ?? SIGNS;
    const start = starts[i] ?? 0;
    const end = ends[i] ?? 0;
    sum += weights[(buckets[i] ?? 0) * classes.length + of] ?? 0;
    if (i + 1 < count && starts[i + 1] === start && ends[i + 1] === end && groups[i + 1] === group) continue;
    if (sum > 0 && end > start) places.push({ start, end, weight: Math.trunc((sum * (share[group] ?? 0)) / 1_024) });
    sum = 0;
  }
  return places;
}

/** Words and parts of words count in proportion, so that a long text does not outweigh itself; signs count each in full. */
function shareOf(sum: number, group: number, size: number): number {
  if (group === SIGNS) return sum * UNIT;
  return size === 0 ? 0 : Math.trunc((sum * UNIT * 256) / rootOf(size * 65_536));
}

/** The whole part of a square root, by Newton's method in whole numbers. */
export function rootOf(square: number): number {
  let root = square;
  for (let next = Math.floor((square + 1) / 2); next < root; next = Math.floor((root + Math.floor(square / root)) / 2))
    root = next;
  return root;
}

function chanceOf(steps: readonly number[], score: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) <= score) low = middle + 1;
    else high = middle;
  }
  return low;
}
