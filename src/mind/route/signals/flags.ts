import { type Detector, Finds } from "./evidence.js";
import { isLower, isIdentifierChar } from "./identifiers.js";

/** Options of a command: `--dry-run` anywhere, `-n` where it is marked as code. */
export const flags: Detector = (doc) => {
  const finds = new Finds();
  for (const token of doc.tokens) {
    if (token.plain) continue;
    if (isFlag(token.text, token.code)) finds.add(token.start, token.end, token.text);
  }
  return finds.all();
};

function isFlag(token: string, code: boolean): boolean {
  if (token.startsWith("--")) {
    if (!isLower(token.charCodeAt(2)) || token.length < 4) return false;
    for (let i = 2; i < token.length; i++) {
      const c = token.charCodeAt(i);
      if (c === 0x3d) return true;
      if (!isIdentifierChar(c) && c !== 0x2d) return false;
    }
    return true;
  }
  return code && token.startsWith("-") && token.length <= 3 && isIdentifierChar(token.charCodeAt(1));
}
