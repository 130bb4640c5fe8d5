import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import type { Block, MarkdownDocument } from "./blocks.js";
import { readFrontMatter } from "./front-matter.js";
import { type NumberedLines, prepareLines } from "./prepare-lines.js";

/*
 * Markdown as CommonMark and GitHub read it (micromark, mdast). Only what divides a document into blocks is parsed:
 * links and emphasis are left as they are written, because readers of records compare them by their words and quote them
 * by their bytes, and because they are what makes parsing slow.
 */

type Node = ReturnType<typeof fromMarkdown>["children"][number];
type NodeOf<K extends Node["type"]> = Extract<Node, { type: K }>;

const EXTENSIONS = [
  gfmTable(),
  {
    disable: {
      null: [
        "attention",
        "autolink",
        "characterEscape",
        "characterReference",
        "codeText",
        "definition",
        "hardBreakEscape",
        "htmlFlow",
        "htmlText",
        "labelEnd",
        "labelStartImage",
        "labelStartLink",
      ],
    },
  },
];
const READERS = [gfmTableFromMarkdown()];

/**
 * Cut a Markdown document into blocks.
 *
 * Contract: pure and total, for any string. Comments and code are not read: what stands in a fence is an example, and an
 * example says nothing about the document. Where people write what Markdown does not know (`#Title`, `• entry`, two
 * spaces before a smaller entry of a numbered one), it is read as they meant it.
 */
export function readBlocks(text: string): MarkdownDocument {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const { values, next } = readFrontMatter(lines);
  const reader = new BlockReader();
  for (const piece of prepareLines(lines, next)) reader.read(piece);
  return { frontMatter: values, blocks: reader.blocks };
}

/** `#Title`: not Markdown any more, and yet what some old documents have. */
const TIGHT_HEADING = /^(#{1,6})(\p{Lu}.*)$/u;
/** Entries that Markdown does not know, and those that it does not let begin right under a paragraph. */
const LOOSE_ITEM = /^\s*(?:[•‣◦]|(\d{1,9})[.)、])\s+(\S.*)$/;

class BlockReader {
  readonly blocks: Block[] = [];
  #piece: NumberedLines = { text: "", numbers: [] };
  /** The indents of the entries that are open around the next one, outermost first. */
  #indents: number[] = [];

  read(piece: NumberedLines): void {
    this.#piece = piece;
    const { children } = fromMarkdown(piece.text, { extensions: EXTENSIONS, mdastExtensions: READERS });
    for (const node of children) this.#take(node);
  }

  #take(node: Node): void {
    if (node.type !== "list") this.#indents = [];
    switch (node.type) {
      case "heading":
        return this.#heading(node);
      case "paragraph":
        return this.#paragraph(this.#linesOf(node), this.#lineOf(node));
      case "blockquote": {
        const lines = this.#linesOf(node).map((line) => line.replace(/^ {0,3}> ?/, ""));
        this.blocks.push({ kind: "quote", lines, line: this.#lineOf(node) });
        return;
      }
      case "table":
        return this.#readTable(node);
      case "code":
        this.blocks.push({ kind: "code", line: this.#lineOf(node) });
        return;
      case "list":
        return this.#list(node);
      default:
    }
  }

  #heading(node: NodeOf<"heading">): void {
    const lines = this.#linesOf(node);
    const [, text] = /^\s*#{1,6}(?:[ \t]+(.*))?$/.exec(lines[0] ?? "") ?? [];
    const line = this.#lineOf(node);
    if (lines.length === 1) {
      const words = (text ?? "").replace(/(?:^|[ \t]+)#+[ \t]*$/, "").trim();
      this.blocks.push({ kind: "heading", level: node.depth, text: words, line });
    } else if (lines.length === 2)
      this.blocks.push({ kind: "heading", level: node.depth, text: (lines[0] ?? "").trim(), line });
    // Several lines over a rule are lines of metadata, and nobody's heading.
    else this.#paragraph(lines.slice(0, -1), line);
  }

  #paragraph(lines: readonly string[], line: number): void {
    let open: { lines: string[]; line: number } | null = null;
    let item: { text: string[]; ordered: boolean; line: number } | null = null;
    const close = () => {
      if (open !== null) this.blocks.push({ kind: "paragraph", ...open });
      if (item !== null) this.#item(item.text.join(" "), { depth: 0, ordered: item.ordered, line: item.line });
      open = item = null;
    };
    for (const [at, text] of lines.entries()) {
      const tight = TIGHT_HEADING.exec(text);
      const [, number, words] = LOOSE_ITEM.exec(text) ?? [];
      if (tight !== null) {
        close();
        this.blocks.push({ kind: "heading", level: tight[1]?.length ?? 1, text: tight[2] ?? "", line: line + at });
      } else if (words !== undefined) {
        close();
        item = { text: [words], ordered: number !== undefined, line: line + at };
      } else if (item !== null) item.text.push(text.trim());
      else if (open === null) open = { lines: [text], line: line + at };
      else open.lines.push(text);
    }
    close();
  }

  #readTable(node: NodeOf<"table">): void {
    const rows = node.children.map((row) =>
      row.children.map((cell) =>
        this.#textOf(cell)
          .replace(/^\||(?<!\\)\|$/g, "")
          .trim(),
      ),
    );
    this.blocks.push({ kind: "table", rows, line: this.#lineOf(node) });
  }

  #list(list: NodeOf<"list">): void {
    for (const entry of list.children) {
      const depth = this.#enter((entry.position?.start.column ?? 1) - 1);
      const [first, ...rest] = entry.children;
      const place = { depth, ordered: list.ordered === true, line: this.#lineOf(entry) };
      if (first?.type === "paragraph" || first?.type === "heading")
        this.#item(
          this.#linesOf(first)
            .map((line) => line.trim())
            .join(" "),
          place,
        );
      else if (first !== undefined) this.#within(first);
      for (const child of rest) this.#within(child);
    }
  }

  /** Reads the content of an entry below its first words. */
  #within(node: Node): void {
    if (node.type === "list") this.#list(node);
    else if (node.type === "code") this.blocks.push({ kind: "code", line: this.#lineOf(node) });
    else if (node.type === "table") this.#readTable(node);
    else
      this.#linesOf(node).forEach((text, at) => {
        if (text.trim() !== "") this.blocks.push({ kind: "detail", text: text.trim(), line: this.#lineOf(node) + at });
      });
  }

  /** How deep an entry stands, by its indent: smaller entries of a numbered one often stand two spaces in. */
  #enter(indent: number): number {
    while (this.#indents.length > 0 && indent <= (this.#indents.at(-1) ?? 0) - 1) this.#indents.pop();
    const innermost = this.#indents.at(-1);
    if (innermost === undefined || indent >= innermost + 2) this.#indents.push(indent);
    return this.#indents.length - 1;
  }

  #item(written: string, place: { readonly depth: number; readonly ordered: boolean; readonly line: number }): void {
    const [, box, rest] = /^\[([ xX])\]\s+(.*)$/s.exec(written.trim()) ?? [];
    const text = (rest ?? written).trim();
    if (text !== "") this.blocks.push({ kind: "item", text, ...place, ticked: box ? box !== " " : null });
  }

  #textOf({ position }: Pick<Node, "position">): string {
    return this.#piece.text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  }

  #linesOf(node: Node): readonly string[] {
    return this.#textOf(node).split("\n");
  }

  #lineOf({ position }: Pick<Node, "position">): number {
    return this.#piece.numbers[(position?.start.line ?? 1) - 1] ?? 1;
  }
}
