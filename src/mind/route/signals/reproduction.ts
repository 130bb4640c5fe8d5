import type { Line, TextDocument } from "../../../foundation/text/read-text.js";
import { words } from "../../../foundation/text/words.js";
import { isCodeLine } from "./code-lines.js";
import { type Detector, Finds } from "./evidence.js";

/** The parts of a report, by the words that head them. */
const PARTS: readonly { readonly part: string; readonly heads: readonly string[] }[] = [
  { part: "expected", heads: ["expected", "expectation", "desired"] },
  { part: "actual", heads: ["actual", "observed", "current"] },
  { part: "steps", heads: ["reproduce", "reproduction", "reproducer", "repro", "steps", "reproducible", "replicate"] },
  { part: "example", heads: ["example", "sample", "snippet"] },
  { part: "output", heads: ["output", "log", "logs", "trace", "backtrace", "result", "results"] },
];

/** How a comment in an example says what is and what should be. */
const IN_CODE = /\b(?:expected|actual|should|instead|wrong|proposed)\b/i;

/** Headings of a report that something follows: expected, actual, steps, example, output. Each part counts once. */
export const reproduction: Detector = (doc) => {
  const finds = new Finds();
  const lines = doc.lines;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined) continue;
    if (line.code) {
      if (IN_CODE.test(line.text) && (isComment(line.text) || isCodeLine(line.text)))
        finds.add(line.start, line.end, "in_code");
      continue;
    }
    const label = headingOf(line);
    if (label === null) continue;
    const inLine = label.rest !== "";
    if (!inLine && !isAnswered(lines[at + 1])) continue;
    for (const { part, heads } of PARTS) {
      if (label.words.some((word) => heads.includes(word))) finds.add(line.start, line.end, part);
    }
  }
  for (const sentence of expectations(doc)) finds.add(sentence.start, sentence.end, "expected");
  return finds.all();
};

/** A sentence in a code block is neither code nor comment, and says nothing. */
function isComment(line: string): boolean {
  return line.startsWith("#") || line.startsWith("//") || line.startsWith("--") || line.startsWith("*");
}

interface Heading {
  readonly words: readonly string[];
  readonly rest: string;
}

/** `## Expected`, `**Expected**`, `Expected:` and `Expected behaviour: it …`. */
function headingOf(line: Line): Heading | null {
  const text = line.text;
  const marked = text.startsWith("#") || (text.startsWith("**") && text.indexOf("**", 2) > 0) || text.startsWith("__");
  const colon = text.indexOf(":");
  if (!marked && (colon === -1 || colon > 60)) return null;
  const close = text.startsWith("**") ? text.indexOf("**", 2) : -1;
  const end = close > 0 ? close : colon > 0 && colon < 80 ? colon : Math.min(text.length, 120);
  const head = words(text, 0, end).map((word) => word.lower);
  if (head.length === 0 || head.length > 8) return null;
  const rest = text.slice(end).replaceAll(/[*_:#\s]/g, "");
  return { words: head, rest: marked && close <= 0 && colon <= 0 ? "" : rest };
}

const EMPTY = new Set(["_no response_", "no response", "n/a", "na", "none", "-", "...", "nothing", "todo", "tbd"]);

function isAnswered(next: Line | undefined): boolean {
  if (next === undefined) return false;
  if (next.code) return true;
  return !next.text.startsWith("#") && !EMPTY.has(next.text.toLowerCase());
}

/** "I expected …", "instead, this happened": the same facts without a heading. */
function expectations(doc: TextDocument): readonly { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const list = doc.words;
  for (let i = 0; i + 1 < list.length; i++) {
    const word = list[i];
    const next = list[i + 1];
    if (word === undefined || next === undefined) break;
    const expects = next.lower === "expect" || next.lower === "expected";
    if (
      expects &&
      (word.lower === "i" ||
        word.lower === "i'd" ||
        word.lower === "would" ||
        word.lower === "we" ||
        word.lower === "is")
    )
      found.push({ start: word.start, end: next.end });
  }
  return found;
}
