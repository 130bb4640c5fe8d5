import pc from "picocolors";
import { oneLine } from "../../../foundation/text/one-line.js";

/** The looks a text may have. Colour only repeats what a mark and a word say already. */
export interface Screen {
  readonly color: boolean;
  /** The terminal it is shown on; absent where it is read in any other way. */
  readonly size?: ScreenSize;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly careful: (text: string) => string;
}

export function paintFor({ color }: Screen): Paint {
  const { bold, dim, green, red, yellow } = pc.createColors(color);
  return { bold, dim, good: green, bad: red, careful: yellow };
}

const OURS = new Set(["\u001b[1m", "\u001b[2m", "\u001b[22m", "\u001b[31m", "\u001b[32m", "\u001b[33m", "\u001b[39m"]);
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const UNSEEN = /\u001b\[[\d;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text that is safe to show. Titles and reasons come out of other people's documents: nothing in them may move the
 * cursor, hide a line or turn the writing round.
 */
export function removeUnseen(text: string, { color }: Screen): string {
  return text.replace(UNSEEN, (found) => (color && OURS.has(found) ? found : ""));
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** As wide as a terminal is at least; what is read in any other way is not wider. */
export const USUAL_WIDTH = 80;

/** Text broken at words to fit, every line indented. A word that is longer than a line is never cut: it could be copied. */
export function wrap(text: string, indent: string, width = USUAL_WIDTH): string {
  return fillLines(oneLine(text).split(" "), " ", width - indent.length)
    .map((line) => `${indent}${line}`)
    .join("\n");
}

/** The names of things, with commas, broken only between them. */
export function wrapList(items: readonly string[], indent: string, width = USUAL_WIDTH): string {
  const separated = items.map((item, i) => (i < items.length - 1 ? `${item},` : item));
  return fillLines(separated, " ", width - indent.length)
    .map((line) => `${indent}${line}`)
    .join("\n");
}

function fillLines(pieces: readonly string[], between: string, room: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const piece of pieces) {
    if (current !== "" && widthIn(current) + between.length + widthIn(piece) > room) {
      lines.push(current);
      current = piece;
    } else current = current === "" ? piece : `${current}${between}${piece}`;
  }
  return [...lines, current];
}

/** The beginning of a text, ended after a whole word. */
export function shorten(text: string, most: number): string {
  const line = oneLine(text);
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > most / 2 ? end : undefined)}…`;
}

/** Room for the longest name of a row. */
const NAME_WIDTH = 11;
const INDENT = " ".repeat(NAME_WIDTH);

/** `Name       text`, and the text's other lines below it. */
export function row(name: string, text: string, width = USUAL_WIDTH): string[] {
  const wrapped = wrap(text, INDENT, width);
  return `${name}${" ".repeat(Math.max(1, NAME_WIDTH - widthIn(name)))}${wrapped.slice(INDENT.length)}`.split("\n");
}

// oxlint-disable-next-line no-control-regex -- looks are control characters
const LOOKS = /(\u001b\[\d+m)/;
const WIDE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const NO_WIDTH = /[\p{M}\u200b-\u200d]/u;
const widthOf = (sign: string) => (NO_WIDTH.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1);

/** A line cut to a width, its looks not counted and ended. */
export function cutTo(line: string, room: number): { readonly text: string; readonly width: number } {
  let width = 0;
  let isFull = false;
  let text = "";
  for (const part of line.split(LOOKS)) {
    if (part.startsWith("\u001b")) text += part;
    else
      for (const sign of part) {
        isFull ||= width + widthOf(sign) > room;
        if (isFull) break;
        text += sign;
        width += widthOf(sign);
      }
  }
  return { text, width };
}

/** How many columns a line takes. */
export function widthIn(line: string): number {
  return cutTo(line, Infinity).width;
}
