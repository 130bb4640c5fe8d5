import { byCodeUnit } from "../../../model/by-code-unit.js";

/*
 * Lockfiles that are neither JSON nor YAML: lists of blocks, or of lines, in the order of their names. Two sides that
 * each locked packages of their own are a conflict for a merge by lines wherever those names are neighbours.
 */

interface Sides {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Contract: pure. Null when both changed one block, each in its own way, or what they hold is not in order. */
export function mergeBlocks({ base, ours, theirs }: Sides): string | null {
  return mergeParts({ base, ours, theirs }, "\n\n");
}

/** Merges texts in which each line is an entry. */
export function mergeEntries(sides: Sides): string | null {
  return mergeParts(sides, "\n");
}

function mergeParts(sides: Sides, between: string): string | null {
  if (Object.values(sides).some((text: string) => text.includes("\r"))) return null;
  const [b, o, t] = [sides.base, sides.ours, sides.theirs].map((text) => blocksOf(text, between)) as [
    string[],
    string[],
    string[],
  ];
  const [inBase, inOurs, inTheirs] = [b, o, t].map((blocks) => new Set(blocks)) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  // A block twice, or out of order, is something this does not know.
  if (inBase.size !== b.length || inOurs.size !== o.length || inTheirs.size !== t.length) return null;
  const takenByThem = b.filter((block) => !inTheirs.has(block));
  const names = new Set(o.filter((block) => !inBase.has(block)).map(nameOf));
  const added = t.filter((block) => !inBase.has(block) && !inOurs.has(block));
  if (takenByThem.some((block) => !inOurs.has(block)) || added.some((block) => names.has(nameOf(block)))) return null;
  const [head, rest] = headOf(o);
  if (!isSorted(rest)) return null;
  const gone = new Set(takenByThem);
  const kept = head.filter((block) => !gone.has(block));
  const list = [...rest.filter((block) => !gone.has(block)), ...added].sort(byCodeUnit);
  return `${[...kept, ...list].join(between)}\n`;
}

function blocksOf(text: string, between: string): string[] {
  return text.trimEnd().split(between);
}

/** Splits off the lines before the first entry: remarks, and the version of the form. */
function headOf(blocks: readonly string[]): [head: string[], rest: string[]] {
  const first = blocks.findIndex((block) => !/^(#|version = |\s*$)/.test(block));
  return first < 0 ? [[...blocks], []] : [blocks.slice(0, first), blocks.slice(first)];
}

function isSorted(blocks: readonly string[]): boolean {
  return blocks.every((block, i) => i === 0 || byCodeUnit(blocks[i - 1] as string, block) <= 0);
}

/** `name = "x"` where there is one, else the first line without its sum. */
function nameOf(block: string): string {
  return /^name = .*$/m.exec(block)?.[0] ?? (block.split("\n")[0] ?? "").replace(/ h1:\S*$/, "");
}
