import { diffLines, type Hunk } from "./line-diff.js";

/*
 * Lines of JSON that both sides added at the same place, put one after the other. Every line stays as somebody wrote it,
 * so that no number, no escape and no short list is written anew; only commas at the ends of lines are set again.
 */

/** Contract: pure. Null where one side did more than add lines where the other did; the caller looks at what it means. */
export function joinLines(base: string, ours: string, theirs: string): string | null {
  const [before, mine, yours] = [base, ours, theirs].map(linesOf) as [string[], string[], string[]];
  const [byUs, byThem] = [diffLines(before, mine), diffLines(before, yours)];
  if (byUs === null || byThem === null) return null;
  const joined: string[] = [];
  let at = 0;
  for (const { from, to, us, them } of regionsOf(byUs, byThem)) {
    joined.push(...before.slice(at, from));
    const [o, t] = [sideOf(mine, us, from, to), sideOf(yours, them, from, to)];
    const region = them.length === 0 ? o : us.length === 0 ? t : joinGaps(before.slice(from, to), o, t);
    if (region === null) return null;
    joined.push(...region);
    at = to;
  }
  joined.push(...before.slice(at));
  const end = ours.includes("\r\n") ? "\r\n" : "\n";
  return withCommas(joined).join(end) + (ours.endsWith("\n") ? end : "");
}

/** A comma comes and goes with the line below it. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trimEnd().replace(/,$/, ""));
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function withCommas(lines: readonly string[]): string[] {
  let next: string | null = null;
  return lines
    .toReversed()
    .map((line) => {
      if (line === "") return line;
      const isLast = next === null || /^\s*[\]}]/.test(next);
      next = line;
      return isLast || /[[{]$/.test(line) ? line : `${line},`;
    })
    .reverse();
}

interface Region {
  readonly from: number;
  readonly to: number;
  readonly us: readonly Hunk[];
  readonly them: readonly Hunk[];
}

/** Joins hunks that touch into one region. */
function regionsOf(byUs: readonly Hunk[], byThem: readonly Hunk[]): Region[] {
  const regions: { from: number; to: number; us: Hunk[]; them: Hunk[] }[] = [];
  const all = [
    ...byUs.map((hunk) => ({ hunk, side: "us" as const })),
    ...byThem.map((hunk) => ({ hunk, side: "them" as const })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to);
  for (const { hunk, side } of all) {
    let last = regions.at(-1);
    if (last === undefined || hunk.from > last.to)
      regions.push((last = { from: hunk.from, to: hunk.to, us: [], them: [] }));
    last.to = Math.max(last.to, hunk.to);
    last[side].push(hunk);
  }
  return regions;
}

/** Returns the lines of a side where the base has `[from, to)`; its hunks there are all that differs. */
function sideOf(lines: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) return [];
  return lines.slice(first.other_from - (first.from - from), last.other_to + (to - last.to));
}

/** The lines of the base with what both put between them, ours first; what both put there alike, once. */
function joinGaps(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] | null {
  const [o, t] = [gapsOf(base, ours), gapsOf(base, theirs)];
  if (o === null || t === null) return null;
  return o.flatMap((gap, i) => {
    const other = t[i] ?? [];
    const added = gap.join("\n") === other.join("\n") ? gap : [...gap, ...other];
    return i < base.length ? [...added, base[i] as string] : added;
  });
}

/** Returns the lines before each line of the base, and behind the last; null when a line of the base is gone. */
function gapsOf(base: readonly string[], side: readonly string[]): string[][] | null {
  const gaps: string[][] = [];
  let at = 0;
  for (const line of base) {
    const found = side.indexOf(line, at);
    if (found < 0) return null;
    gaps.push(side.slice(at, found));
    at = found + 1;
  }
  return [...gaps, side.slice(at)];
}
