import { readFrontMatter } from "./front-matter.js";

/** One piece of a Markdown document that is read as a whole. `line` is where it begins, counted from 1. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string; readonly line: number }
  | { readonly kind: "paragraph"; readonly lines: readonly string[]; readonly line: number }
  | { readonly kind: "quote"; readonly lines: readonly string[]; readonly line: number }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[]; readonly line: number }
  | { readonly kind: "code"; readonly line: number }
  /** A further paragraph inside of the item before it. */
  | { readonly kind: "detail"; readonly text: string; readonly line: number }
  | ListItem;

export interface ListItem {
  readonly kind: "item";
  readonly text: string;
  /** 0 for an item of the list itself, more for items inside of items. */
  readonly depth: number;
  readonly ordered: boolean;
  /** The ticked or empty box in front of the text; null without one. */
  readonly ticked: boolean | null;
  readonly line: number;
}

export interface MarkdownDocument {
  readonly frontMatter: ReadonlyMap<string, string>;
  readonly blocks: readonly Block[];
}

/**
 * Cut a Markdown document into blocks.
 *
 * Contract: pure and total, for any string, in time linear in its length. Comments and code are not read: what stands
 * in a fence is an example, and an example says nothing about the document.
 */
export function readBlocks(text: string): MarkdownDocument {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const { values, next } = readFrontMatter(lines);
  const reader = new BlockReader();
  const comment = { open: false };
  for (let at = next; at < lines.length; at++) {
    const raw = lines[at] ?? "";
    // Spaces in a row say nothing behind the indent, and patterns are slow on them.
    const line = reader.inFence ? raw : withoutComments(raw, comment).replaceAll(/(?<=\S)[^\S\n]{2,}/g, " ");
    // A line that held nothing but a comment is no blank line: it would cut a paragraph in two.
    if (line.trim() === "" && raw.trim() !== "" && !reader.inFence) continue;
    reader.take(line, at + 1);
  }
  return { frontMatter: values, blocks: reader.end() };
}

const FENCE = /^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
/** `#Title`: not Markdown any more, and yet what some old documents have. */
const ATX_TIGHT = /^(#{1,6})(\p{Lu}.*)$/u;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const ITEM = /^(\s*)([-*+•]|\d{1,9}[.)、])(?:\s+(.*)|)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const ONLY_TAGS = /^\s*(?:<\/?[a-zA-Z][^<>]*>\s*)+$/;

interface OpenItem {
  text: string[];
  readonly depth: number;
  readonly indent: number;
  readonly ordered: boolean;
  readonly line: number;
}

class BlockReader {
  readonly #blocks: Block[] = [];
  #paragraph: string[] = [];
  #quote: string[] = [];
  #table: string[][] | null = null;
  #begun = 0;
  #item: OpenItem | null = null;
  /** The indents of the items that are open around the next line, outermost first. */
  #indents: number[] = [];
  #fence: string | null = null;
  #blank = false;

  get inFence(): boolean {
    return this.#fence !== null;
  }

  take(line: string, number: number): void {
    if (this.#fence !== null) {
      const closing = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1] ?? "";
      if (closing.startsWith(this.#fence)) this.#fence = null;
      return;
    }
    const blank = this.#blank;
    this.#blank = false;
    const fence = FENCE.exec(line);
    if (fence?.[1] !== undefined) {
      this.#close();
      this.#fence = fence[1];
      this.#blocks.push({ kind: "code", line: number });
    } else if (line.trim() === "" || ONLY_TAGS.test(line)) {
      this.#blank = true;
      if (this.#item === null) this.#close();
      else this.#closeItem();
    } else if (!this.#heading(line, number) && !this.#list(line, number) && !this.#within(line, blank, number))
      this.#plain(line, number);
  }

  end(): readonly Block[] {
    this.#close();
    return this.#blocks;
  }

  #heading(line: string, number: number): boolean {
    const atx = ATX.exec(line) ?? ATX_TIGHT.exec(line);
    if (atx !== null) {
      this.#leave();
      const text = (atx[2] ?? "").replace(/(?:^|[ \t]+)#+[ \t]*$/, "").trim();
      this.#blocks.push({ kind: "heading", level: atx[1]?.length ?? 1, text, line: number });
      return true;
    }
    const underline = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(line)?.[1];
    if (underline !== undefined && this.#paragraph.length === 1 && this.#item === null) {
      const text = (this.#paragraph[0] ?? "").trim();
      this.#paragraph = [];
      this.#blocks.push({ kind: "heading", level: underline.startsWith("=") ? 1 : 2, text, line: this.#begun });
      return true;
    }
    if (!RULE.test(line)) return false;
    this.#leave();
    return true;
  }

  #list(line: string, number: number): boolean {
    const [, space = "", marker, text = ""] = ITEM.exec(line) ?? [];
    if (marker === undefined) return false;
    const indent = columns(space);
    // Far to the right and outside of any list it is code.
    if (this.#indents.length === 0 && indent >= 4 && this.#paragraph.length === 0) return false;
    this.#close();
    while (this.#indents.length > 0 && indent <= (this.#indents.at(-1) ?? 0) - 1) this.#indents.pop();
    const innermost = this.#indents.at(-1);
    if (innermost === undefined || indent >= innermost + 2) this.#indents.push(indent);
    this.#item = {
      text: [text],
      depth: this.#indents.length - 1,
      indent,
      ordered: /\d/.test(marker),
      line: number,
    };
    return true;
  }

  /** Text that goes on with an item: on the next line anyhow, after a blank one only when it is indented. */
  #within(line: string, blank: boolean, number: number): boolean {
    if (this.#item !== null && !blank) {
      this.#item.text.push(line.trim());
      return true;
    }
    if (this.#indents.length === 0) return false;
    const indent = columns(/^\s*/.exec(line)?.[0] ?? "");
    if (blank && indent <= (this.#indents[0] ?? 0)) {
      this.#leave();
      return false;
    }
    if (!blank) return false;
    this.#blocks.push({ kind: "detail", text: line.trim(), line: number });
    return true;
  }

  #plain(line: string, number: number): void {
    if (/^ {0,3}>/.test(line)) {
      if (this.#paragraph.length > 0 || this.#table !== null) this.#close();
      if (this.#quote.length === 0) this.#begun = number;
      this.#quote.push(line.replace(/^ {0,3}> ?/, ""));
      return;
    }
    if (this.#table !== null && line.includes("|")) {
      this.#table.push(cells(line));
      return;
    }
    if (this.#paragraph.length === 1 && TABLE_RULE.test(line) && (this.#paragraph[0] ?? "").includes("|")) {
      this.#table = [cells(this.#paragraph[0] ?? "")];
      this.#paragraph = [];
      return;
    }
    if (this.#table !== null || this.#quote.length > 0) this.#close();
    if (this.#paragraph.length === 0) {
      if (columns(/^\s*/.exec(line)?.[0] ?? "") >= 4) {
        this.#blocks.push({ kind: "code", line: number });
        return;
      }
      this.#begun = number;
    }
    this.#paragraph.push(line);
  }

  #closeItem(): void {
    if (this.#item === null) return;
    const { text, depth, ordered, line } = this.#item;
    const [, box, rest] = /^\[([ xX])\]\s+(.*)$/s.exec(text.join(" ").trim()) ?? [];
    const words = (rest ?? text.join(" ")).trim();
    if (words !== "")
      this.#blocks.push({ kind: "item", text: words, depth, ordered, ticked: box ? box !== " " : null, line });
    this.#item = null;
  }

  #close(): void {
    this.#closeItem();
    if (this.#paragraph.length > 0) this.#blocks.push({ kind: "paragraph", lines: this.#paragraph, line: this.#begun });
    if (this.#quote.length > 0) this.#blocks.push({ kind: "quote", lines: this.#quote, line: this.#begun });
    if (this.#table !== null) this.#blocks.push({ kind: "table", rows: this.#table, line: this.#begun });
    this.#paragraph = [];
    this.#quote = [];
    this.#table = null;
  }

  #leave(): void {
    this.#close();
    this.#indents = [];
  }
}

function columns(space: string): number {
  let width = 0;
  for (const c of space) width += c === "\t" ? 4 - (width % 4) : 1;
  return width;
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
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
