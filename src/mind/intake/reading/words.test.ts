import { describe, expect, it } from "vitest";
import { foldWord, withoutInvisible } from "./fold.js";
import { inflectNoun, inflectVerb } from "./inflect.js";
import { Lexicon } from "./lexicon.js";
import { placesIn } from "../named-places.js";
import { read } from "./reading.js";
import { Vocabulary } from "./vocabulary.js";

describe("word forms", () => {
  it.each([
    ["steal", ["steals", "stealing", "stole", "stolen"]],
    ["wipe", ["wipes", "wiping", "wiped"]],
    ["drop", ["drops", "dropping", "dropped"]],
    ["copy", ["copies", "copying", "copied"]],
    ["crash", ["crashes", "crashing", "crashed"]],
  ])("of %s", (verb, forms) => {
    expect(inflectVerb(verb).map(({ text }) => text)).toEqual(expect.arrayContaining(forms));
  });

  it("of nouns", () => {
    expect(inflectNoun("backup")).toEqual(["backup", "backups"]);
    expect(inflectNoun("identity")).toEqual(["identity", "identities"]);
    expect(inflectNoun("ios")).toEqual(["ios"]);
  });
});

describe("the lexicon", () => {
  const find = (pattern: string, text: string, bend: "verb" | "noun" | "none" = "none") => {
    const vocabulary = new Vocabulary();
    const lexicon = new Lexicon(vocabulary);
    lexicon.add(1, [pattern], bend);
    return lexicon.scan(read(vocabulary, text).own[0]?.tokens ?? []).map(({ at, length }) => [at, length]);
  };

  it("matches words, choices, any word and gaps of up to four words", () => {
    expect(find("turn off", "They turned off the light", "verb")).toEqual([[1, 2]]);
    expect(find("a|b c", "b c")).toEqual([[0, 2]]);
    expect(find("a _ c", "a b c")).toEqual([[0, 3]]);
    expect(find("a .. c", "a c")).toEqual([[0, 2]]);
    expect(find("a .. c", "a 1 2 3 4 c")).toEqual([[0, 6]]);
    expect(find("a .. c", "a 1 2 3 4 5 c")).toEqual([]);
    expect(find("backup", "two backups", "noun")).toEqual([[1, 1]]);
    expect(find("_", "a")).toEqual([]);
  });

  it("does not match over a full stop", () => {
    expect(find("a b", "a; b")).toEqual([]);
  });
});

describe("reading", () => {
  it("tells what is said from what is shown", () => {
    const reading = read(
      new Vocabulary(),
      'Fix this:\n\n> quoted words here\n\n```ts\ncode();\n```\n\nSay "one two three four" or "two words".',
    );
    const own = reading.own.map(({ tokens }) => tokens.map(({ norm }) => norm).join(" "));
    expect(own).toEqual(["fix this", "say or two words"]);
    expect(reading.material.map(({ tokens }) => tokens.map(({ norm }) => norm).join(" "))).toEqual([
      "quoted words here",
      "ts code",
      "one two three four",
    ]);
  });

  it("finds the way back to the offsets of the given text", () => {
    const given = "a\u200bb \u200bc";
    const { text, place } = withoutInvisible(given);
    expect(text).toBe("ab c");
    expect(given.charAt(place(text.indexOf("c")))).toBe("c");
    expect(place(0)).toBe(0);
  });

  it("folds spellings only where they are a disguise", () => {
    expect(foldWord("р\u0430ssword")).toBe("password");
    expect(foldWord("пароль")).toBe("пароль");
    expect(foldWord("r4nsomware")).toBe("ransomware");
    expect(foldWord("utf8")).toBe("utf8");
    expect(foldWord("log4j")).toBe("log4j");
  });

  it("names places: paths, files and endpoints, each once", () => {
    expect(placesIn("See src/a.ts, `src/a.ts`, README.md and /api/users. Not e.g. this, Next.js or 1.2.3.", 9)).toEqual(
      ["src/a.ts", "README.md", "/api/users"],
    );
  });
});
