// How much two lists of texts have in common, for figures of what was found against what a person expected.

/** Texts that share this much of their words count as the same. */
const SAME = 0.7;

/** Words as they are compared: what is emphasis, link or punctuation to one reader is nothing to another. */
export const wordsOf = (text) =>
  new Set(
    text
      .replaceAll(/\]\([^)]*\)/g, "]")
      .normalize("NFKD")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );

/** How much of their words two texts share, 0 to 1. */
export function likeness(a, b) {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const both = [...left].filter((word) => right.has(word)).length;
  return left.size + right.size === 0 ? 1 : (2 * both) / (left.size + right.size);
}

/** Pair each expected text with the most alike that was found; every text is used once. Answers the number of pairs. */
export function countPairs(expected, found) {
  const open = new Set(found.keys());
  let hits = 0;
  for (const text of expected) {
    const best = [...open].map((at) => ({ at, like: likeness(text, found[at]) })).sort((a, b) => b.like - a.like)[0];
    if (best === undefined || best.like < SAME) continue;
    open.delete(best.at);
    hits++;
  }
  return hits;
}
