import { segment } from "../text/segment.js";
import { sentences, words } from "../text/words.js";
import { foldWord, withoutInvisible } from "./fold.js";

/** One word as the lexicon sees it: lower case, without possessive, hyphens taken apart. */
export interface Token {
  readonly norm: string;
  readonly start: number;
  readonly end: number;
  /** What stands between the word before and this one: nothing, a comma, or something stronger. */
  readonly gap: "none" | "comma" | "stop";
  readonly possessive: boolean;
  /** Inline code or an address: a thing the request names, of which no word is read. */
  readonly opaque: boolean;
}

/** A sentence, a list entry or a heading. */
export interface Statement {
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly Token[];
}

export interface Reading {
  readonly source: string;
  readonly text: string;
  /** What the person says. */
  readonly own: readonly Statement[];
  /** What the person shows: quotes, code, comments. It is material and instructs nobody. */
  readonly material: readonly Statement[];
  readonly codeBlocks: readonly string[];
  /** Runs of prose (with its inline code and addresses) and of code; quotes and comments are left out. */
  readonly zones: readonly { readonly start: number; readonly end: number; readonly code: boolean }[];
  readonly ownWords: number;
  readonly listEntries: number;
  /** From an offset of `text` to one of what was given. */
  readonly place: (offset: number) => number;
}

/** Shorter quotations are emphasis or a name, and belong to the sentence they stand in. */
const QUOTATION_WORDS = 4;
/** The longest statement that is read as one. */
const MOST_WORDS = 120;

/**
 * Tell what a text says from what it shows, and cut both into statements of words.
 *
 * Contract: pure, total, linear in the length of the text.
 */
export function read(given: string, source = "user_request"): Reading {
  const { text, place } = withoutInvisible(given);
  const own: Statement[] = [];
  const material: Statement[] = [];
  const codeBlocks: string[] = [];
  const zones: { start: number; end: number; code: boolean }[] = [];
  let ownWords = 0;
  let listEntries = 0;
  let flow: Piece[] = [];
  const closeFlow = (): void => {
    const first = flow[0];
    const last = flow.at(-1);
    if (first === undefined || last === undefined) return;
    zones.push({ start: first.start, end: last.end, code: false });
    for (const statement of statementsOf(text, first.start, last.end, flow, material)) {
      own.push(statement);
      ownWords += statement.tokens.length;
      if (isListEntry(text, statement.start)) listEntries++;
    }
    flow = [];
  };
  for (const part of segment(text)) {
    if (part.kind === "prose" || part.kind === "inline_code" || part.kind === "url") {
      flow.push({ start: part.start, end: part.end, opaque: part.kind !== "prose" });
      continue;
    }
    closeFlow();
    // A quote is somebody else's: it tells neither what is asked nor what kind of project it is.
    if (part.kind === "code_block") {
      codeBlocks.push(part.text);
      zones.push({ start: part.start, end: part.end, code: true });
    }
    const piece = { start: part.start, end: part.end, opaque: false };
    for (const statement of statementsOf(text, part.start, part.end, [piece], material)) material.push(statement);
  }
  closeFlow();
  return { source, text, own, material, codeBlocks, zones, ownWords, listEntries, place };
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly opaque: boolean;
}

function statementsOf(
  text: string,
  start: number,
  end: number,
  pieces: readonly Piece[],
  quoted: Statement[],
): readonly Statement[] {
  const found: Statement[] = [];
  let first = 0;
  for (const sentence of sentences(text, start, end)) {
    while (first < pieces.length && (pieces[first]?.end ?? end) <= sentence.start) first++;
    const tokens: Token[] = [];
    for (let p = first; p < pieces.length; p++) {
      const piece = pieces[p];
      if (piece === undefined || piece.start >= sentence.end) break;
      const from = Math.max(piece.start, sentence.start);
      const to = Math.min(piece.end, sentence.end);
      if (piece.opaque) {
        if (to > from) tokens.push(opaqueToken(text, tokens, from, to));
      } else {
        addWords(text, from, to, tokens);
      }
    }
    if (tokens.length === 0) continue;
    if (tokens.length <= MOST_WORDS) {
      found.push({ start: sentence.start, end: sentence.end, tokens: withoutQuotations(text, tokens, quoted) });
      continue;
    }
    // What relates words to each other works on one statement: a text without full stops is cut, so that time stays linear.
    for (let at = 0; at < tokens.length; at += MOST_WORDS) {
      const part = tokens.slice(at, at + MOST_WORDS);
      found.push({ start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0, tokens: part });
    }
  }
  return found;
}

function opaqueToken(text: string, before: readonly Token[], start: number, end: number): Token {
  return {
    norm: "",
    start,
    end,
    gap: gapBetween(text, before.at(-1)?.end ?? start, start),
    possessive: false,
    opaque: true,
  };
}

/** All words between two places, inside code and addresses too. */
export function tokensOf(text: string, start: number, end: number): readonly Token[] {
  const tokens: Token[] = [];
  addWords(text, start, end, tokens);
  return tokens;
}

function addWords(text: string, start: number, end: number, tokens: Token[]): void {
  for (const word of words(text, start, end)) {
    let gap = gapBetween(text, tokens.at(-1)?.end ?? word.start, word.start);
    let lower = foldWord(word.lower);
    let possessive = false;
    if (lower.endsWith("'s")) {
      lower = lower.slice(0, -2);
      possessive = true;
    } else if (text.charCodeAt(word.end) === APOSTROPHE && lower.endsWith("s")) {
      possessive = true;
    }
    if (!lower.includes("-")) {
      tokens.push({ norm: lower, start: word.start, end: word.end, gap, possessive, opaque: false });
      continue;
    }
    let at = word.start;
    for (const part of lower.split("-")) {
      if (part !== "")
        tokens.push({
          norm: part,
          start: at,
          end: Math.min(at + part.length, word.end),
          gap,
          possessive,
          opaque: false,
        });
      at += part.length + 1;
      gap = "none";
    }
  }
}

const APOSTROPHE = 0x27;

/** Looks at a bounded stretch: what is further apart than that is cut anyway. */
function gapBetween(text: string, from: number, to: number): Token["gap"] {
  let gap: Token["gap"] = "none";
  const end = Math.min(to, from + 40);
  for (let at = from; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x3b || c === 0x2014 || c === 0x2013) return "stop";
    // A dot or colon inside a word, as in a file name, parts nothing.
    if ((c === 0x3a || c === 0x2e || c === 0x21 || c === 0x3f) && at + 1 < to) return "stop";
    if (c === 0x2c || c === 0x28 || c === 0x29) gap = "comma";
  }
  return gap;
}

/** Words inside "…" of some length are shown, not said, unless nothing else is. */
function withoutQuotations(text: string, tokens: readonly Token[], quoted: Statement[]): readonly Token[] {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return tokens;
  if (!hasQuotes(text, Math.max(0, first.start - 1), Math.min(text.length, last.end + 1))) return tokens;
  const kept: Token[] = [];
  let inside: Token[] | null = null;
  let at = Math.max(0, first.start - 1);
  for (const token of tokens) {
    for (; at < token.start; at++) {
      if (!isQuote(text.charCodeAt(at))) continue;
      if (inside === null) inside = [];
      else {
        settle(inside, kept, quoted);
        inside = null;
      }
    }
    at = token.end;
    (inside ?? kept).push(token);
  }
  if (inside !== null) {
    if (hasQuotes(text, last.end, Math.min(text.length, last.end + 3))) settle(inside, kept, quoted);
    else kept.push(...inside);
  }
  return kept.length > 0 ? kept : tokens;
}

function settle(inside: readonly Token[], kept: Token[], quoted: Statement[]): void {
  const first = inside[0];
  const last = inside.at(-1);
  if (first === undefined || last === undefined) return;
  if (inside.length < QUOTATION_WORDS) kept.push(...inside);
  else quoted.push({ start: first.start, end: last.end, tokens: inside });
}

function hasQuotes(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isQuote(text.charCodeAt(at))) return true;
  return false;
}

function isQuote(c: number): boolean {
  return c === 0x22 || c === 0x201c || c === 0x201d || c === 0x201e || c === 0xab || c === 0xbb;
}

function isListEntry(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  if (c === 0x2d || c === 0x2a || c === 0x2b) return text.charCodeAt(at + 1) === 0x20;
  const next = text.charCodeAt(at + 1);
  return c >= 0x30 && c <= 0x39 && (next === 0x2e || next === 0x29);
}
