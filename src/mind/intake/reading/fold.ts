/* Spelling tricks are undone before a word is looked up, so that they change no decision. */

/** Letters of other scripts that look like Latin ones. */
const FOREIGN = "аеорсхуіјѕԁһкмтвнԛɡαορντικ";
const LATIN = "aeopcxyijsdhkmtbhqgaopvtik";
const DIGITS = "013457";
const LETTERS = "oieast";

/** The plain form of a lower-case word: no accents, no look-alike letters, no digits for letters. */
export function foldWord(lower: string): string {
  let ascii = true;
  let digit = false;
  let letter = false;
  for (let at = 0; at < lower.length; at++) {
    const c = lower.charCodeAt(at);
    if (c >= 0x80) ascii = false;
    else if (c >= 0x30 && c <= 0x39) digit = true;
    else letter = true;
  }
  let word = lower;
  if (!ascii && lower.length <= 64) {
    word = word.normalize("NFKD").replaceAll(/\p{M}/gu, "");
    // A word wholly in another script is that script's word; only a mixture is a disguise.
    if (/[a-z]/.test(word)) word = exchange(word, FOREIGN, LATIN);
  }
  if (digit && letter && lower.length >= 6 && lower.length <= 24 && !/\d{3}|\d$|^\d|_/.test(word))
    word = exchange(word, DIGITS, LETTERS);
  return word;
}

/** The word with each letter of `from` replaced by the one at its place in `to`. */
function exchange(word: string, from: string, to: string): string {
  let out = "";
  for (let at = 0; at < word.length; at++) {
    const place = from.indexOf(word.charAt(at));
    out += place === -1 ? word.charAt(at) : to.charAt(place);
  }
  return out;
}

/** A text without characters nobody sees, and the way back to the offsets of what was given. */
export function withoutInvisible(given: string): { text: string; place: (offset: number) => number } {
  let first = -1;
  for (let at = 0; at < given.length; at++)
    if (isInvisible(given.charCodeAt(at))) {
      first = at;
      break;
    }
  if (first === -1) return { text: given, place: (offset) => offset };
  const kept: string[] = [given.slice(0, first)];
  const cuts: { readonly at: number; readonly shift: number }[] = [];
  let length = first;
  let from = first;
  for (let at = first; at <= given.length; at++) {
    if (at < given.length && !isInvisible(given.charCodeAt(at))) continue;
    if (at > from) {
      kept.push(given.slice(from, at));
      cuts.push({ at: length, shift: from - length });
      length += at - from;
    }
    from = at + 1;
  }
  return { text: kept.join(""), place: (offset) => offset + shiftAt(cuts, offset) };
}

function shiftAt(cuts: readonly { readonly at: number; readonly shift: number }[], offset: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle]?.at ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return cuts[low - 1]?.shift ?? 0;
}

/** Zero-width and direction characters. The joiner of emoji is one of them and is of no use to a word. */
function isInvisible(c: number): boolean {
  return (
    c >= 0xad &&
    (c === 0xad ||
      (c >= 0x200b && c <= 0x200f) ||
      (c >= 0x202a && c <= 0x202e) ||
      (c >= 0x2060 && c <= 0x2069) ||
      c === 0xfeff)
  );
}
