import type { PhraseMatch } from "../../../foundation/text/phrases.js";
import type { TextDocument } from "../../../foundation/text/read-text.js";

/** "better", "faster", "more": a comparison in a sentence without a number. One sentence counts once. */
export function listUnmeasured(doc: TextDocument, comparisons: readonly PhraseMatch[]): readonly PhraseMatch[] {
  const found: PhraseMatch[] = [];
  let at = 0;
  for (const sentence of doc.sentences) {
    while (at < comparisons.length && (comparisons[at]?.start ?? 0) < sentence.start) at++;
    const match = comparisons[at];
    if (match === undefined) break;
    if (match.start < sentence.end && !hasDigit(doc.text, sentence.start, sentence.end)) found.push(match);
  }
  return found;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c >= 0x30 && c <= 0x39) return true;
  }
  return false;
}
