/** One piece of a Markdown document that is read as a whole. `line` is where it begins, counted from 1. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string; readonly line: number }
  | Paragraph
  | { readonly kind: "quote"; readonly lines: readonly string[]; readonly line: number }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[]; readonly line: number }
  | { readonly kind: "code"; readonly line: number }
  /** A further paragraph inside of the item before it. */
  | { readonly kind: "detail"; readonly text: string; readonly line: number }
  | ListItem;

interface Paragraph {
  readonly kind: "paragraph";
  readonly lines: readonly string[];
  readonly line: number;
}

interface ListItem {
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
