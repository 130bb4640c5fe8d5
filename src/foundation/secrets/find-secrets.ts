import { findAssigned } from "./find-assigned.js";
import { findBlocks } from "./find-blocks.js";
import { findLogins } from "./find-logins.js";
import { findShapes } from "./find-shapes.js";
import type { FoundSecret } from "./found.js";
import { Runs } from "./shape.js";

/*
 * Keys, tokens and passwords in text: tokens of known shapes, private keys, logins in addresses, and values that look like
 * chance and are given to a name like `password`. Placeholders, references to the environment and examples are not secrets.
 */

/** Contract: pure and total, linear in the text; in the order they stand, none touching another. */
export function findSecrets(text: string, runs = new Runs(text)): FoundSecret[] {
  const found: FoundSecret[] = [];
  findShapes(text, found, runs);
  findBlocks(text, found);
  findLogins(text, found);
  findAssigned(text, found, runs);
  return found.length < 2 ? found : joinOverlapping(found);
}

/** Joins overlapping findings into one secret, with the name of the longest that is of a particular kind. */
function joinOverlapping(found: readonly FoundSecret[]): FoundSecret[] {
  const all: { shape: string; start: number; end: number; weight: number }[] = [];
  for (const one of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const { shape, start, end, general } = one;
    const weight = general === true ? 0 : end - start;
    const last = all.at(-1);
    if (last === undefined || start > last.end) all.push({ shape, start, end, weight });
    else {
      if (weight > last.weight) Object.assign(last, { shape, weight });
      last.end = Math.max(last.end, end);
    }
  }
  return all.map(({ shape, start, end }) => ({ shape, start, end }));
}
