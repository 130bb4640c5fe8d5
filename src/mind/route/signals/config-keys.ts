import { type Detector, Finds } from "./evidence.js";
import { isIdentifierChar, isUpper } from "./identifiers.js";

/** Settings named as such: `key=value` or `key: value` as code, `ENV_NAME` in capitals. */
export const configKeys: Detector = (doc) => {
  const finds = new Finds();
  for (const token of doc.tokens) {
    if (token.plain) continue;
    const key = keyOf(token.text, token.code);
    if (key !== null) finds.add(token.start, token.end, key);
  }
  for (const part of doc.segments) {
    if (part.kind !== "inline_code") continue;
    const colon = part.text.indexOf(": ");
    if (colon > 1 && isKey(part.text.slice(1, colon))) finds.add(part.start, part.end, part.text.slice(1, colon));
  }
  return finds.all();
};

function keyOf(token: string, code: boolean): string | null {
  const equals = token.indexOf("=");
  if (equals > 1 && equals < token.length - 1 && token.charAt(equals + 1) !== "=") {
    const key = token.slice(0, equals);
    if (isKey(key) && (code || key.includes("_") || key.includes("."))) return key;
  }
  return isEnvironmentName(token) ? token : null;
}

function isKey(text: string): boolean {
  if (text.length < 2 || text.length > 80) return false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isIdentifierChar(c) && c !== 0x2e && c !== 0x2d) return false;
  }
  return !/^\d/.test(text);
}

function isEnvironmentName(token: string): boolean {
  const underscore = token.indexOf("_");
  if (underscore < 1 || underscore === token.length - 1) return false;
  for (let i = 0; i < token.length; i++) {
    const c = token.charCodeAt(i);
    if (!isUpper(c) && c !== 0x5f && !(c >= 0x30 && c <= 0x39)) return false;
  }
  return isUpper(token.charCodeAt(0));
}
