import type { Word } from "./words.js";

export interface PhraseMatch {
  readonly start: number;
  readonly end: number;
}

type Step = { readonly any: ReadonlySet<string>; readonly optional: boolean };
/** The patterns of one list that start with the same word. */
type Group = { readonly list: number; readonly patterns: (readonly Step[])[] };

/**
 * Find several lists of phrases by words, in one walk: one answer for each list. `would be nice|great` is a sequence with
 * alternatives; a step with `?` may be missing, as in `be ?very nice`.
 *
 * Contract: the finder is pure and linear: every pattern has a fixed length and looks at most that far ahead. The
 * words of a match stand next to each other; punctuation between them breaks the phrase. Matches of a list do not overlap.
 */
export function phraseLists(
  lists: readonly (readonly string[])[],
): (words: readonly Word[]) => readonly (readonly PhraseMatch[])[] {
  const byFirst = indexByFirstWord(lists);
  return (words) => {
    const found: PhraseMatch[][] = lists.map(() => []);
    // For each list, the word after its last match: the next match starts there or later.
    const free = new Int32Array(lists.length);
    for (let at = 0; at < words.length; at++) {
      const first = words[at];
      if (first === undefined) break;
      const groups = byFirst.get(first.lower);
      if (groups === undefined) continue;
      for (const { list, patterns } of groups) {
        if ((free[list] ?? 0) > at) continue;
        const length = longestMatch(words, at, patterns);
        const last = words[at + length - 1];
        if (length === 0 || last === undefined) continue;
        found[list]?.push({ start: first.start, end: last.end });
        free[list] = at + length;
      }
    }
    return found;
  };
}

function indexByFirstWord(lists: readonly (readonly string[])[]): ReadonlyMap<string, readonly Group[]> {
  const byFirst = new Map<string, Group[]>();
  for (const [list, patterns] of lists.entries()) {
    for (const pattern of patterns) {
      const steps = pattern.split(" ").map(step);
      for (const first of steps[0]?.any ?? []) {
        const groups = byFirst.get(first) ?? [];
        byFirst.set(first, groups);
        const known = groups.find((group) => group.list === list);
        if (known === undefined) groups.push({ list, patterns: [steps] });
        else known.patterns.push(steps);
      }
    }
  }
  return byFirst;
}

function longestMatch(words: readonly Word[], at: number, patterns: readonly (readonly Step[])[]): number {
  let longest = 0;
  for (const steps of patterns) {
    const length = matchLength(words, at, steps);
    if (length > longest) longest = length;
  }
  return longest;
}

function step(source: string): Step {
  const choices = source.split("|");
  const optional = choices.some((choice) => choice.startsWith("?"));
  return { any: new Set(choices.map((choice) => (choice.startsWith("?") ? choice.slice(1) : choice))), optional };
}

const GAP_MOST = 2;

function matchLength(words: readonly Word[], from: number, steps: readonly Step[]): number {
  // The first word was matched by the index.
  let at = from + 1;
  for (let i = 1; i < steps.length; i++) {
    const wanted = steps[i];
    if (wanted === undefined) break;
    const word = words[at];
    const near = word !== undefined && word.start - (words[at - 1]?.end ?? 0) <= GAP_MOST;
    if (near && wanted.any.has(word.lower)) at++;
    else if (!wanted.optional) return 0;
  }
  return at - from;
}
