/*
 * Patterns of commands that a scope permits: `npm test *`. A `*` stands for any characters but those that join, redirect or
 * substitute commands; in quotes those are text like any other. `\*` is a star itself. Nothing else is special, and no
 * RegExp is built of it.
 */

/** The pattern of a scope that limits no program: what a line does is judged by its paths, its hosts and guardrails. */
export const ANY_PROGRAM = "*";

const JOINS = /[;&|<>()$`\n\r]/;

export interface CommandPattern {
  readonly matches: (text: string) => boolean;
  /** The text it stands for when it has no wildcard. */
  readonly literal: string | null;
}

/** Contract: linear in the text for each part between wildcards. */
export function compileCommandPattern(pattern: string): CommandPattern {
  const parts = [""];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] as string;
    if (char === "\\" && (pattern[at + 1] === "*" || pattern[at + 1] === "\\")) {
      at += 1;
      parts[parts.length - 1] += pattern[at] as string;
    } else if (char === "*") parts.push("");
    else parts[parts.length - 1] += char;
  }
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return { matches: (text) => text === first, literal: first };
  const last = rest.pop() as string;
  // `npm test *` also stands for npm test alone.
  const alone = rest.length === 0 && last === "" && first.endsWith(" ") ? first.slice(0, -1) : null;
  return {
    literal: null,
    matches: (text) => text === alone || matchesParts(text, first, rest, last),
  };
}

function matchesParts(text: string, first: string, middle: readonly string[], last: string): boolean {
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of middle) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end || JOINS.test(text.slice(at, found))) return false;
    at = found + part.length;
  }
  return !JOINS.test(text.slice(at, end));
}

/** A pattern that stands for this text and no other. */
export function literalPattern(text: string): string {
  return text.replace(/[\\*]/g, "\\$&");
}
