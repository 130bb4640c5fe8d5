import { foldText, hashOf, hashStep, type Piece, piecesOf } from "./pieces.js";

/*
 * A text as a set of features, each a number below 2^bits. Features are told apart by the zone of the text they stand in,
 * so that a word of the title may weigh otherwise than the same word further down. Only hashes are kept: what was learnt
 * from a text does not spell it.
 */

/** A part of the text that is read. Zones may overlap: each gives features of its own, under its tag. */
export interface Zone {
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

/** Something the caller found in the text by other means: "the title names code", "three questions". */
export interface Sign {
  readonly name: string;
  /** How often, or how much: 1, 2, 3, 5, 9 and 17 are told apart. */
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

/** The parts of a text that a model reads. It is part of the model: weights are right for the features they were found for. */
export interface FeatureForm {
  /** Features are numbers below 2^bits; 14 to 20. */
  readonly bits: number;
  /** The longest sequence of words. */
  readonly words: number;
  /** The shortest and the longest part of a word. */
  readonly characters: readonly [number, number];
}

export const WORDS = 0;
export const CHARACTERS = 1;
export const SIGNS = 2;
type Group = typeof WORDS | typeof CHARACTERS | typeof SIGNS;

/** Parallel lists, `count` long: feature, group and place belong together by their index. Each feature stands once. */
export interface Features {
  readonly buckets: Int32Array;
  readonly groups: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly count: number;
  /** How many features each group has. */
  readonly sizes: readonly [number, number, number];
}

/** The kind of a text shows early; words further on add nothing but time. */
const ZONE_MOST = 8_000;
const SIGN_STEPS = [1, 2, 3, 5, 9, 17];
const WORD_START = 0x2402;
const WORD_END = 0x2403;

/** Contract: pure, total, linear in the zones; equal inputs give equal features in the same order. */
export function featuresOf(
  form: FeatureForm,
  text: string,
  zones: readonly Zone[],
  signs: readonly Sign[] = [],
): Features {
  const found = new Collector(form.bits);
  for (const { tag, start, end } of zones) {
    const seed = hashOf(`${tag}:`);
    const pieces = piecesOf(text, start, Math.min(end, start + ZONE_MOST));
    addWords(found, form, seed, pieces, start);
    for (const piece of pieces) if (piece.word) addCharacters(found, form, hashStep(seed, 0x23), text, piece);
  }
  for (const { name, count, start, end } of signs) {
    const seed = hashOf(`sign:${name}`);
    for (const step of SIGN_STEPS) if (count >= step) found.add(SIGNS, hashStep(seed, step), start, end);
  }
  return found;
}

/** Sequences of one word and more; one that begins the zone is another one than the same further on. */
function addWords(
  found: Collector,
  { words: longest }: FeatureForm,
  seed: number,
  pieces: readonly Piece[],
  from: number,
): void {
  for (let first = 0; first < pieces.length; first++) {
    let hash = seed;
    const start = pieces[first]?.start ?? from;
    for (let length = 1; length <= longest; length++) {
      const piece = pieces[first + length - 1];
      if (piece === undefined) break;
      hash = hashStep(Math.imul(hash, 31), piece.hash);
      found.add(WORDS, hash, start, piece.end);
      if (first === 0) found.add(WORDS, hashStep(hash, WORD_START), start, piece.end);
    }
  }
}

/** Parts of one word with its ends marked: "import", "importer" and "reimport" have most of them in common. */
function addCharacters(
  found: Collector,
  { characters }: FeatureForm,
  seed: number,
  text: string,
  { start, end }: Piece,
): void {
  const [shortest, longest] = characters;
  for (let first = start - 1; first < end; first++) {
    let hash = seed;
    for (let at = first, length = 1; at <= end && length <= longest; at++, length++) {
      hash = hashStep(hash, at < start ? WORD_START : at === end ? WORD_END : foldText(text.charCodeAt(at)));
      if (length >= shortest) found.add(CHARACTERS, hash, start, end);
    }
  }
}

/** Signs have a range of their own, so that a word never weighs what a sign weighs. */
const SIGN_RANGE = 4_096;

/** Words in the lower half, parts of words in the upper, signs at its end. */
function bucketOf(group: Group, hash: number, count: number): number {
  const half = count >> 1;
  if (group === WORDS) return hash & (half - 1);
  return group === SIGNS ? count - 1 - (hash & (SIGN_RANGE - 1)) : half + (hash % (half - SIGN_RANGE));
}

class Collector implements Features {
  buckets = new Int32Array(1_024);
  groups = new Uint8Array(1_024);
  starts = new Int32Array(1_024);
  ends = new Int32Array(1_024);
  count = 0;
  readonly sizes: [number, number, number] = [0, 0, 0];
  readonly #range: number;
  /** One bit for each feature that stands already. */
  readonly #seen: Int32Array;

  constructor(bits: number) {
    this.#range = 1 << bits;
    this.#seen = new Int32Array(this.#range >> 5);
  }

  add(group: Group, hash: number, start: number, end: number): void {
    let mixed = hash ^ (hash >>> 15);
    mixed = Math.imul(mixed, 0x2c1b3c6d);
    mixed ^= mixed >>> 13;
    const bucket = bucketOf(group, Math.imul(mixed, 0x297a2d39) >>> 0, this.#range);
    const bit = 1 << (bucket & 31);
    const word = this.#seen[bucket >> 5] ?? 0;
    if ((word & bit) !== 0) return;
    this.#seen[bucket >> 5] = word | bit;
    const at = this.count++;
    if (at === this.buckets.length) this.#grow();
    this.buckets[at] = bucket;
    this.groups[at] = group;
    this.starts[at] = start;
    this.ends[at] = end;
    this.sizes[group]++;
  }

  #grow(): void {
    const longer = (list: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(2 * list.length);
      grown.set(list);
      return grown;
    };
    const groups = new Uint8Array(2 * this.groups.length);
    groups.set(this.groups);
    this.groups = groups;
    this.buckets = longer(this.buckets);
    this.starts = longer(this.starts);
    this.ends = longer(this.ends);
  }
}
