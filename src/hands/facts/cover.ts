/*
 * Patterns that cover a set of files without listing them all. INVARIANT: what is too much to list is covered by wider
 * patterns; nothing is left out.
 */

/** More patterns than this nobody reads. */
const MOST = 20;

/**
 * At most about twenty patterns that cover all of these, in order; each pattern is either kept or stands below one that is.
 *
 * Contract: pure. `**` alone is never an answer: patterns of many folders at the root stay as they are.
 */
export function cover(patterns: Iterable<string>, most: number = MOST): string[] {
  let covered = [...new Set(patterns)].sort();
  for (let depth = 4; depth >= 1 && covered.length > most; depth--) covered = joinPatterns(covered, depth);
  return covered;
}

/** Patterns with the same end whose beginnings agree in `depth` folders become one: `a/x/**` and `a/y/**` are `a/**`. */
function joinPatterns(patterns: readonly string[], depth: number): string[] {
  const groups = new Map<string, string[]>();
  for (const pattern of patterns) {
    const parts = pattern.split("/");
    const head = parts.slice(0, depth);
    const end = endOf(pattern);
    const isBelow = parts.length > depth + (end.startsWith("**") ? 0 : 1) && !head.some((part) => part.includes("*"));
    const key = isBelow ? `${head.join("/")}\0${end}` : `\0${pattern}`;
    groups.set(key, [...(groups.get(key) ?? []), pattern]);
  }
  return [...groups]
    .map(([key, members]) => {
      const [head = "", end = ""] = key.split("\0");
      if (members.length < 2) return members[0] ?? end;
      return end.startsWith("**") ? `${head}/${end}` : `${head}/**/${end}`;
    })
    .sort();
}

/** Returns the rest of a pattern behind its folders with plain names: `**`, `**` with a name, or the name of a file. */
function endOf(pattern: string): string {
  const stars = pattern.indexOf("**");
  if (stars === -1) return pattern.slice(pattern.lastIndexOf("/") + 1);
  const marked = /(?:^|\/)((?:tests?|__tests__|spec|e2e)\/\*\*.*)$/.exec(pattern)?.[1];
  return marked !== undefined && marked !== pattern ? `**/${marked}` : pattern.slice(stars);
}
