import { segment } from "../../../foundation/text/segment.js";
import { charKind, sentences } from "../../../foundation/text/words.js";
import { withoutInvisible } from "./fold.js";
import { withoutQuotations } from "./quotations.js";
import { addWords, readOpaqueToken, type Token, tokenAfter } from "./tokens.js";
import type { Vocabulary } from "./vocabulary.js";

/** A sentence, a list entry or a heading. */
export interface Statement {
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly Token[];
}

/** A run of prose with all words of its inline code and addresses, or a block of code. */
interface Zone {
  readonly code: boolean;
  readonly tokens: readonly Token[];
}

export interface Reading {
  readonly source: string;
  readonly text: string;
  /** The person's own words. */
  readonly own: readonly Statement[];
  /** Material that the person shows: quotes, code, comments. It instructs nobody. */
  readonly material: readonly Statement[];
  readonly codeBlocks: readonly string[];
  /** The head of the text without quotes and comments. */
  readonly zones: readonly Zone[];
  readonly ownWords: number;
  readonly listEntries: number;
  /** From an offset of `text` to one of what was given. */
  readonly place: (offset: number) => number;
}

/** The longest statement that is read as one. */
const MOST_WORDS = 120;
/** The type of a project shows early: words further on add nothing but time. */
const HEAD = 20_000;

/**
 * Tell what a text says from what it shows, and cut both into statements of words.
 *
 * Contract: pure, total, linear in the length of the text.
 */
export function read(vocabulary: Vocabulary, given: string, source = "user_request"): Reading {
  const { text, place } = withoutInvisible(given);
  const own: Statement[] = [];
  const material: Statement[] = [];
  const codeBlocks: string[] = [];
  const zones: Zone[] = [];
  let ownWords = 0;
  let listEntries = 0;
  let flow: Piece[] = [];
  const closeFlow = (): void => {
    if (flow.length === 0) return;
    const said = statementsOf(vocabulary, text, flow, material);
    addZone(zones, vocabulary, text, flow, said.all, false);
    for (const statement of said.statements) {
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
    const pieces = [{ start: part.start, end: part.end, opaque: false }];
    const shown = statementsOf(vocabulary, text, pieces, material);
    // A quote is somebody else's: it tells neither what is asked nor what kind of project it is.
    if (part.kind === "code_block") {
      codeBlocks.push(part.text);
      addZone(zones, vocabulary, text, pieces, shown.all, true);
    }
    for (const statement of shown.statements) material.push(statement);
  }
  closeFlow();
  return { source, text, own, material, codeBlocks, zones, ownWords, listEntries, place };
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly opaque: boolean;
}

function addZone(
  zones: Zone[],
  vocabulary: Vocabulary,
  text: string,
  pieces: readonly Piece[],
  all: readonly Token[],
  code: boolean,
): void {
  const start = pieces[0]?.start ?? 0;
  const end = pieces.at(-1)?.end ?? 0;
  if (start >= HEAD) return;
  if (end <= HEAD && !pieces.some((piece, index) => index > 0 && cutsWord(text, piece.start))) {
    zones.push({ code, tokens: all });
    return;
  }
  const tokens: Token[] = [];
  addWords(text, start, Math.min(end, HEAD), tokens, vocabulary);
  zones.push({ code, tokens });
}

/** Whether a word may run over a place where an address begins or ends, as in `x-http://…`: apart it reads differently. */
function cutsWord(text: string, at: number): boolean {
  return charKind(text.charCodeAt(at - 1)) !== 0 && charKind(text.charCodeAt(at)) !== 0;
}

interface Cut {
  readonly statements: readonly Statement[];
  /** All words in their order, those inside code and addresses too. */
  readonly all: readonly Token[];
}

/** Quotations inside a statement become statements of their own in `quoted`. */
function statementsOf(vocabulary: Vocabulary, text: string, pieces: readonly Piece[], quoted: Statement[]): Cut {
  const statements: Statement[] = [];
  const all: Token[] = [];
  const start = pieces[0]?.start ?? 0;
  const end = pieces.at(-1)?.end ?? 0;
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
        if (to <= from) continue;
        tokens.push(readOpaqueToken(text, tokens.at(-1), from, to, vocabulary));
        addWords(text, from, to, all, vocabulary);
      } else {
        const known = tokens.length;
        addWords(text, from, to, tokens, vocabulary);
        for (let at = known; at < tokens.length; at++) {
          const token = tokens[at];
          if (token === undefined) break;
          // The first one follows another word here than in the statement.
          all.push(at === known ? tokenAfter(text, all.at(-1), token) : token);
        }
      }
    }
    if (tokens.length === 0) continue;
    if (tokens.length <= MOST_WORDS) {
      const { start: from, end: to } = sentence;
      statements.push({ start: from, end: to, tokens: withoutQuotations(text, tokens, quoted) });
      continue;
    }
    // Rules that relate words to each other work on one statement: a text without full stops is cut, so that time stays linear.
    for (let at = 0; at < tokens.length; at += MOST_WORDS) {
      const part = tokens.slice(at, at + MOST_WORDS);
      statements.push({ start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0, tokens: part });
    }
  }
  return { statements, all };
}

function isListEntry(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  if (c === 0x2d || c === 0x2a || c === 0x2b) return text.charCodeAt(at + 1) === 0x20;
  const next = text.charCodeAt(at + 1);
  return c >= 0x30 && c <= 0x39 && (next === 0x2e || next === 0x29);
}
