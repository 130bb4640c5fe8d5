import { diffLines, type Hunk } from "./line-diff.js";

/*
 * One file that both sides changed, merged by lines without starting git. Only what leaves nothing to decide: where what
 * one side changed lies apart from everything the other did, the merge has both, and git has no other answer. The moment
 * two changes touch, it is left to git.
 */

/** Git looks so far for a byte that makes a file no text. */
const BINARY_WITHIN = 8000;

/** Contract: pure. The text exactly as git would merge it; null when that takes more than taking what one side did. */
export function mergeLines(base: string, ours: string, theirs: string): string | null {
  if ([base, ours, theirs].some((text) => text.slice(0, BINARY_WITHIN).includes("\0"))) return null;
  const [before, mine, yours] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const [by_us, by_them] = [diffLines(before, mine), diffLines(before, yours)];
  if (by_us === null || by_them === null) return null;
  const merged: string[] = [];
  let at = 0;
  let end = -1;
  for (const { hunk, lines } of inOrder({ hunks: by_us, lines: mine }, { hunks: by_them, lines: yours })) {
    // A line that nobody changed must lie between two changes, or git may see one change where they meet.
    if (hunk.from <= end) return null;
    for (; at < hunk.from; at++) merged.push(before[at] as string);
    for (let line = hunk.other_from; line < hunk.other_to; line++) merged.push(lines[line] as string);
    at = hunk.to;
    end = hunk.to;
  }
  for (; at < before.length; at++) merged.push(before[at] as string);
  return merged.join("");
}

interface Side {
  readonly hunks: readonly Hunk[];
  readonly lines: readonly string[];
}

function inOrder(...sides: readonly Side[]): { readonly hunk: Hunk; readonly lines: readonly string[] }[] {
  return sides
    .flatMap(({ hunks, lines }) => hunks.map((hunk) => ({ hunk, lines })))
    .toSorted((one, other) => one.hunk.from - other.hunk.from);
}

/** Each line with its end: one without is another line. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
