/** A word with its place in the text. */
export interface Word {
  readonly text: string;
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

export interface Sentence {
  readonly start: number;
  readonly end: number;
}

/**
 * The words of a text between two places: runs of letters, digits and `_`, with `'` and `-` inside a word.
 *
 * Contract: pure and total, for any string, in linear time. Scripts without spaces give one word per run.
 */
export function words(text: string, start = 0, end = text.length): readonly Word[] {
  const found: Word[] = [];
  collectWords(text, start, end, found);
  return found;
}

/** Collects words into a list of the caller. */
export function collectWords(text: string, start: number, end: number, out: Word[]): void {
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
    const word = text.slice(from, at);
    out.push({ text: word, lower: lowerOf(word, kinds), start: from, end: at });
  }
}

/** The part of a character in a word, as bits: those of all its characters together decide what has to be done with it. */
export const LETTER = 1;
const CAPITAL = 2;
/** A digit or a character beyond ASCII. */
export const SPECIAL = 4;
/** `'` or `-`, of a word when a letter follows. */
export const JOINT = 8;

const KINDS = new Uint8Array(128);
for (let c = 0; c < 128; c++) {
  if (!isLetter(c)) continue;
  KINDS[c] = c >= 0x30 && c <= 0x39 ? LETTER | SPECIAL : c >= 0x41 && c <= 0x5a ? LETTER | CAPITAL : LETTER;
}
KINDS[0x27] = KINDS[0x2d] = JOINT;

export function charKind(c: number): number {
  if (c < 128) return KINDS[c] ?? 0;
  return c === 0x2019 ? JOINT | SPECIAL : isLetter(c) ? LETTER | SPECIAL : 0;
}

/** Whether a character of that kind, which is not a letter, holds two parts of one word together. */
export function joins(kind: number, text: string, at: number, end: number): boolean {
  return (kind & JOINT) !== 0 && at + 1 < end && (charKind(text.charCodeAt(at + 1)) & LETTER) !== 0;
}

/** The word in small letters; `kinds` are those of its characters. */
export function lowerOf(word: string, kinds: number): string {
  if ((kinds & SPECIAL) !== 0) return word.toLowerCase().replaceAll("’", "'");
  return (kinds & CAPITAL) === 0 ? word : word.toLowerCase();
}

/**
 * The sentences of a text between two places, without the white space around them.
 *
 * A sentence ends at `.`, `!` or `?` before white space (not before a small letter, so "e.g. this" is one), at the full
 * stops of Chinese and Japanese, at a blank line, and before a heading, a list entry, a quote or a table row.
 */
export function sentences(text: string, start = 0, end = text.length): readonly Sentence[] {
  const found: Sentence[] = [];
  let from = start;
  let at = start;
  const close = (to: number): void => {
    const trimmed = trim(text, from, to);
    if (trimmed !== null) found.push(trimmed);
    from = to;
  };
  while (at < end) {
    const c = text.charCodeAt(at);
    at++;
    if (c > 0x3f && c < 0x3002) continue;
    if (c === 0x0a) {
      if (startsBlock(text, at, end) || isHeading(text, from, end)) close(at);
    } else if (isWideStop(c)) {
      close(at);
    } else if (c === 0x2e || c === 0x21 || c === 0x3f) {
      while (at < end && isClosing(text.charCodeAt(at))) at++;
      if (at >= end) break;
      if (isSpace(text.charCodeAt(at)) && (c !== 0x2e || !isSmall(nextVisible(text, at, end)))) close(at);
    }
  }
  close(end);
  return found;
}

/** Letters, digits and `_`; beyond ASCII all but white space, punctuation and symbols of the common blocks. */
export function isLetter(c: number): boolean {
  if (c < 0x80) return (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39) || c === 0x5f;
  if (c < 0xc0) return c === 0xaa || c === 0xb5 || c === 0xba;
  if (c >= 0x2000 && c <= 0x2bff) return false;
  if (c >= 0x3000 && c <= 0x3020) return false;
  if (c >= 0xd800 && c <= 0xdfff) return false;
  if (c >= 0xfe00 && c <= 0xfe6f) return false;
  if (c >= 0xff00 && c <= 0xff0f) return false;
  if (c >= 0xff1a && c <= 0xff20) return false;
  return c !== 0xd7 && c !== 0xf7 && c !== 0xfeff && c < 0xfff0;
}

export function isSpace(c: number): boolean {
  if (c <= 0x20) return c === 0x20 || (c >= 0x09 && c <= 0x0d);
  return c >= 0xa0 && (c === 0xa0 || c === 0x3000 || c === 0x2028 || c === 0x2029);
}

function isWideStop(c: number): boolean {
  return c === 0x3002 || c === 0xff01 || c === 0xff1f;
}

function isClosing(c: number): boolean {
  return c === 0x2e || c === 0x21 || c === 0x3f || c === 0x29 || c === 0x22 || c === 0x27 || c === 0x2a;
}

function isSmall(c: number): boolean {
  return c >= 0x61 && c <= 0x7a;
}

/** Looks only a few characters on: a long run of white space ends a sentence whatever follows. */
function nextVisible(text: string, at: number, end: number): number {
  const most = Math.min(end, at + 3);
  while (at < most && isSpace(text.charCodeAt(at))) {
    if (text.charCodeAt(at) === 0x0a) return 0;
    at++;
  }
  return at < most ? text.charCodeAt(at) : 0;
}

function startsBlock(text: string, at: number, end: number): boolean {
  let spaces = 0;
  while (at < end && spaces < 12 && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) {
    at++;
    spaces++;
  }
  if (at >= end) return true;
  const c = text.charCodeAt(at);
  if (c === 0x0a || c === 0x0d || c === 0x23 || c === 0x3e || c === 0x7c || c === 0x60) return true;
  const next = text.charCodeAt(at + 1);
  if (c === 0x2d || c === 0x2a || c === 0x2b) return next === 0x20 || next === c;
  if (c < 0x30 || c > 0x39) return false;
  return next === 0x2e || next === 0x29 || (next >= 0x30 && next <= 0x39 && text.charCodeAt(at + 2) === 0x2e);
}

function isHeading(text: string, from: number, end: number): boolean {
  let spaces = 0;
  while (from < end && spaces < 12 && isSpace(text.charCodeAt(from))) {
    from++;
    spaces++;
  }
  return text.charCodeAt(from) === 0x23;
}

function trim(text: string, start: number, end: number): Sentence | null {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return start < end ? { start, end } : null;
}
