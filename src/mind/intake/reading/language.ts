import type { CompiledPolicy } from "../compile-policy.js";
import type { Reading, Statement } from "./reading.js";

/*
 * The word lists of the policy are English. A request in another language would pass the safety rules unread and be
 * called clear, so it is told apart first: by its script, or by the small words that every sentence has.
 */

type Tongue = "english" | "foreign" | "unknown";

/** Whether what the person says is in another language throughout. One sentence in English is enough to be read. */
export function isForeign(policy: CompiledPolicy, reading: Reading): boolean {
  let foreign = false;
  for (const statement of reading.own) {
    const tongue = tongueOf(policy, reading, statement);
    if (tongue === "english") return false;
    if (tongue === "foreign") foreign = true;
  }
  return foreign;
}

function tongueOf(policy: CompiledPolicy, reading: Reading, { tokens }: Statement): Tongue {
  let english = 0;
  let foreign = 0;
  let latin = 0;
  let other = 0;
  for (const token of tokens) {
    if (token.opaque) continue;
    if (policy.foreign.has(token.word) || hasForeignLetter(reading.text, token.start, token.end)) foreign++;
    if (policy.functionWords.has(token.word) || policy.actions.has(token.word)) english++;
    for (let at = token.start; at < token.end; at++) {
      const c = reading.text.charCodeAt(at);
      if (c < 0x250) latin++;
      // One sign of Chinese, Japanese or Korean stands for a syllable or a word.
      else if (c >= 0x370) other += c >= 0x1100 ? 3 : 1;
    }
  }
  if (other > latin) return "foreign";
  if (foreign >= 2 && foreign > english) return "foreign";
  return english >= 2 && english > foreign ? "english" : "unknown";
}

/** ä, ß, ç, ñ, ø, ł …: a word with such a letter is rarely English. */
function hasForeignLetter(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c >= 0xc0 && c < 0x250) return true;
  }
  return false;
}
