import { inflectNoun, inflectVerb, type VerbForm } from "./inflect.js";
import type { Token } from "./tokens.js";
import type { Entry, KnownWord, Slot, Vocabulary } from "./vocabulary.js";

/** One place where a pattern matched: `length` words from `at`. */
export interface Hit {
  readonly label: number;
  readonly at: number;
  readonly length: number;
  readonly form: VerbForm;
  /** The pattern has a gap: words inside it are not its own. */
  readonly loose: boolean;
}

/** How the words of a pattern bend: the first as a verb, the last as a noun, or not at all. */
export type Bend = "verb" | "noun" | "none";

const MOST_IN_GAP = 4;

/**
 * Patterns of words, compiled so that a text is read once whatever their number.
 *
 * A pattern is words with spaces between: `a|b` is one of several, `_` any one word, `..` up to four. A pattern that
 * starts with `_` or `..` starts at its first real word.
 */
export class Lexicon {
  readonly #vocabulary: Vocabulary;
  readonly #number: number;
  readonly #bit: number;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#number = vocabulary.admit();
    this.#bit = 1 << this.#number;
  }

  add(label: number, patterns: readonly string[], bend: Bend): void {
    for (const pattern of patterns) {
      const slots = pattern
        .toLowerCase()
        .replaceAll("-", " ")
        .split(/\s+/)
        .filter((slot) => slot !== "");
      while (slots[0] === "_" || slots[0] === "..") slots.shift();
      const first = slots.shift();
      if (first === undefined) continue;
      const last = slots.length - 1;
      const rest = slots.map((slot, index) => this.#slotOf(slot, bend === "noun" && index === last));
      for (const word of first.split("|"))
        for (const { text, form } of formsOf(word, bend, slots.length === 0))
          this.#put(this.#vocabulary.learn(text), { label, form, rest, loose: rest.includes("gap") });
    }
  }

  /** All matches, in the order of their first word. The words must have been read with the same vocabulary. */
  scan(tokens: readonly Token[]): Hit[] {
    const bit = this.#bit;
    const hits: Hit[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      if (token === undefined || (token.word.starts & bit) === 0 || token.opaque) continue;
      const head = token.word.heads[this.#number];
      if (head === undefined) continue;
      for (const entry of head.open) collect(tokens, at, entry, hits);
      const { bySecond } = head;
      const next = bySecond === null ? 0 : (tokens[at + 1]?.word.id ?? 0);
      const closed = next === 0 ? undefined : bySecond?.get(next);
      if (closed !== undefined) for (const entry of closed) collect(tokens, at, entry, hits);
    }
    return hits;
  }

  /** Whether the word alone is a match. */
  has(word: KnownWord): boolean {
    return (word.alone & this.#bit) !== 0;
  }

  #put(word: KnownWord, entry: Entry): void {
    word.starts |= this.#bit;
    const head = (word.heads[this.#number] ??= { open: [], bySecond: null });
    const second = entry.rest[0];
    if (second === undefined || typeof second === "string") {
      if (second === undefined && (word.alone & this.#bit) !== 0 && head.open.some((known) => isSame(known, entry)))
        return;
      if (second === undefined) word.alone |= this.#bit;
      head.open.push(entry);
      return;
    }
    head.bySecond ??= new Map();
    for (const next of second) {
      const closed = head.bySecond.get(next);
      if (closed === undefined) head.bySecond.set(next, [entry]);
      else closed.push(entry);
    }
  }

  #slotOf(slot: string, plural: boolean): Slot {
    if (slot === "_") return "any";
    if (slot === "..") return "gap";
    const alternatives = slot.split("|");
    const all = plural ? alternatives.flatMap(inflectNoun) : alternatives;
    return new Set(all.map((text) => this.#vocabulary.learn(text).id));
  }
}

/** A word alone counts once for each label. */
function isSame(known: Entry, { label }: Entry): boolean {
  return known.label === label && known.rest.length === 0;
}

function collect(tokens: readonly Token[], at: number, { label, form, rest, loose }: Entry, hits: Hit[]): void {
  const end = rest.length === 0 ? at + 1 : matchRest(tokens, at + 1, rest, 0);
  if (end !== -1) hits.push({ label, at, length: end - at, form, loose });
}

function formsOf(word: string, bend: Bend, alone: boolean): readonly { text: string; form: VerbForm }[] {
  if (bend === "verb") return inflectVerb(word);
  if (bend === "noun" && alone) return inflectNoun(word).map((text) => ({ text, form: "base" as const }));
  return [{ text: word, form: "base" }];
}

/** The end of the match, or -1. Each gap tries five places and a pattern has few, so the cost is bounded per word. */
function matchRest(tokens: readonly Token[], at: number, rest: readonly Slot[], index: number): number {
  const slot = rest[index];
  if (slot === undefined) return at;
  if (slot === "gap") {
    for (let skip = 0; skip <= MOST_IN_GAP; skip++) {
      if (skip > 0 && tokens[at + skip - 1]?.gap === "stop") break;
      const end = matchRest(tokens, at + skip, rest, index + 1);
      if (end !== -1) return end;
    }
    return -1;
  }
  const token = tokens[at];
  if (token === undefined || token.gap === "stop") return -1;
  if (slot !== "any" && !slot.has(token.word.id)) return -1;
  return matchRest(tokens, at + 1, rest, index + 1);
}
