import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { words } from "../../../foundation/text/words.js";
import { Lexicon } from "./lexicon.js";
import { read } from "./reading.js";
import { addWords, type Token } from "./tokens.js";
import { Vocabulary } from "./vocabulary.js";

/** Scraps of prose in which words, code and addresses touch: whatever they make up, it is one run of prose. */
const SCRAPS =
  "fix the Login page's don’t user-friendly naïve h4cker x.y http://a.b/c x-http://q.r'y éhttps://z.y www.a.b `code.of it` `a` , . ; : ! ? ( ) 。 — - ' ’ \" “quoted words of some length”".split(
    " ",
  );
const prose = array(constantFrom(...SCRAPS, " ", " ", " ", " ", "\n", "\u200b"), { maxLength: 60 }).map((scraps) =>
  // No line begins a quote, a fence or an indented block.
  scraps.join("").replaceAll(/\n\s*/g, "\nso "),
);

const vocabulary = new Vocabulary();
const lexicon = new Lexicon(vocabulary);
lexicon.add(0, ["login page", "fix", "user friendly"], "noun");

const alone = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  addWords(text, 0, text.length, tokens, vocabulary);
  return tokens;
};

describe("a text is read once", () => {
  it("and the words of a zone are those of the zone read by itself", () => {
    assert(
      property(prose, (given) => {
        const { text, zones, codeBlocks } = read(vocabulary, `so ${given}`);
        expect(codeBlocks).toEqual([]);
        expect(zones.flatMap(({ tokens }) => tokens)).toEqual(alone(text));
      }),
      { numRuns: 500 },
    );
  });

  it("cutting words as every other reader of texts does", () => {
    assert(
      property(prose, (text) => {
        const starts = new Set(alone(text).map(({ start }) => start));
        for (const word of words(text)) expect(starts).toContain(word.start);
      }),
      { numRuns: 200 },
    );
  });

  it("with what is known of a word looked up for good", () => {
    const { own } = read(vocabulary, "FIX the Login-Page of someone");
    expect(own[0]?.tokens.map(({ word }) => word.text)).toEqual(["fix", "", "login", "page", "", ""]);
    expect(own[0]?.tokens.filter(({ word }) => lexicon.has(word)).map(({ norm }) => norm)).toEqual(["fix"]);
  });

  it("and a text too long to read whole is read at its head", () => {
    const { zones } = read(vocabulary, `${"login page, ".repeat(3_000)}fix`);
    const last = zones.at(-1)?.tokens.at(-1);
    expect(last?.end).toBeLessThanOrEqual(20_000);
    expect(last?.end).toBeGreaterThan(19_980);
  });
});
