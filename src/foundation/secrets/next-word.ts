/** Every name that may speak of a secret has one of these in it. */
const WORDS = ["pass", "pwd", "secret", "token", "key", "cred", "psk", "_pw", "-pw", "_pat", "-pat"];

/** By the first two characters, whatever their case. */
const byStart: (string[] | undefined)[] = Array.from({ length: 128 * 128 });
for (const word of WORDS) (byStart[pairOf(word.charCodeAt(0), word.charCodeAt(1))] ??= []).push(word);

function pairOf(first: number, second: number): number {
  return ((first | 32) << 7) | (second | 32);
}

/** Where the next such word begins, whatever the case of its letters; -1 when there is none. */
export function nextWord(text: string, from: number): number {
  let code = text.charCodeAt(from);
  for (let at = from; at < text.length - 1; at++) {
    const next = text.charCodeAt(at + 1);
    const words = code > 127 || next > 127 ? undefined : byStart[pairOf(code, next)];
    code = next;
    if (words === undefined) continue;
    for (const word of words) if (standsAt(text, at, word)) return at;
  }
  return -1;
}

function standsAt(text: string, at: number, word: string): boolean {
  for (let i = 2; i < word.length; i++) if ((text.charCodeAt(at + i) | 32) !== word.charCodeAt(i)) return false;
  return true;
}
