import { type Detector, Finds } from "./evidence.js";
import { isIdentifierChar, isLower } from "./identifiers.js";

/** Tags that people use to format what they write. */
const FORMATTING = new Set(
  "br p b i u s hr img details summary sub sup kbd center pre code strong em ul ol li table tr td th font small big blockquote h1 h2 h3 h4 h5 h6".split(
    " ",
  ),
);

/** An element of a page named as such: `<a>`, `<select>`. A tag with attributes in prose is formatting, not a name. */
export const markup: Detector = (doc) => {
  const finds = new Finds();
  for (const token of doc.tokens) {
    if (token.plain) continue;
    const name = tagOf(token.text);
    if (name !== null && (token.code || !FORMATTING.has(name))) finds.add(token.start, token.end, name);
  }
  return finds.all();
};

function tagOf(token: string): string | null {
  if (!token.startsWith("<") || !isLower(token.charCodeAt(1))) return null;
  let end = 1;
  while (end < token.length && (isIdentifierChar(token.charCodeAt(end)) || token.charAt(end) === "-")) end++;
  const rest = token.slice(end);
  return rest === ">" || rest === "/>" ? token.slice(1, end) : null;
}
