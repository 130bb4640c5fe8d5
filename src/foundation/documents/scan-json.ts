import { documentPath, type Diagnostic } from "../../model/diagnostic.js";
import { hasLoneSurrogate, positionAt, type PathSegments, type Position } from "./position.js";

/*
 * The slow, exact reading of JSON: it knows where everything stands. parseJson only turns to it when something is
 * wrong, so it may cost ten times what JSON.parse does.
 */

const MOST_PROBLEMS = 50;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = ["true", "false", "null"];

interface Container {
  /** Where each key of an object was first seen; null for an array. */
  readonly keys: Map<string, number> | null;
}

/** Calls made while scanning, in document order. `path` is reused between calls: copy it to keep it. */
interface Visitor {
  readonly value: (offset: number, path: PathSegments) => void;
  readonly key: (offset: number, path: PathSegments) => void;
}

class SyntaxProblem extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Every problem of a JSON text that parseJson refuses, in document order; a syntax error is the last one.
 *
 * Contract: never throws and never recurses, whatever the text.
 */
export function findJsonProblems(text: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  scan(text, found);
  return found;
}

/** The places a schema may point at: of each value, and of each key. A path that leads nowhere gives its ancestor's. */
export function locateInJson(text: string, path: PathSegments): { value: Position; key: Position } {
  let value = 0;
  let key = 0;
  let depth = -1;
  const reaches = (seen: PathSegments) =>
    seen.length <= path.length && seen.length > depth && seen.every((segment, i) => segment === path[i]);
  scan(text, [], {
    value: (offset, seen) => {
      if (!reaches(seen)) return;
      value = offset;
      if (typeof seen.at(-1) !== "string") key = offset;
      depth = seen.length;
    },
    key: (offset, seen) => {
      if (reaches(seen)) key = offset;
    },
  });
  return { value: positionAt(text, value), key: positionAt(text, key) };
}

function scan(text: string, found: Diagnostic[], visitor?: Visitor): void {
  try {
    scanDocument(text, found, visitor);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    found.push({
      code: "DOCUMENT_SYNTAX",
      path: "",
      message: `is not valid JSON: ${error.message}`,
      ...positionAt(text, error.offset),
    });
  }
}

function scanDocument(text: string, found: Diagnostic[], visitor: Visitor | undefined): void {
  const containers: Container[] = [];
  const path: (string | number)[] = [];
  const report = (code: string, offset: number, message: string, fix: string) => {
    if (found.length < MOST_PROBLEMS)
      found.push({ code, path: documentPath(path), message, ...positionAt(text, offset), fix });
  };
  const checkString = (start: number, value: string) => {
    if (value.includes("\0")) report("DOCUMENT_NUL", start, "contains a NUL character", "Remove the NUL character.");
    if (hasLoneSurrogate(value))
      report("DOCUMENT_SURROGATE", start, "contains half of a surrogate pair", "Write the whole character.");
  };

  let at = skipSpace(text, 0);
  for (;;) {
    // A value begins here.
    visitor?.value(at, path);
    const first = text[at];
    if (first === "{" || first === "[") {
      const keys = first === "{" ? new Map<string, number>() : null;
      containers.push({ keys });
      at = skipSpace(text, at + 1);
      if (text[at] === (keys ? "}" : "]")) {
        containers.pop();
        at++;
      } else {
        path.push(keys ? "" : 0);
        if (keys) at = scanKey(at, keys);
        continue;
      }
    } else if (first === '"') {
      const end = stringEnd(text, at);
      checkString(at, JSON.parse(text.slice(at, end)) as string);
      at = end;
    } else {
      at = scalarEnd(text, at);
    }

    // A value has ended here: close what ends with it, or go on to the next value.
    for (;;) {
      at = skipSpace(text, at);
      const container = containers.at(-1);
      if (container === undefined) {
        if (at < text.length)
          throw new SyntaxProblem(at, `expected the end of the document, found ${quoteAt(text, at)}`);
        return;
      }
      const close = container.keys ? "}" : "]";
      if (text[at] === ",") {
        at = skipSpace(text, at + 1);
        if (text[at] === close) throw new SyntaxProblem(at, `a comma may not stand before ${close}`);
        if (container.keys) at = scanKey(at, container.keys);
        else path.push((path.pop() as number) + 1);
        break;
      }
      if (text[at] !== close) throw new SyntaxProblem(at, `expected , or ${close}, found ${quoteAt(text, at)}`);
      containers.pop();
      path.pop();
      at++;
    }
  }

  function scanKey(start: number, keys: Map<string, number>): number {
    if (text[start] !== '"')
      throw new SyntaxProblem(start, `expected a key in double quotes, found ${quoteAt(text, start)}`);
    const end = stringEnd(text, start);
    const key = JSON.parse(text.slice(start, end)) as string;
    path.pop();
    path.push(key);
    visitor?.key(start, path);
    checkString(start, key);
    const earlier = keys.get(key);
    if (earlier === undefined) {
      keys.set(key, start);
    } else {
      const there = positionAt(text, earlier);
      report(
        "DOCUMENT_DUPLICATE_KEY",
        start,
        `the key ${JSON.stringify(key)} appears twice in one object, first at line ${there.line}, column ${there.column}`,
        "Keep one of the two.",
      );
    }
    if (key === "__proto__") report("DOCUMENT_FORBIDDEN_KEY", start, "__proto__ may not be a key", "Rename the key.");
    const colon = skipSpace(text, end);
    if (text[colon] !== ":") throw new SyntaxProblem(colon, `expected : after a key, found ${quoteAt(text, colon)}`);
    return skipSpace(text, colon + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return at;
    at++;
  }
}

/** The offset after the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) throw new SyntaxProblem(at, "a control character in a string must be escaped");
    if (unit !== 0x5c) continue;
    at++;
    const escape = text[at] ?? "";
    if (escape === "u") {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5)))
        throw new SyntaxProblem(at - 1, "\\u must be followed by four hexadecimal digits");
      at += 4;
    } else if (escape === "" || !'"\\/bfnrt'.includes(escape)) {
      throw new SyntaxProblem(at - 1, "this escape is unknown");
    }
  }
  throw new SyntaxProblem(start, "this string is not closed");
}

function scalarEnd(text: string, start: number): number {
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text);
  if (number) return start + number[0].length;
  for (const literal of LITERALS) if (text.startsWith(literal, start)) return start + literal.length;
  throw new SyntaxProblem(start, `expected a value, found ${quoteAt(text, start)}`);
}

function quoteAt(text: string, at: number): string {
  const character = text.codePointAt(at);
  if (character === undefined) return "the end of the document";
  return character < 0x20 ? `the control character ${character}` : String.fromCodePoint(character);
}
