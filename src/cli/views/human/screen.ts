import pc from "picocolors";

/** The looks a text may have. Colour only repeats what a mark and a word say already. */
export interface Screen {
  readonly color: boolean;
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
export function harmless(text: string, { color }: Screen): string {
  return text.replace(UNSEEN, (found) => (color && OURS.has(found) ? found : ""));
}

/** Foreign text on one line: a line of its own could pass for one of ours. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** Text broken at words to fit, each line after the first indented. */
export function wrap(text: string, indent: string, width = 100): string {
  const lines: string[] = [];
  let current = "";
  for (const word of oneLine(text).split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width - indent.length) {
      lines.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current].map((line) => `${indent}${line}`).join("\n");
}
