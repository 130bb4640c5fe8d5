import { charKind, JOINT, joins, LETTER, lowerOf, SPECIAL } from "../../../foundation/text/words.js";
import { foldWord } from "./fold.js";
import type { KnownWord, Vocabulary } from "./vocabulary.js";

/** One word as the lexicon sees it: lower case, without possessive, hyphens taken apart. */
export interface Token {
  readonly norm: string;
  readonly word: KnownWord;
  readonly start: number;
  readonly end: number;
  /** The mark between the word before and this one: none, a comma, or a stronger one. */
  readonly gap: "none" | "comma" | "stop";
  /** Inline code or an address: a thing the request names, of which no word is read. */
  readonly opaque: boolean;
}

/** Adds the words between two places, which read as the next ones after those that are there. */
export function addWords(text: string, start: number, end: number, tokens: Token[], vocabulary: Vocabulary): void {
  let before = tokens.at(-1)?.end ?? -1;
  let at = start;
  while (at < end) {
    let kinds = charKind(text.charCodeAt(at));
    if ((kinds & LETTER) === 0) {
      at++;
      continue;
    }
    const from = at++;
    for (; at < end; at++) {
      const kind = charKind(text.charCodeAt(at));
      if ((kind & LETTER) === 0 && !joins(kind, text, at, end)) break;
      kinds |= kind;
    }
    const gap = before === -1 ? "none" : gapBetween(text, before, from);
    const lower = lowerOf(text.slice(from, at), kinds);
    if ((kinds & (SPECIAL | JOINT)) === 0) tokens.push(tokenOf(lower, from, at, gap, vocabulary));
    else addFolded(lower, from, at, gap, tokens, vocabulary);
    before = tokens.at(-1)?.end ?? before;
  }
}

/** A word that may be a disguise, a possessive or several in one. */
function addFolded(
  given: string,
  start: number,
  end: number,
  gap: Token["gap"],
  tokens: Token[],
  vocabulary: Vocabulary,
): void {
  const folded = foldWord(given);
  const lower = folded.endsWith("'s") ? folded.slice(0, -2) : folded;
  if (!lower.includes("-")) {
    tokens.push(tokenOf(lower, start, end, gap, vocabulary));
    return;
  }
  let at = start;
  let before = gap;
  for (const part of lower.split("-")) {
    if (part !== "") tokens.push(tokenOf(part, at, Math.min(at + part.length, end), before, vocabulary));
    at += part.length + 1;
    before = "none";
  }
}

function tokenOf(norm: string, start: number, end: number, gap: Token["gap"], vocabulary: Vocabulary): Token {
  const word = vocabulary.find(norm);
  return { norm: word.id === 0 ? norm : word.text, word, start, end, gap, opaque: false };
}

export function readOpaqueToken(
  text: string,
  before: Token | undefined,
  start: number,
  end: number,
  vocabulary: Vocabulary,
): Token {
  const gap = before === undefined ? "none" : gapBetween(text, before.end, start);
  return { norm: "", word: vocabulary.find(""), start, end, gap, opaque: true };
}

/** A copy of the word after another one. */
export function tokenAfter(text: string, before: Token | undefined, token: Token): Token {
  const gap = before === undefined ? "none" : gapBetween(text, before.end, token.start);
  if (gap === token.gap) return token;
  const { norm, word, start, end, opaque } = token;
  return { norm, word, start, end, gap, opaque };
}

/** Looks at a bounded stretch: what is further apart than that is cut anyway. */
function gapBetween(text: string, from: number, to: number): Token["gap"] {
  let gap: Token["gap"] = "none";
  const end = Math.min(to, from + 40);
  for (let at = from; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x20) continue;
    if (c === 0x3b || c === 0x2014 || c === 0x2013) return "stop";
    // A dot or colon inside a word, as in a file name, parts nothing.
    if ((c === 0x3a || c === 0x2e || c === 0x21 || c === 0x3f) && at + 1 < to) return "stop";
    if (c === 0x2c || c === 0x28 || c === 0x29) gap = "comma";
  }
  return gap;
}
