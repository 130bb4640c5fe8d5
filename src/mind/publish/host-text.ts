import { oneLine } from "../../foundation/text/one-line.js";

/*
 * Text on its way from a host, and to it. Text from there is quoted and never obeyed; text to it must not
 * mention people, close issues, or order anything of other programs.
 */

/** Characters nobody sees: joiners and marks of direction, tags, soft hyphens, fillers, controls. */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?![\t\n])\p{Cc}/gu;
const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** A reference that no text refers to is not shown: `[//]: # (text)`. */
const REFERENCE_COMMENT = /^[ ]{0,3}\[(?:\/\/|comment|_)\]:[ \t]*\S.*$/gim;
const UNSEEN_ELEMENT =
  /<(\w+)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|\bhidden\b)[^>]*>[\s\S]*?(?:<\/\1>|$)/gi;

interface CleanedText {
  readonly text: string;
  /** Descriptions of removed parts, for people; empty when there are none. */
  readonly removed: readonly string[];
}

const UNSEEN: readonly (readonly [RegExp, string])[] = [
  [HIDDEN, "hidden or control characters"],
  [HTML_COMMENT, "HTML comments"],
  [UNSEEN_ELEMENT, "hidden HTML elements"],
  [REFERENCE_COMMENT, "hidden references"],
];
/** A text that still hides something after so many rounds is written to hide it. */
const MOST_ROUNDS = 10;

/** The text as a person sees it on the host. Contract: pure and idempotent. */
export function cleanHostText(text: string): CleanedText {
  const removed: string[] = [];
  let clean = text.replaceAll("\r\n", "\n");
  // A removed part may have been between two halves of something hidden.
  for (let round = 0, before = ""; before !== clean; round++) {
    before = clean;
    for (const [pattern, what] of UNSEEN) {
      const found = clean.match(pattern) ?? [];
      if (found.length > 0) removed.push(`${found.length} ${what}, ${found.join("").length} characters`);
      clean = clean.replaceAll(pattern, "");
    }
    if (round === MOST_ROUNDS) clean = clean.replaceAll("<", "‹").replaceAll(/^([ ]{0,3})\[/gm, "$1(");
  }
  return { text: clean.trim(), removed };
}

/** Foreign text as a block that a host shows and does not act on. */
export function quoteBlock(text: string, most = 4000): string {
  const clean = cleanHostText(text).text;
  const cut = clean.length > most ? `${clean.slice(0, most)}\n… ${clean.length - most} more characters` : clean;
  // A fence must be longer than any inside. Commands of other programs are read at the beginning of lines.
  const inside = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(inside + 1);
  const lines = cut.split("\n").map((line) => (line === "" ? "|" : `| ${line}`));
  return [`${fence}text`, ...lines, fence].join("\n");
}

/** Foreign text on one line, as code: hosts read no names, numbers and HTML in it. Safe in a cell of a table. */
export function quoteInline(text: string, most = 200): string {
  const clean = oneLine(cleanHostText(text).text).replaceAll("`", "'").replaceAll("|", "¦");
  if (clean === "") return "–";
  return `\`${clean.length > most ? `${clean.slice(0, most)}…` : clean}\``;
}

/**
 * Foreign text as a title. Text that a host would act on is written so that it does not: a mention, the number of an issue, an
 * address, an order to skip checks. Names of packages and decorators stay as they are, as code.
 */
export function plainTitle(text: string, most = 120): string {
  const clean = oneLine(cleanHostText(text).text)
    .split(CODE_SPAN)
    .map((piece, i) => (i % 2 === 1 ? piece : withoutMentions(piece.replaceAll("`", "'"))))
    .join("")
    .replaceAll(/(?:\b[\w.-]+\/[\w.-]+)?#(?=\d)/g, "no. ")
    .replaceAll(/\bgh-(?=\d)/gi, "no. ")
    .replaceAll(/https?:\/\//g, "")
    // In a title of a commit this tells programs to check nothing.
    .replaceAll(/\[((?:skip|no)[ -](?:ci|actions)|(?:ci|actions)[ -]skip)\]/gi, "($1)")
    .replace(/^\/+/, "");
  return clean.length > most ? cutTitle(clean, most) : clean;
}

const CODE_SPAN = /(?<!`)(`[^`]+`)(?!`)/;
/** `@types/node@20`, `@app.get("/")`: what a mention never looks like stands in it. */
const SCOPED_OR_CALLED = /(?<![\w`@])@(?:[\w.-]+\/[\w.-]+(?:@[\w.^~-]+)?|[A-Za-z_][\w.]*\([^()`]{0,40}\))/g;
/** After a letter or digit no host sees a mention: `ada@example.com`, `node@20`. */
const MENTION = /(?<!\w)@(?=[\w-])/g;

function withoutMentions(text: string): string {
  let plain = "";
  let end = 0;
  for (const found of text.matchAll(SCOPED_OR_CALLED)) {
    // Names of a sentence end before its full stop.
    const name = found[0].replace(/[.-]+$/, "");
    plain += `${text.slice(end, found.index).replaceAll(MENTION, "(at)")}\`${name}\``;
    end = found.index + name.length;
  }
  return plain + text.slice(end).replaceAll(MENTION, "(at)");
}

/** Contract: no code is left open, for what follows would be read otherwise then. */
function cutTitle(title: string, most: number): string {
  const cut = title.slice(0, most - 1);
  const isOpen = cut.split("`").length % 2 === 0;
  return `${isOpen ? cut.slice(0, cut.lastIndexOf("`")).trimEnd() : cut}…`;
}
