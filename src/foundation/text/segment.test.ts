import { describe, expect, it } from "vitest";
import { segment } from "./segment.js";

const kinds = (text: string) => segment(text).map((s) => [s.kind, s.text]);

describe("segment", () => {
  it("tells prose, code, quotes, addresses and comments apart", () => {
    const text = "Fix `a.b()` at https://x.dev/p.\n\n```ts\nconst a = 1;\n```\n> quoted\n<!-- hidden\nstill --> seen\n";
    expect(kinds(text)).toEqual([
      ["prose", "Fix "],
      ["inline_code", "`a.b()`"],
      ["prose", " at "],
      ["url", "https://x.dev/p"],
      ["prose", ".\n\n"],
      ["code_block", "```ts\nconst a = 1;\n```\n"],
      ["quote", "> quoted\n"],
      ["html_comment", "<!-- hidden\nstill -->"],
      ["prose", " seen\n"],
    ]);
  });

  it.each([
    ["an open fence runs to the end", "a\n```\nb\n\nc", ["prose", "code_block"]],
    ["a fence closes with its own mark only", "~~~\n```\n~~~\nx", ["code_block", "prose"]],
    ["an open comment runs to the end", "a <!-- b\nc", ["prose", "html_comment"]],
    ["indented code after a blank line", "a\n\n    code()\n    more()\n\nb", ["prose", "code_block", "prose"]],
    ["an indented list entry is prose", "- a\n\n    still the entry\n", ["prose"]],
    ["an unmatched backtick is prose", "it`s fine", ["prose"]],
    ["double backticks hold a single one", "``a ` b`` c", ["inline_code", "prose"]],
    ["an empty text has no segments", "", []],
    ["three backticks inside a line are inline code", "a ```b``` c", ["prose", "inline_code", "prose"]],
  ])("%s", (_, text, expected) => {
    expect(segment(text).map((s) => s.kind)).toEqual(expected);
  });

  it.each([
    "`".repeat(200_000),
    "` ``".repeat(60_000),
    "<!--".repeat(50_000),
    "> ".repeat(100_000),
    "```\n".repeat(50_001),
    "http://".repeat(30_000),
    " ".repeat(200_000),
    "\n".repeat(200_000),
    "\na".repeat(500_000),
    "\r\n\t".repeat(60_000),
    Array.from({ length: 600 }, (_, i) => "`".repeat(i + 1)).join(" "),
  ])("covers hostile text completely and in order (%#)", (text) => {
    expect(
      segment(text)
        .map((s) => s.text)
        .join("") === text,
    ).toBe(true);
  });
});
