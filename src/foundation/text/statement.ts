import { words } from "./words.js";

/*
 * The subject of a sentence, as far as its words show: the words that carry meaning, in one form each, and whether it
 * says that something is or that it is not. Two sentences are compared by this and by nothing that has to be understood.
 */

export interface Statement {
  readonly words: ReadonlySet<string>;
  readonly negated: boolean;
}

const NEGATIONS = new Set(["no", "not", "never", "without", "none", "nothing", "neither", "nor", "cannot"]);
const CONTRACTED = /n't$/;

/** Words that stand in nearly every sentence about software and tell two of them apart by nothing. */
const EMPTY = new Set(
  (
    "a an the this that these those it its they them their there here and or but as at by for from in into of off on " +
    "onto out over per than then to up via with within be is are was were been being has have had do does did will " +
    "would shall should must may might can could need needs needed any all each every some such only also just when " +
    "where which who whose what how if so we you he she i our your user users"
  ).split(" "),
);

/** Contract: pure and total. */
export function statementOf(text: string): Statement {
  const found = new Set<string>();
  let negated = false;
  for (const { lower } of words(text)) {
    if (NEGATIONS.has(lower) || CONTRACTED.test(lower)) negated = true;
    else if (!EMPTY.has(lower)) found.add(stem(lower));
  }
  return { words: found, negated };
}

/** `exports`, `exported` and `exporting` are one word. Crude, and the same for both sides of every comparison. */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  for (const ending of ["ing", "ed", "es", "s"])
    if (word.length > ending.length + 3 && word.endsWith(ending) && !word.endsWith("ss"))
      return word.slice(0, -ending.length).replace(/e$/, "");
  return word.length > 4 ? word.replace(/e$/, "") : word;
}

export function sameWords(a: Statement, b: Statement): boolean {
  return a.words.size === b.words.size && within(a, b);
}

/** Whether all that `inner` speaks of is spoken of in `outer` too. One word alone is not a statement. */
export function within(inner: Statement, outer: Statement): boolean {
  if (inner.words.size === 0 || (inner.words.size === 1 && outer.words.size > 1)) return false;
  return [...inner.words].every((word) => outer.words.has(word));
}

/** A text for comparing quotes: case and white space do not matter, nor which of its kinds a quotation mark is. */
export function plain(text: string): string {
  return text.normalize("NFKC").replace(/[‘’‛]/g, "'").replace(/[“”„]/g, '"').replace(/\s+/g, " ").trim().toLowerCase();
}
