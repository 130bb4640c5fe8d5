import type { Reading } from "./reading.js";

const MOST_BLOCKS = 40;
/** Marks of structure are looked for at the head of a text: what a project is shows early. */
const MOST_TEXT = 20_000;

/** Signs that a text shows by its form rather than by its words: languages of code, file endings, prompts, calls. */
export function structureOf(reading: Reading, places: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (feature: string, by = 1) => counts.set(feature, (counts.get(feature) ?? 0) + by);
  const text = reading.text.slice(0, MOST_TEXT);
  for (const place of places) {
    const dot = place.lastIndexOf(".");
    if (dot >= 0 && place.length - dot <= 12) add(`ending_${place.slice(dot + 1).toLowerCase()}`);
  }
  for (const block of reading.codeBlocks.slice(0, MOST_BLOCKS)) {
    add("code_block");
    const language = fenceLanguage(block);
    if (language !== "") add(`fence_${language}`);
    if (hasPrompt(block)) add("shell_prompt");
  }
  scanMarks(text, add);
  return counts;
}

function fenceLanguage(block: string): string {
  let at = 0;
  while (at < block.length && (isSpace(block.charCodeAt(at)) || block.charAt(at) === "`" || block.charAt(at) === "~")) {
    if (block.charAt(at) === "\n") return "";
    at++;
  }
  const from = at;
  while (at < block.length && at - from < 20 && isWord(block.charCodeAt(at))) at++;
  const isFence = block.trimStart().startsWith("```") || block.trimStart().startsWith("~~~");
  return isFence ? block.slice(from, at).toLowerCase() : "";
}

/** A line that starts with a shell's prompt and goes on with a command. */
function hasPrompt(block: string): boolean {
  let line = 0;
  for (let count = 0; line >= 0 && line < block.length && count < 60; count++) {
    let at = line;
    while (block.charAt(at) === " ") at++;
    const mark = block.charAt(at);
    if (
      (mark === "$" || mark === "%" || mark === ">") &&
      block.charAt(at + 1) === " " &&
      isSmall(block.charCodeAt(at + 2))
    )
      return true;
    const next = block.indexOf("\n", line);
    line = next === -1 ? -1 : next + 1;
  }
  return false;
}

const METHODS = ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /", "OPTIONS /"];

/** The characters a mark of structure begins with. */
const BEGINS = new Uint8Array(128);
for (const mark of ["--", "::", "()", "<", "at ", ...METHODS]) BEGINS[mark.charCodeAt(0)] = 1;

function scanMarks(text: string, add: (feature: string) => void): void {
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c >= 128 || BEGINS[c] === 0) continue;
    if (
      c === 0x2d &&
      text.charCodeAt(at + 1) === 0x2d &&
      isSmall(text.charCodeAt(at + 2)) &&
      !isWord(text.charCodeAt(at - 1))
    ) {
      if (text.charCodeAt(at - 1) !== 0x2d && text.charCodeAt(at - 1) !== 0x21) add("flag");
    } else if (
      c === 0x3a &&
      text.charCodeAt(at + 1) === 0x3a &&
      isWord(text.charCodeAt(at - 1)) &&
      isWord(text.charCodeAt(at + 2))
    ) {
      add("scope_operator");
    } else if (c === 0x28 && text.charCodeAt(at + 1) === 0x29 && isWord(text.charCodeAt(at - 1))) {
      add("inline_call");
    } else if (c === 0x3c && isSmall(text.charCodeAt(at + 1)) && isTag(text, at + 1)) {
      add("html_tag");
    } else if (c === 0x61 && text.charCodeAt(at + 1) === 0x74 && text.startsWith("at ", at) && isFrameLine(text, at)) {
      add("stack_trace");
    } else if (c >= 0x44 && c <= 0x50 && METHODS.some((method) => text.startsWith(method, at))) {
      add("endpoint");
    }
  }
}

const TAGS: ReadonlySet<string> = new Set(
  "a div span button input form img ul li table tr td p h1 h2 h3 section header footer nav label select svg canvas template style script body".split(
    " ",
  ),
);

function isTag(text: string, at: number): boolean {
  let end = at;
  while (end - at < 10 && isWord(text.charCodeAt(end))) end++;
  const after = text.charAt(end);
  return (after === ">" || after === " " || after === "/") && TAGS.has(text.slice(at, end));
}

/** `at name.of.method(File.java:12)` on a line of its own. */
function isFrameLine(text: string, at: number): boolean {
  if (at > 0 && !isSpace(text.charCodeAt(at - 1))) return false;
  const end = Math.min(text.length, at + 160);
  let dots = 0;
  for (let i = at + 3; i < end; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x28) return dots >= 1;
    if (c === 0x2e) dots++;
    else if (isSpace(c)) return false;
  }
  return false;
}

function isSpace(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d);
}

function isSmall(c: number): boolean {
  return c >= 0x61 && c <= 0x7a;
}

function isWord(c: number): boolean {
  return isSmall(c) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39) || c === 0x5f;
}
