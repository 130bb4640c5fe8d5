import { isPlaceholder } from "./code-lines.js";
import { type Detector, Finds } from "./evidence.js";

const EMPTY_ANSWER = /^(?:_no response_|no response|n\/?a|none|-|\.{3}|todo|tbd|[0-9][.)]|[-*]|<[a-z][a-z _-]*>)$/i;

/** Parts of a template that were left as they came: a heading with nothing under it, a placeholder, an empty entry. */
export const detectUnfilled: Detector = (doc) => {
  const finds = new Finds();
  const { lines } = doc;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined) break;
    const next = lines[at + 1];
    const left = line.code
      ? isPlaceholder(line.text)
      : EMPTY_ANSWER.test(line.text) || (isHeading(line.text) && (next === undefined || endsPart(line.text, next)));
    if (left) finds.add(line.start, line.end);
  }
  return finds.all();
};

function isHeading(text: string): boolean {
  return text.startsWith("#") && text.length < 100;
}

/** The next line is a heading of the same depth or above. */
function endsPart(heading: string, next: { readonly text: string; readonly code: boolean }): boolean {
  return !next.code && isHeading(next.text) && depthOf(next.text) <= depthOf(heading);
}

function depthOf(heading: string): number {
  let depth = 0;
  while (heading.charAt(depth) === "#") depth++;
  return depth;
}
