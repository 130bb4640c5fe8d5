/*
 * Small scanners that tell names of code from words. Each looks at one token of bounded length, once.
 */

export const isUpper = (c: number): boolean => c >= 0x41 && c <= 0x5a;
export const isLower = (c: number): boolean => c >= 0x61 && c <= 0x7a;
export const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const isAlpha = (c: number): boolean => isUpper(c) || isLower(c);
export const isIdentifierChar = (c: number): boolean => isAlpha(c) || isDigit(c) || c === 0x5f || c === 0x24;

/** Letters, digits, `_` and `$`, not starting with a digit. */
export function isIdentifier(text: string): boolean {
  if (text === "" || isDigit(text.charCodeAt(0))) return false;
  for (let i = 0; i < text.length; i++) if (!isIdentifierChar(text.charCodeAt(i))) return false;
  return true;
}

/** `max_size`, `MAX_SIZE`, `__init__`: an identifier with an underscore inside. `_word` may be the start of an emphasis. */
export function isSnakeCase(text: string): boolean {
  if (!isIdentifier(text)) return false;
  const inner = text.indexOf("_", 1);
  return inner > 0 && inner < text.length - 1;
}

/** How many capitals inside a word start a new hump: 0 for `Word`, 1 for `fileName`, 2 for `FileNameList`. */
export function humps(text: string): number {
  let count = 0;
  for (let i = 1; i + 1 < text.length; i++) {
    if (isUpper(text.charCodeAt(i)) && isLower(text.charCodeAt(i + 1)) && isAlpha(text.charCodeAt(i - 1))) count++;
  }
  return count;
}

/** `getName`: two or more small letters, then a hump with small letters. Product names such as iPhone or macOS are not. */
export function isCamelCase(text: string): boolean {
  if (!isIdentifier(text) || !isLower(text.charCodeAt(0)) || !isLower(text.charCodeAt(1))) return false;
  return humps(text) > 0;
}
