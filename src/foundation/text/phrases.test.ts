import { describe, expect, it } from "vitest";
import { phraseLists } from "./phrases.js";
import { words } from "./words.js";

const phrases = (patterns: readonly string[]) => (text: ReturnType<typeof words>) =>
  phraseLists([patterns])(text)[0] ?? [];

const find = (patterns: readonly string[], text: string) =>
  phrases(patterns)(words(text)).map((m) => text.slice(m.start, m.end));

describe("phrases", () => {
  it.each([
    ["alternatives", ["would be nice|great"], "It would be great.", ["would be great"]],
    [
      "a step that may be missing",
      ["be ?very|?so nice"],
      "be nice, be very nice, be so nice",
      ["be nice", "be very nice", "be so nice"],
    ],
    ["the longest match counts", ["not", "not sure"], "I am not sure", ["not sure"]],
    ["matches do not overlap", ["a b", "b c"], "a b c", ["a b"]],
    ["a full stop breaks a phrase", ["be nice"], "let it be... nice", []],
    ["an apostrophe of any form", ["doesn't work"], "It doesn’t work", ["doesn’t work"]],
  ])("%s", (_, patterns, text, expected) => {
    expect(find(patterns, text)).toEqual(expected);
  });

  it("finds several lists in one walk as each would be found alone", () => {
    const lists = [["a b", "c"], ["b c"], ["a ?x b"]];
    const text = words("a b c a x b");
    expect(phraseLists(lists)(text)).toEqual(lists.map((list) => phrases(list)(text)));
  });

  it("does not slow down on long runs of a first word", () => {
    expect(find(["a ?a ?a ?a ?a b"], "a ".repeat(100_000))).toEqual([]);
  });
});
