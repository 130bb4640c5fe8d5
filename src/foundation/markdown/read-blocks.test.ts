import { describe, expect, it } from "vitest";
import { readBlocks } from "./read-blocks.js";

const kinds = (text: string) => readBlocks(text).blocks.map(({ kind, line }) => [kind, line]);

describe("readBlocks", () => {
  it("keeps the line of every block, also behind comments and front matter", () => {
    const text =
      "---\nstatus: accepted\n---\n# A\n\n<!-- no\nno -->\nText\n\n- one\n  more\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    expect(kinds(text)).toEqual([
      ["heading", 4],
      ["paragraph", 8],
      ["item", 10],
      ["item", 12],
      ["table", 14],
    ]);
    expect(readBlocks(text).frontMatter.get("status")).toBe("accepted");
  });

  it("reads what stands in fences as nothing, and links and code as they are written", () => {
    const { blocks } = readBlocks("```\n# no\n- no\n```\n\nSee [it](a.md) and `x | y`.");
    expect(blocks).toEqual([
      { kind: "code", line: 1 },
      { kind: "paragraph", lines: ["See [it](a.md) and `x | y`."], line: 6 },
    ]);
  });

  it("knows boxes, depth and order", () => {
    const items = readBlocks("1. a\n  - b\n2. [x] c\n\t- d\n").blocks;
    expect(
      items.map((item) => (item.kind === "item" ? [item.text, item.depth, item.ordered, item.ticked] : item)),
    ).toEqual([
      ["a", 0, true, null],
      ["b", 1, false, null],
      ["c", 0, true, true],
      ["d", 1, false, null],
    ]);
  });

  it("reads what people mean where Markdown does not know it", () => {
    expect(
      readBlocks("#Title\n\n• one\n• two\n").blocks.map((block) => ("text" in block ? block.text : block.kind)),
    ).toEqual(["Title", "one", "two"]);
  });

  it("takes several lines over a rule for lines, and one for a heading", () => {
    expect(kinds("Status: accepted\nDate: today\n---\n")).toEqual([["paragraph", 1]]);
    expect(kinds("Decision\n---\n")).toEqual([["heading", 1]]);
  });

  it("cuts a long list into pieces without losing an entry", () => {
    const text = Array.from({ length: 1_000 }, (_, at) => `- entry ${at}`).join("\n");
    expect(readBlocks(text).blocks).toHaveLength(1_000);
    expect(readBlocks(text).blocks.every((block) => block.kind === "item" && block.depth === 0)).toBe(true);
  });
});
