import { isLetter } from "../../../foundation/text/words.js";
import { type Detector, Finds } from "./evidence.js";
import { isDigit, isIdentifierChar } from "./identifiers.js";

/**
 * Lines that are code, data or a console. An English sentence in a code block is none; outside of one a line must be
 * nearly nothing but code, because people forget the fences.
 */
export const codeLines: Detector = (doc) => {
  const finds = new Finds();
  for (const line of doc.lines) {
    if (line.code ? isCodeLine(line.text) : isBareCode(line.text)) finds.add(line.start, line.end, line.text);
  }
  return finds.all();
};

function isBareCode(line: string): boolean {
  const first = line.charAt(0);
  if (line.length < 8 || "|![<-*#>+_:".includes(first) || !hasCodeShape(line)) return false;
  let marks = 0;
  let plain = 0;
  let wordLength = 0;
  for (let i = 0; i <= line.length; i++) {
    const c = line.charAt(i);
    if (isLetter(line.charCodeAt(i))) wordLength++;
    else {
      if (
        wordLength > 0 &&
        (c === " " || c === "" || c === "," || c === ".") &&
        line.charAt(i - wordLength - 1) !== "."
      )
        plain++;
      wordLength = 0;
      if (c !== "" && isMark(line, i, c)) marks++;
    }
  }
  return marks >= 3 && marks >= plain;
}

/** A call, an assignment, a block or a statement: version strings and paths have marks, but not these. */
function hasCodeShape(line: string): boolean {
  return (
    line.includes(" = ") || line.endsWith(";") || line.endsWith("{") || line.endsWith("}") || /[A-Za-z_]\(/.test(line)
  );
}

/** A letter, not a digit: the dots of a version number are not code. */
function isLetterBefore(line: string, at: number): boolean {
  const c = line.charCodeAt(at - 1);
  return isIdentifierChar(c) && !isDigit(c);
}

/** `<code>`, `<version>`: what a template left to be filled in. */
const PLACEHOLDER = /^<[a-z][a-z _-]*>$/i;
export const isPlaceholder = (line: string): boolean => line.startsWith("<") && PLACEHOLDER.test(line);

export function isCodeLine(line: string): boolean {
  if (isPlaceholder(line)) return false;
  if (line.startsWith("$ ") || line.startsWith(">>> ") || line.startsWith("@@ ")) return true;
  let marks = 0;
  let words = 1;
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (c === " ") words++;
    else if (isMark(line, i, c)) marks++;
  }
  return marks >= 2 || (marks === 1 && words <= 4);
}

function isMark(line: string, i: number, c: string): boolean {
  switch (c) {
    case "=":
    case "{":
    case "}":
    case "[":
    case "]":
    case "$":
    case "|":
    case "\\":
    case "&":
      return true;
    case ";":
      return i === line.length - 1;
    case ".":
      return i > 0 && isLetterBefore(line, i) && isLetterBefore(line, i + 2);
    case "(":
      return i > 0 && isIdentifierChar(line.charCodeAt(i - 1)) && line.charAt(i + 1) !== " ";
    case ",":
      return i === line.length - 1;
    case "_":
    case "/":
      return i > 0 && isIdentifierChar(line.charCodeAt(i - 1)) && i + 1 < line.length && line.charAt(i + 1) !== " ";
    case ":":
      return line.charAt(i + 1) === ":" || (i > 0 && line.charAt(i - 1) === '"');
    case "<":
      return isIdentifierChar(line.charCodeAt(i + 1)) || line.charAt(i + 1) === "/";
    case ">":
      return i > 0 && (line.charAt(i - 1) === "-" || line.charAt(i - 1) === "=");
    default:
      return false;
  }
}
