import { fold, plain } from "./fold.js";
import type { Polarity } from "./headings.js";
import type { Section } from "./sections.js";

/** The consequences of a decision, as its record lists them. */
export interface Consequence {
  readonly text: string;
  readonly effect: Polarity;
}

const GOOD = /^(?:good|\+|pro\b|positive|positiv|gut|bon\b|bueno|bom\b|buono|goed|好|优|良い|メリット|✅|👍)/u;
const BAD =
  /^(?:bad|[-−–]\s|con\b|negative|negativ|schlecht|mauvais|malo|ruim|mau\b|cattivo|slecht|坏|缺|悪い|デメリット|❌|👎)/u;

export function consequencesOf(sections: readonly Section[]): readonly Consequence[] {
  return sections
    .filter(({ role }) => role === "consequences")
    .flatMap(({ blocks, polarity }) =>
      blocks
        .filter((block) => block.kind === "item")
        .filter(({ depth }) => depth === 0)
        .map(({ text }) => ({ text, effect: effectOf(text) ?? polarity })),
    );
}

function effectOf(text: string): Polarity {
  const words = fold(plain(text));
  if (GOOD.test(words)) return "positive";
  return BAD.test(words) ? "negative" : null;
}
