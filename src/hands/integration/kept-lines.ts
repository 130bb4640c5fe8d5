/*
 * Whether a merge kept every line that either side added, and every line that neither took away. It counts how often a
 * line is there and not by where: a merge may move things about, but what somebody wrote must not be gone.
 */

export interface LostLine {
  readonly line: string;
  readonly side: "ours" | "theirs" | "both";
  readonly expected: number;
  readonly found: number;
}

/**
 * The lines that should be in the merged text and are not.
 *
 * For each line: what the base had, less what either side took away, plus the larger of what they added. The larger and
 * not the sum, because two sides may have added the same line for the same reason, and one of it is then enough.
 */
export function lostLines(base: string, ours: string, theirs: string, merged: string): LostLine[] {
  const [inBase, inOurs, inTheirs, inMerged] = [base, ours, theirs, merged].map(countLines) as [
    Counts,
    Counts,
    Counts,
    Counts,
  ];
  const lost: LostLine[] = [];
  for (const line of new Set([...inOurs.keys(), ...inTheirs.keys()])) {
    // A blank line or a lone bracket carries nothing that could be lost.
    if (!carriesMeaning(line)) continue;
    const before = inBase.get(line) ?? 0;
    const byOurs = (inOurs.get(line) ?? 0) - before;
    const byTheirs = (inTheirs.get(line) ?? 0) - before;
    const added = Math.max(0, byOurs, byTheirs);
    const expected = before + Math.min(0, byOurs) + Math.min(0, byTheirs) + added;
    const found = inMerged.get(line) ?? 0;
    if (found < expected) lost.push({ line, expected, found, side: sideOf(byOurs, byTheirs) });
  }
  return lost;
}

/** Who wrote it; both where both did, and where it stood before and both left it. */
function sideOf(byOurs: number, byTheirs: number): LostLine["side"] {
  if (byOurs > 0 === byTheirs > 0) return "both";
  return byOurs > 0 ? "ours" : "theirs";
}

type Counts = ReadonlyMap<string, number>;

function countLines(text: string): Counts {
  const counts = new Map<string, number>();
  for (const raw of text.split("\n")) {
    const line = raw.trimEnd();
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

function carriesMeaning(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

/** A conflict marker that was left behind. The middle one alone may be a heading of a text. */
export function hasConflictMarkers(text: string): boolean {
  return /^(<{7}|>{7}|\|{7})( |$)/m.test(text);
}
