import { describe, expect, it } from "vitest";
import { readText } from "./read-text.js";

const tokens = (text: string) => readText(text).tokens.map((t) => t.text);

describe("readText", () => {
  it.each([
    ["(see `a.b()`), then src/a.ts.", ["see", "a.b()", "then", "src/a.ts"]],
    ["_word_ and __init__ and _private", ["word", "and", "__init__", "and", "_private"]],
    ["call f(x), list[0].", ["call", "f(x)", "list[0]"]],
    ["“curly” *bold*", ["curly", "bold"]],
  ])("takes the punctuation off tokens: %s", (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });

  it("reads neither quotes nor comments nor code blocks as what the author says", () => {
    const doc = readText("Say one.\n> quoted two\n\n```\nthree()\n```\n<!-- four -->five");
    expect(doc.words.map((w) => w.text)).toEqual(["Say", "one", "five"]);
    expect(doc.lines.map((l) => [l.text, l.code])).toEqual([
      ["Say one.", false],
      ["three()", true],
      ["five", false],
    ]);
  });

  it("takes the first line that is not blank as the title", () => {
    const text = "\n  Title here\nbody";
    const { title } = readText(text);
    expect(text.slice(title.start, title.end)).toBe("Title here");
  });

  it("marks everyday words as plain", () => {
    expect(readText("Word API fileName v2 naïve").tokens.map((t) => t.plain)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
