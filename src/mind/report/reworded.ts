import type { RunFigures } from "./run-figures.js";

/* Requests that came to nothing and were soon asked again in other words: they were not understood the first time. */

const SOON_MS = 60 * 60_000;
/** How much of the words two requests share when they are about the same. */
const ALIKE = 0.5;

type Asked = Pick<RunFigures, "run_id" | "started_at" | "request" | "ended" | "understood">;

/** The ids of those. Contract: pure; the order of the runs does not matter. */
export function findReworded(runs: readonly Asked[]): ReadonlySet<string> {
  const inWords = runs
    .filter(({ understood }) => understood !== null)
    .toSorted((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at));
  const found = new Set<string>();
  for (const [at, one] of inWords.entries()) {
    if (one.ended !== "failed") continue;
    const again = inWords.slice(at + 1).some((later) => {
      const after = Date.parse(later.started_at) - Date.parse(one.started_at);
      return after <= SOON_MS && later.request !== one.request && sharedWords(one.request, later.request) >= ALIKE;
    });
    if (again) found.add(one.run_id);
  }
  return found;
}

/** The share of words that both have, of those that either has. */
function sharedWords(a: string, b: string): number {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const both = [...one].filter((word) => other.has(word)).length;
  const all = new Set([...one, ...other]).size;
  return all === 0 ? 0 : both / all;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
}
