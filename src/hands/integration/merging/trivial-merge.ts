import { lostLines } from "../kept-lines.js";
import { mergeLines } from "./line-merge.js";
import { TREE_MODE, type TreeEntry } from "./object-bytes.js";
import { isSame, NO_TREE, type Trees } from "./trees.js";

/*
 * Merging trees where no two sides touched the same thing, which is what most merges of a run are: not the same file, or
 * not the same place in it. Nothing is guessed: the moment two changes meet, both took something away together, or a line
 * would be gone, it is left to git, which also knows renames.
 */

/** Larger files are left to git. */
const MOST_BYTES = 1024 * 1024;

/** Contract: the merged tree, exactly as git would merge it; null when that takes more than taking what one side did. */
export async function mergeTrivially(
  trees: Trees,
  base: string | null,
  ours: string,
  theirs: string,
): Promise<string | null> {
  if (ours === base) return theirs;
  if (theirs === base) return ours;
  const [b, o, t] = await Promise.all([
    base === null ? NO_TREE : trees.read(base),
    trees.read(ours),
    trees.read(theirs),
  ]);
  const names = [...new Set([...o.keys(), ...t.keys(), ...b.keys()])];
  const entries = await Promise.all(names.map((name) => mergeEntry(trees, b.get(name), o.get(name), t.get(name))));
  const merged = new Map<string, TreeEntry>();
  for (const [i, name] of names.entries()) {
    const entry = entries[i];
    if (entry === null) return null;
    if (entry !== undefined) merged.set(name, entry);
  }
  return trees.write(merged);
}

/** Undefined: it is not there any more. Null: git must decide. */
async function mergeEntry(
  trees: Trees,
  base: TreeEntry | undefined,
  ours: TreeEntry | undefined,
  theirs: TreeEntry | undefined,
): Promise<TreeEntry | undefined | null> {
  if (isSame(base, ours)) return theirs;
  if (isSame(base, theirs)) return ours;
  const file = await mergeFile(trees, base, ours, theirs);
  if (file !== null) return file;
  // Both changed it. Two folders may still be merged; all else, also what both took away, may be part of a rename.
  if (ours?.mode !== TREE_MODE || theirs?.mode !== TREE_MODE) return null;
  if ((base !== undefined && base.mode !== TREE_MODE) || ours.oid === theirs.oid) return null;
  const oid = await mergeTrivially(trees, base?.oid ?? null, ours.oid, theirs.oid);
  if (oid === null) return null;
  return (await trees.read(oid)).size === 0 ? undefined : { mode: TREE_MODE, oid };
}

/** A file that stood there before and stands there still, for both: what each changed in it, if it lies apart. */
async function mergeFile(
  trees: Trees,
  base: TreeEntry | undefined,
  ours: TreeEntry | undefined,
  theirs: TreeEntry | undefined,
): Promise<TreeEntry | null> {
  if (base === undefined || base.mode !== ours?.mode || base.mode !== theirs?.mode || !isFile(base)) return null;
  const sides = await Promise.all([base, ours, theirs].map(({ oid }) => trees.bytes(oid, MOST_BYTES)));
  // Byte by byte: what is not UTF-8 must come out as it went in.
  const [b, o, t] = sides.map((bytes) => bytes?.toString("latin1") ?? null);
  if (b == null || o == null || t == null) return null;
  const merged = mergeLines(b, o, t);
  // A merge that loses lines is left to git.
  if (merged === null || lostLines(b, o, t, merged).length > 0) return null;
  return { mode: base.mode, oid: trees.writeFile(Buffer.from(merged, "latin1")) };
}

const isFile = ({ mode }: TreeEntry) => mode === "100644" || mode === "100755";
