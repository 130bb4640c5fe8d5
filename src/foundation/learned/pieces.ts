import { charKind, LETTER } from "../text/words.js";

/*
 * The pieces that the features of a text are made of: its words, and in place of each name of code the kind of thing it names. Two
 * requests that name different options have "add an option" in common, and that is what can be learnt from them.
 */

/** A word, a punctuation mark or a name of code, by its hash, with its place in the text. */
export interface Piece {
  readonly hash: number;
  readonly start: number;
  readonly end: number;
  /** An everyday word, of which parts say something too. */
  readonly word: boolean;
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** One step of the FNV-1a hash, over UTF-16 code units. */
export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

export function hashOf(name: string): number {
  let hash = OFFSET;
  for (let at = 0; at < name.length; at++) hash = hashStep(hash, name.charCodeAt(at));
  return hash;
}

const FLAG = hashOf("<flag>");
const URL = hashOf("<url>");
const PATH = hashOf("<path>");
const CODE = hashOf("<code>");
const NUMBER = hashOf("<number>");
/** Marks that change what a sentence is: a question, an exclamation, the label before a colon. */
const MARKS: ReadonlySet<number> = new Set([0x21, 0x3a, 0x3f, 0xff01, 0xff1a, 0xff1f]);

/** A longer run is data, not a name. */
const RUN_MOST = 200;

/** Contract: pure, total, linear. Pieces are in the order of the text. */
export function piecesOf(text: string, start: number, end: number): Piece[] {
  const pieces: Piece[] = [];
  let at = start;
  while (at < end) {
    while (at < end && isBlank(text.charCodeAt(at))) at++;
    const from = at;
    while (at < end && !isBlank(text.charCodeAt(at))) at++;
    if (at > from) addRun(text, from, at, pieces);
  }
  return pieces;
}

function addRun(text: string, from: number, end: number, out: Piece[]): void {
  const kind = end - from > RUN_MOST ? NUMBER : kindOf(text, from, end);
  if (kind !== null) out.push({ hash: kind, start: from, end, word: false });
  if (end - from > RUN_MOST) return;
  let at = from;
  while (at < end) {
    const c = text.charCodeAt(at);
    if (isCjk(c)) {
      out.push({ hash: hashStep(OFFSET, c), start: at, end: at + 1, word: false });
      at++;
    } else if ((charKind(c) & LETTER) !== 0) {
      const wordStart = at;
      let hash = OFFSET;
      for (; at < end; at++) {
        const unit = text.charCodeAt(at);
        if ((charKind(unit) & LETTER) === 0 || isCjk(unit)) break;
        hash = hashStep(hash, foldText(unit));
      }
      out.push({ hash, start: wordStart, end: at, word: kind === null });
    } else {
      if (kind === null && MARKS.has(c)) out.push({ hash: hashStep(OFFSET, c), start: at, end: at + 1, word: false });
      at++;
    }
  }
}

/** The kind of name that a run without blanks is, or null for everyday words. */
function kindOf(text: string, from: number, end: number): number | null {
  while (from < end && !isNameStart(text.charCodeAt(from))) from++;
  while (end > from && !isNameEnd(text.charCodeAt(end - 1))) end--;
  if (end === from) return null;
  const first = text.charCodeAt(from);
  if (first === 0x60) return CODE;
  if (first === 0x2d)
    return end - from > 1 && (charKind(text.charCodeAt(from + 1)) & LETTER) === 0 && text.charCodeAt(from + 1) !== 0x2d
      ? null
      : FLAG;
  return shapeOf(text, from, end);
}

function shapeOf(text: string, from: number, end: number): number | null {
  let small = 0;
  let digits = 0;
  let inner = 0;
  let slashes = 0;
  for (let at = from; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c >= 0x30 && c <= 0x39) digits++;
    else if (c >= 0x61 && c <= 0x7a) small++;
    else if (c >= 0x41 && c <= 0x5a && small > 0 && isSmall(text.charCodeAt(at - 1))) inner++;
    else if (c === 0x5f || c === 0x28 || c === 0x3d || c === 0x24) inner++;
    else if (c === 0x2e && at + 1 < end && at > from && !isDigit(text.charCodeAt(at - 1))) inner++;
    else if (c === 0x3a && text.charCodeAt(at + 1) === 0x3a) inner++;
    else if (c === 0x2f) {
      if (text.charCodeAt(at - 1) === 0x3a && text.charCodeAt(at + 1) === 0x2f) return URL;
      slashes++;
    }
  }
  if (slashes > 1 || (slashes === 1 && (inner > 0 || text.charCodeAt(from) === 0x2f))) return PATH;
  if (inner > 0) return CODE;
  return digits > 0 && digits * 2 >= end - from ? NUMBER : null;
}

const isBlank = (c: number): boolean => c <= 0x20 || c === 0xa0 || c === 0x3000;
const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const isSmall = (c: number): boolean => c >= 0x61 && c <= 0x7a;
const isNameStart = (c: number): boolean =>
  (charKind(c) & LETTER) !== 0 || c === 0x60 || c === 0x2d || c === 0x2f || c === 0x24 || c === 0x2e;
const isNameEnd = (c: number): boolean =>
  (charKind(c) & LETTER) !== 0 || c === 0x60 || c === 0x29 || c === 0x2f || c === 0x2a;

/** Small letters, and one digit for all: 2.1 and 3.4 are the same to a reader who has seen neither. */
export function foldText(c: number): number {
  if (c < 128) return c >= 0x41 && c <= 0x5a ? c + 32 : isDigit(c) ? 0x30 : c;
  const lower = String.fromCharCode(c).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : c;
}

/** Signs of Chinese, Japanese and Korean: written without blanks, each counts as a word. */
function isCjk(c: number): boolean {
  return (
    c >= 0x2e80 &&
    ((c <= 0x9fff && c !== 0x3000) ||
      (c >= 0xac00 && c <= 0xd7af) ||
      (c >= 0xf900 && c <= 0xfaff) ||
      (c >= 0xff66 && c <= 0xff9f))
  );
}
