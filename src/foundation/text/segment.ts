/** A stretch of a Markdown text whose words are to be read in one way. */
export interface Segment {
  readonly kind: "prose" | "code_block" | "inline_code" | "quote" | "url" | "html_comment";
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Line {
  readonly start: number;
  /** The end of the visible line, before its line break. */
  readonly end: number;
  /** The start of the next line. */
  readonly next: number;
}

/**
 * Cut a Markdown text into segments that cover it completely and in order.
 *
 * Contract: pure and total, for any string, in time linear in its length. Joining the texts of all segments gives the
 * text back. Text that a person quotes, pastes or comments out is kept apart from the person's own words.
 */
export function segment(text: string): readonly Segment[] {
  const out = new Builder(text);
  let at = 0;
  let blankBefore = true;
  let inList = false;
  while (at < text.length) {
    const line = lineAt(text, at);
    const indent = indentOf(text, line);
    const content = line.start + indent.chars;
    if (content >= line.end) {
      out.add("prose", line.start, line.next);
      blankBefore = true;
      at = line.next;
      continue;
    }
    const fence = fenceAt(text, content, line.end);
    if (fence !== null) {
      at = endOfFence(text, line.next, fence);
      out.add("code_block", line.start, at);
      blankBefore = false;
      continue;
    }
    if (text.charCodeAt(content) === GREATER) {
      out.add("quote", line.start, line.next);
      blankBefore = false;
      at = line.next;
      continue;
    }
    if (indent.columns >= 4 && !inList && (blankBefore || out.lastKind() === "code_block")) {
      out.add("code_block", line.start, line.next);
      blankBefore = false;
      at = line.next;
      continue;
    }
    if (indent.columns < 4)
      inList = isListMarker(text, content, line.end) || (inList && (indent.columns > 0 || !blankBefore));
    blankBefore = false;
    at = inlineOf(text, line, out);
  }
  return out.segments();
}

const BACKTICK = 0x60;
const TILDE = 0x7e;
const GREATER = 0x3e;
const SPACE = 0x20;
const TAB = 0x09;

class Builder {
  readonly #text: string;
  readonly #segments: Segment[] = [];
  #kind: Segment["kind"] | null = null;
  #start = 0;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  lastKind(): Segment["kind"] | null {
    return this.#kind;
  }

  /** Neighbours of one kind become one segment, except where each is a thing of its own. */
  add(kind: Segment["kind"], start: number, end: number): void {
    if (end <= start) return;
    const single = kind === "inline_code" || kind === "url";
    if (this.#kind === kind && !single) {
      this.#end = end;
      return;
    }
    this.#flush();
    this.#kind = kind;
    this.#start = start;
    this.#end = end;
  }

  segments(): readonly Segment[] {
    this.#flush();
    this.#kind = null;
    return this.#segments;
  }

  #flush(): void {
    if (this.#kind === null) return;
    const { start, end } = { start: this.#start, end: this.#end };
    this.#segments.push({ kind: this.#kind, start, end, text: this.#text.slice(start, end) });
  }
}

function lineAt(text: string, start: number): Line {
  const lf = text.indexOf("\n", start);
  if (lf === -1) return { start, end: text.length, next: text.length };
  const end = lf > start && text.charCodeAt(lf - 1) === 0x0d ? lf - 1 : lf;
  return { start, end, next: lf + 1 };
}

function indentOf(text: string, line: Line): { chars: number; columns: number } {
  let columns = 0;
  let at = line.start;
  for (; at < line.end; at++) {
    const c = text.charCodeAt(at);
    if (c === SPACE) columns++;
    else if (c === TAB) columns += 4;
    else break;
  }
  return { chars: at - line.start, columns };
}

interface Fence {
  readonly mark: number;
  readonly length: number;
}

function runLength(text: string, at: number, end: number, mark: number): number {
  let length = 0;
  while (at + length < end && text.charCodeAt(at + length) === mark) length++;
  return length;
}

function fenceAt(text: string, at: number, end: number): Fence | null {
  const mark = text.charCodeAt(at);
  if (mark !== BACKTICK && mark !== TILDE) return null;
  const length = runLength(text, at, end, mark);
  if (length < 3) return null;
  if (mark === BACKTICK) {
    if (backtickIn(text, at + length, end) !== -1) return null;
  }
  return { mark, length };
}

/** The start of the line after the closing fence; an open fence runs to the end of the text. */
function endOfFence(text: string, at: number, fence: Fence): number {
  while (at < text.length) {
    const line = lineAt(text, at);
    const content = line.start + indentOf(text, line).chars;
    const length = runLength(text, content, line.end, fence.mark);
    if (length >= fence.length && isBlank(text, content + length, line.end)) return line.next;
    at = line.next;
  }
  return text.length;
}

function isBlank(text: string, at: number, end: number): boolean {
  for (; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c !== SPACE && c !== TAB) return false;
  }
  return true;
}

function isListMarker(text: string, at: number, end: number): boolean {
  const c = text.charCodeAt(at);
  if (c === 0x2d || c === 0x2a || c === 0x2b) return at + 1 < end && text.charCodeAt(at + 1) === SPACE;
  let digits = at;
  while (digits < end && digits - at < 4 && isDigit(text.charCodeAt(digits))) digits++;
  if (digits === at || digits + 1 >= end) return false;
  const mark = text.charCodeAt(digits);
  return (mark === 0x2e || mark === 0x29) && text.charCodeAt(digits + 1) === SPACE;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/** First characters of inline code, a comment or an address. */
const INLINE = new Uint8Array(128);
for (const mark of ["`", "<", "h", "H", "w"]) INLINE[mark.charCodeAt(0)] = 1;

/** Cut one line of prose; an HTML comment that starts in it may run over many lines. Returns where the next line starts. */
function inlineOf(text: string, line: Line, out: Builder): number {
  const closers = backtickClosers(text, line);
  let prose = line.start;
  let at = line.start;
  while (at < line.end) {
    const c = text.charCodeAt(at);
    if (c >= 128 || INLINE[c] === 0) {
      at++;
    } else if (c === BACKTICK) {
      const length = runLength(text, at, line.end, BACKTICK);
      const closer = closers.get(at);
      if (closer === undefined) {
        at += length;
        continue;
      }
      out.add("prose", prose, at);
      out.add("inline_code", at, closer + length);
      at = prose = closer + length;
    } else if (c === 0x3c && text.startsWith("<!--", at)) {
      const close = text.indexOf("-->", at + 4);
      const end = close === -1 ? text.length : close + 3;
      out.add("prose", prose, at);
      out.add("html_comment", at, end);
      if (end >= line.end) {
        // The rest of the line on which the comment ends is read as a line of its own.
        return end;
      }
      at = prose = end;
    } else if (c !== 0x3c && isUrlStart(text, at)) {
      const end = endOfUrl(text, at, line.end);
      out.add("prose", prose, at);
      out.add("url", at, end);
      at = prose = end;
    } else {
      at++;
    }
  }
  out.add("prose", prose, line.next);
  return line.next;
}

const NO_CLOSERS: ReadonlyMap<number, number> = new Map();

/** For each backtick run that opens inline code, the start of the run that closes it; one pass forward, one back. */
function backtickClosers(text: string, line: Line): ReadonlyMap<number, number> {
  let at = backtickIn(text, line.start, line.end);
  if (at === -1) return NO_CLOSERS;
  const closers = new Map<number, number>();
  const runs: { at: number; length: number }[] = [];
  while (at !== -1) {
    const length = runLength(text, at, line.end, BACKTICK);
    runs.push({ at, length });
    at = backtickIn(text, at + length, line.end);
  }
  const nearest = new Map<number, number>();
  for (const run of runs.toReversed()) {
    const close = nearest.get(run.length);
    if (close !== undefined) closers.set(run.at, close);
    nearest.set(run.length, run.at);
  }
  return closers;
}

/** The first backtick between two places; a search of the whole rest of the text for every line would not be linear. */
function backtickIn(text: string, at: number, end: number): number {
  for (; at < end; at++) if (text.charCodeAt(at) === BACKTICK) return at;
  return -1;
}

function isUrlStart(text: string, at: number): boolean {
  // Most words with these letters are told apart by the next one.
  const next = text.charCodeAt(at + 1) | 0x20;
  if (next !== 0x74 && next !== 0x77) return false;
  if (at > 0 && isWordChar(text.charCodeAt(at - 1))) return false;
  const head = text.slice(at, at + 8).toLowerCase();
  return head.startsWith("http://") || head.startsWith("https://") || head.startsWith("www.");
}

function isWordChar(c: number): boolean {
  return isDigit(c) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f;
}

const URL_STOP = " \t\r\n<>\"'`)]}|";
const URL_TRAILING = ".,;:!?";

function endOfUrl(text: string, at: number, lineEnd: number): number {
  let end = at;
  while (end < lineEnd && !URL_STOP.includes(text.charAt(end))) end++;
  while (end > at + 1 && URL_TRAILING.includes(text.charAt(end - 1))) end--;
  return end;
}
