import type { Statement } from "./reading.js";
import type { Token } from "./tokens.js";

/** Shorter quotations are emphasis or a name, and belong to the sentence they stand in. */
const QUOTATION_WORDS = 4;

/** Words inside "…" of some length are shown, not said, unless nothing else is. */
export function withoutQuotations(text: string, tokens: readonly Token[], quoted: Statement[]): readonly Token[] {
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
  return c === 0x22 || (c >= 0xab && (c === 0xab || c === 0xbb || c === 0x201c || c === 0x201d || c === 0x201e));
}
