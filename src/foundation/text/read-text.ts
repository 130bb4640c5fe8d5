import { type Segment, segment } from "./segment.js";
import { collectWords, isSpace, type Sentence, sentences, type Word } from "./words.js";

/** A run of visible characters in what the author says, without the punctuation around it. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Marked as code by the author. */
  readonly code: boolean;
  /** Letters only, capitals at most at the start or throughout: an everyday word, and never a name of code. */
  readonly plain: boolean;
}

/** A line that is not blank, trimmed, of prose or of a code block (without its fences). */
export interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly code: boolean;
}

/** A text read once, for all detectors: what the author says apart from what the author pastes or quotes. */
export interface TextDocument {
  readonly text: string;
  readonly segments: readonly Segment[];
  /** The first line that is not blank. */
  readonly title: Sentence;
  /** Of prose and inline code; never of code blocks, quotes, addresses or comments. */
  readonly tokens: readonly Token[];
  /** Of prose only. */
  readonly words: readonly Word[];
  /** Of prose with the inline code and the addresses in it. */
  readonly sentences: readonly Sentence[];
  readonly lines: readonly Line[];
}

const TITLE_MOST = 300;
/** A longer line is data: only its start is read. */
const LINE_MOST = 1_000;

/** Contract: pure, total and linear. */
export function readText(text: string): TextDocument {
  const segments = segment(text);
  const tokens: Token[] = [];
  const allWords: Word[] = [];
  const allSentences: Sentence[] = [];
  const lines: Line[] = [];
  let stretch = -1;
  const title = titleOf(text);
  const closeStretch = (end: number): void => {
    if (stretch === -1) return;
    // The title is a sentence of its own, also when no blank line follows it.
    const cut = stretch < title.end && title.end < end ? title.end : stretch;
    if (cut > stretch) for (const s of sentences(text, stretch, cut)) allSentences.push(s);
    for (const s of sentences(text, cut, end)) allSentences.push(s);
    stretch = -1;
  };
  for (const part of segments) {
    const said = part.kind === "prose" || part.kind === "inline_code";
    if (said || part.kind === "url") {
      if (stretch === -1) stretch = part.start;
    } else {
      closeStretch(part.start);
    }
    if (said) tokenize(text, part, tokens);
    if (part.kind === "prose" || part.kind === "code_block") splitLines(part, lines);
    if (part.kind === "prose") collectWords(text, part.start, part.end, allWords);
  }
  closeStretch(text.length);
  return { text, segments, title, tokens, words: allWords, sentences: allSentences, lines };
}

function splitLines(part: Segment, out: Line[]): void {
  const code = part.kind === "code_block";
  let at = 0;
  while (at < part.text.length) {
    const lf = part.text.indexOf("\n", at);
    const next = lf === -1 ? part.text.length : lf + 1;
    const raw = part.text.slice(at, Math.min(next, at + LINE_MOST));
    const text = raw.trim();
    if (text !== "" && !(code && (text.startsWith("```") || text.startsWith("~~~")))) {
      const start = part.start + at + raw.indexOf(text);
      out.push({ text, start, end: start + text.length, code });
    }
    at = next;
  }
}

function titleOf(text: string): Sentence {
  let start = 0;
  while (start < text.length && isSpace(text.charCodeAt(start))) start++;
  const lineBreak = text.indexOf("\n", start);
  const end = lineBreak === -1 ? text.length : lineBreak;
  return { start, end: Math.min(end, start + TITLE_MOST) };
}

const OPENING = charSet("\"'([{*~,;:!?|\\`");
const CLOSING = charSet("\"'([{*~,;:!?|\\`.])}");

function charSet(chars: string): Uint8Array {
  const set = new Uint8Array(128);
  for (let i = 0; i < chars.length; i++) set[chars.charCodeAt(i)] = 1;
  return set;
}

/** A character of the set, or a curly quotation mark. */
function isIn(set: Uint8Array, c: number): boolean {
  return c < 128 ? set[c] === 1 : c >= 0x2018 && c <= 0x201f;
}

function tokenize(text: string, part: Segment, out: Token[]): void {
  const code = part.kind === "inline_code";
  let at = part.start;
  while (at < part.end) {
    while (at < part.end && isSpace(text.charCodeAt(at))) at++;
    const from = at;
    while (at < part.end && !isSpace(text.charCodeAt(at))) at++;
    if (at > from) addToken(text, from, at, code, out);
  }
}

/** Very long runs are data, not names. */
const TOKEN_MOST = 300;

function addToken(text: string, start: number, end: number, code: boolean, out: Token[]): void {
  if (end - start > TOKEN_MOST) return;
  while (start < end && isIn(OPENING, text.charCodeAt(start))) start++;
  while (end > start && isIn(CLOSING, text.charCodeAt(end - 1)) && !closesCall(text, start, end)) end--;
  if (text.charAt(start) === "_" && text.charAt(end - 1) === "_" && text.charAt(start + 1) !== "_") {
    start++;
    end--;
  }
  if (end > start)
    out.push({ text: text.slice(start, end), start, end, code, plain: !code && isPlain(text, start, end) });
}

function isPlain(text: string, start: number, end: number): boolean {
  let small = false;
  for (let at = start; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c >= 0x61 && c <= 0x7a) small = true;
    else if (c < 0x41 || c > 0x5a || small) return false;
  }
  return true;
}

/** `call()` and `list[0]` keep their closing mark, `(aside)` does not. */
function closesCall(text: string, start: number, end: number): boolean {
  const last = text.charAt(end - 1);
  const open = last === ")" ? "(" : last === "]" ? "[" : last === "}" ? "{" : null;
  if (open === null) return false;
  for (let at = end - 2; at > start; at--) if (text.charAt(at) === open) return true;
  return false;
}
