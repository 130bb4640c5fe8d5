import { isWordCode } from "./alphabet.js";

const BACKSLASH = 92;
const PERCENT = 37;
const ESCAPE = 27;

/**
 * Whether a token may begin here: not in the middle of a word. A letter before it that belongs to an escape (`\n` in JSON,
 * `%3D` in an address, a colour of a terminal) is not a word.
 */
export function beginsHere(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (!isWordCode(before)) return true;
  if (text.charCodeAt(at - 2) === BACKSLASH && "nrtbfv".includes(text.charAt(at - 1))) return true;
  if (text.charCodeAt(at - 3) === PERCENT && /^[0-9A-Fa-f]{2}$/.test(text.slice(at - 2, at))) return true;
  if (text.charCodeAt(at - 6) === BACKSLASH && text.charAt(at - 5) === "u") return true;
  return before === 109 && endsColour(text, at - 1);
}

function endsColour(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0 && i > at - 16; i--) {
    const code = text.charCodeAt(i);
    if (code === 91) return text.charCodeAt(i - 1) === ESCAPE || text.slice(Math.max(0, i - 6), i).endsWith("u001b");
    if (!(code === 59 || (code >= 48 && code <= 57))) return false;
  }
  return false;
}
