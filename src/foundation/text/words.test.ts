import { describe, expect, it } from "vitest";
import { sentences, words } from "./words.js";

describe("words", () => {
  it.each([
    ["It's a well-known file_name, v2.", ["It's", "a", "well-known", "file_name", "v2"]],
    ["naïve – café", ["naïve", "café"]],
    ["日本語 テスト", ["日本語", "テスト"]],
    ["שלום עולם", ["שלום", "עולם"]],
    ["👩‍💻 ok", ["ok"]],
    ["", []],
  ])("%s", (text, expected) => {
    expect(words(text).map((w) => w.text)).toEqual(expected);
  });

  it("keeps the place of each word", () => {
    expect(words("a bc", 1)).toEqual([{ text: "bc", lower: "bc", start: 2, end: 4 }]);
  });
});

describe("sentences", () => {
  const cut = (text: string) => sentences(text).map((s) => text.slice(s.start, s.end));
  it.each([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["Use e.g. this one. Done", ["Use e.g. this one.", "Done"]],
    ["wrapped\nline. Next", ["wrapped\nline.", "Next"]],
    ["# Title\nBody", ["# Title", "Body"]],
    ["Intro\n- one\n- two", ["Intro", "- one", "- two"]],
    ["Edit src/a.ts now", ["Edit src/a.ts now"]],
    ["一。二。", ["一。", "二。"]],
    ["", []],
  ])("%s", (text, expected) => {
    expect(cut(text)).toEqual(expected);
  });
});
