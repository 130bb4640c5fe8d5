import { type Detector, Finds } from "./evidence.js";
import { isDigit } from "./identifiers.js";

/** Version numbers: `v2.1`, `11.10.0`, `^3.2.1`. */
export const versions: Detector = (doc) => {
  const finds = new Finds();
  for (const token of doc.tokens)
    if (!token.plain && isVersion(token.text)) finds.add(token.start, token.end, token.text);
  return finds.all();
};

function isVersion(token: string): boolean {
  if (token.length > 40) return false;
  let at = token.startsWith("v") || token.startsWith("^") || token.startsWith("~") ? 1 : 0;
  let dots = 0;
  if (!isDigit(token.charCodeAt(at))) return false;
  for (; at < token.length; at++) {
    const c = token.charCodeAt(at);
    if (c === 0x2e) dots++;
    else if (!isDigit(c)) break;
  }
  const rest = token.charAt(at);
  return (
    dots >= 1 &&
    (token.startsWith("v") || dots >= 2) &&
    (rest === "" || rest === "-" || rest === "+" || rest === "b" || rest === "r")
  );
}
