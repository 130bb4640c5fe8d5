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
  const shared = [...left].filter((word) => right.has(word)).length;
  return left.size + right.size === 0 ? 1 : (2 * shared) / (left.size + right.size);
}

/** Pair each expected text with the most alike that was found; every text is used once. */
export function countPairs(expected, found) {
  const open = new Set(found.keys());
  let hits = 0;
  for (const text of expected) {
    const best = [...open].map((at) => ({ at, like: likeness(text, found[at]) })).sort((a, b) => b.like - a.like)[0];
    if (best === undefined || best.like < 0.7) continue;
    open.delete(best.at);
    hits++;
  }
  return hits;
}
