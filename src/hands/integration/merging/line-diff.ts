/*
 * Where git sees two texts differ when it merges them: the histogram difference. It is anchored at the run of common
 * lines whose rarest line is the rarest of all; what lies before and behind it is compared in the same way.
 *
 * Git then moves changes up or down among equal lines, by rules of its own. They are not followed here: a hunk is as wide
 * as any such move could make it.
 */

/** Lines `[from, to)` of the first text stand where the other text has `[other_from, other_to)`. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly other_from: number;
  readonly other_to: number;
}

/** Git leaves lines that are there more often to another kind of difference. */
const MOST_COMMON = 64;

interface Region {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** Contract: pure. Null where it takes more than this, and git must decide. */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] | null {
  const hunks: Hunk[] = [];
  const regions: Region[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  // The last region is the first in the texts, so that hunks come in order.
  for (let region = regions.pop(); region !== undefined; region = regions.pop()) {
    const { a: from, aEnd, b: other, bEnd } = region;
    if (from === aEnd && other === bEnd) continue;
    const run = from === aEnd || other === bEnd ? null : longestRareRun(a, b, region);
    if (run === "git") return null;
    if (run === null) hunks.push({ from, to: aEnd, other_from: other, other_to: bEnd });
    else regions.push({ a: run.aEnd, aEnd, b: run.bEnd, bEnd }, { a: from, aEnd: run.a, b: other, bEnd: run.b });
  }
  return widenHunks(a, b, joinHunks(hunks));
}

/** The run of common lines to anchor at; null when nothing is common. */
function longestRareRun(a: readonly string[], b: readonly string[], region: Region): Region | "git" | null {
  const places = placesOf(a, region);
  const timesAt = (at: number) => places.get(a[at] as string)?.length ?? 0;
  let best: Region | null = null;
  let span = 0;
  let rarest = MOST_COMMON + 1;
  let hasCommon = false;
  for (let at = region.b; at < region.bEnd;) {
    let next = at + 1;
    const found = places.get(b[at] as string) ?? [];
    hasCommon ||= found.length > 0;
    let passed = -1;
    if (found.length <= rarest)
      for (const place of found) {
        // It lies in the run just looked at.
        if (place <= passed) continue;
        const run = runAround(a, b, region, place, at);
        let times = found.length;
        for (let line = run.a; line < run.aEnd && times > 1; line++) times = Math.min(times, timesAt(line));
        next = Math.max(next, run.bEnd);
        if (span < run.aEnd - run.a - 1 || times < rarest) {
          best = run;
          span = run.aEnd - run.a - 1;
          rarest = times;
        }
        passed = run.aEnd - 1;
      }
    at = next;
  }
  return hasCommon && rarest > MOST_COMMON ? "git" : best;
}

function placesOf(a: readonly string[], { a: from, aEnd }: Region): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let at = from; at < aEnd; at++) {
    const known = places.get(a[at] as string);
    if (known === undefined) places.set(a[at] as string, [at]);
    else known.push(at);
  }
  return places;
}

function runAround(a: readonly string[], b: readonly string[], region: Region, inA: number, inB: number): Region {
  let [from, other] = [inA, inB];
  while (from > region.a && other > region.b && a[from - 1] === b[other - 1]) {
    from--;
    other--;
  }
  let [to, otherTo] = [inA + 1, inB + 1];
  while (to < region.aEnd && otherTo < region.bEnd && a[to] === b[otherTo]) {
    to++;
    otherTo++;
  }
  return { a: from, aEnd: to, b: other, bEnd: otherTo };
}

function joinHunks(hunks: readonly Hunk[]): Hunk[] {
  const found: Hunk[] = [];
  for (const hunk of hunks) {
    const last = found.at(-1);
    if (last !== undefined && last.to === hunk.from && last.other_to === hunk.other_from)
      found[found.length - 1] = { ...hunk, from: last.from, other_from: last.other_from };
    else found.push(hunk);
  }
  return found;
}

/**
 * Each hunk with all the lines it could be moved over: up while the line before it equals its last one, down while the
 * line behind it equals its first. Null when one could be moved up to another, with which it would become one.
 */
function widenHunks(a: readonly string[], b: readonly string[], hunks: readonly Hunk[]): Hunk[] | null {
  const wide: Hunk[] = [];
  for (const [i, hunk] of hunks.entries()) {
    const before = hunks[i - 1]?.to ?? 0;
    const behind = hunks[i + 1]?.from ?? a.length;
    const up = Math.max(
      slidesUp(a, hunk.from, hunk.to, hunk.from - before),
      slidesUp(b, hunk.other_from, hunk.other_to, hunk.from - before),
    );
    const down = Math.max(
      slidesDown(a, hunk.from, hunk.to, behind - hunk.to),
      slidesDown(b, hunk.other_from, hunk.other_to, behind - hunk.to),
    );
    const touches = (i > 0 && up === hunk.from - before) || (i + 1 < hunks.length && down === behind - hunk.to);
    if (touches) return null;
    wide.push({
      from: hunk.from - up,
      to: hunk.to + down,
      other_from: hunk.other_from - up,
      other_to: hunk.other_to + down,
    });
  }
  return wide;
}

function slidesUp(lines: readonly string[], from: number, to: number, most: number): number {
  if (from === to) return 0;
  let by = 0;
  while (by < most && lines[from - by - 1] === lines[to - by - 1]) by++;
  return by;
}

function slidesDown(lines: readonly string[], from: number, to: number, most: number): number {
  if (from === to) return 0;
  let by = 0;
  while (by < most && lines[from + by] === lines[to + by]) by++;
  return by;
}
