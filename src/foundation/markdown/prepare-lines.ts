/** Lines that are parsed together, and the number of each in the document. */
export interface NumberedLines {
  readonly text: string;
  readonly numbers: readonly number[];
}

const FENCE = /^\s*(?:>\s?|[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}(?=[^`]*$)|~{3,})/;
const ONLY_TAGS = /^\s*(?:<\/?[a-zA-Z][^<>]*>\s*)+$/;
/** Nobody quotes a quote or indents an entry this often, and a parser takes long over those who try. */
const MOST_QUOTES = 8;
const MOST_INDENT = 60;
/** A parser takes longer for every further line of a list: from here on it is given the next entries anew. */
const MOST_LINES = 150;

/**
 * Take out of the lines of a document what nobody reads (comments, tags that only lay out, spaces in a row), and cut it
 * where it can be parsed piece by piece: at headings, and at entries of long lists.
 *
 * Contract: linear; every line keeps its number. A line of nothing but a comment goes away as a whole, because an empty
 * line in its place would cut a paragraph in two.
 */
export function prepareLines(lines: readonly string[], from: number): readonly NumberedLines[] {
  const pieces: NumberedLines[] = [];
  let kept: string[] = [];
  let numbers: number[] = [];
  const comment = { open: false };
  let fence: string | null = null;
  for (let at = from; at < lines.length; at++) {
    const raw = lines[at] ?? "";
    let line = raw;
    if (fence !== null) {
      const closing = /^\s*(?:>\s?)*(`{3,}|~{3,})\s*$/.exec(raw)?.[1] ?? "";
      if (closing.startsWith(fence)) fence = null;
    } else {
      line = withoutComments(raw, comment);
      if (line.trim() === "" && raw.trim() !== "") continue;
      fence = FENCE.exec(line)?.[1] ?? null;
      line = ONLY_TAGS.test(line) ? "" : tidyLine(line);
      if (beginsPiece(line, kept.length)) {
        pieces.push({ text: kept.join("\n"), numbers });
        kept = [];
        numbers = [];
      }
    }
    kept.push(line);
    numbers.push(at + 1);
  }
  return [...pieces, { text: kept.join("\n"), numbers }];
}

function beginsPiece(line: string, before: number): boolean {
  return /^#{1,6} /.test(line) || (before >= MOST_LINES && /^(?:[-*+]|1[.)]) (?![-*_ ]*$)/.test(line));
}

/** Spaces in a row say nothing behind the indent, and tabs in it are as wide as they are shown. */
function tidyLine(line: string): string {
  const [indent = ""] = /^[ \t]*/.exec(line) ?? [];
  const words = line
    .slice(indent.length)
    .replaceAll(/(?<=\S)[^\S\n]{2,}/g, " ")
    .replace(/^(?:>\s?){9,}/, ">".repeat(MOST_QUOTES));
  return `${" ".repeat(Math.min(MOST_INDENT, columns(indent)))}${words}`;
}

function columns(space: string): number {
  let width = 0;
  for (const c of space) width += c === "\t" ? 4 - (width % 4) : 1;
  return width;
}

/** A line without what is commented out in it. A comment mark in `code` is text. */
function withoutComments(line: string, comment: { open: boolean }): string {
  let out = "";
  let at = 0;
  while (at < line.length) {
    if (comment.open) {
      const end = line.indexOf("-->", at);
      if (end === -1) return out;
      comment.open = false;
      at = end + 3;
      continue;
    }
    const start = line.indexOf("<!--", at);
    if (start === -1) return out + line.slice(at);
    const code = line.indexOf("`", at);
    const closing = code === -1 ? -1 : line.indexOf("`", code + 1);
    if (code !== -1 && code < start && closing !== -1) {
      out += line.slice(at, closing + 1);
      at = closing + 1;
      continue;
    }
    out += line.slice(at, start);
    comment.open = true;
    at = start + 4;
  }
  return out;
}
