import { type Detector, Finds } from "./evidence.js";
import { pathOf, pointsAtLine } from "./file-paths.js";
import { isDigit } from "./identifiers.js";

/** A line of a file, exactly: a link with `#L12`, or `src/a.c:12` in what the author says. */
export const sourceLines: Detector = (doc) => {
  const finds = new Finds();
  for (const part of doc.segments) {
    if (part.kind === "url" && pointsAtLine(part.text)) finds.add(part.start, part.end, part.text);
  }
  for (const token of doc.tokens) {
    if (token.plain) continue;
    const colon = token.text.indexOf(":", 2);
    if (colon > 0 && isDigit(token.text.charCodeAt(colon + 1)) && pathOf(token.text, token.code) !== null)
      finds.add(token.start, token.end, token.text);
  }
  return finds.all();
};
