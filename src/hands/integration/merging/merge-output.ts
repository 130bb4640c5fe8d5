/* The output of `git merge-tree -z`: the tree, the sides of each path in conflict, and messages, all between NULs. */

interface Sides {
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

/** One path git could not merge; the object of each side, null where it has none. */
export interface MergeConflict extends Sides {
  readonly path: string;
  /** A link, another repository, or a file without a place: nothing that could be merged by lines or keys. */
  readonly special?: true;
}

export interface MergeOutput {
  readonly tree: string;
  readonly conflicts: readonly MergeConflict[];
  /** Folders one side moved to several places: git does not know where to put what the other side added there. */
  readonly unplaced: readonly string[];
}

export function readMergeOutput(stdout: string): MergeOutput {
  const [tree = "", ...entries] = stdout.split("\0");
  const end = entries.indexOf("");
  const listed = end < 0 ? entries : entries.slice(0, end);
  return { tree, conflicts: conflictsIn(listed), unplaced: end < 0 ? [] : findUnplaced(entries.slice(end + 1)) };
}

/** `mode object stage<TAB>path`, one for each side that has the path. */
function conflictsIn(entries: readonly string[]): MergeConflict[] {
  const found = new Map<string, { base: string | null; ours: string | null; theirs: string | null; special?: true }>();
  for (const entry of entries) {
    const match = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(entry);
    if (match === null) continue;
    const [, mode, object, stage, path] = match as unknown as [string, string, string, "1" | "2" | "3", string];
    const sides = found.get(path) ?? { base: null, ours: null, theirs: null };
    sides[({ 1: "base", 2: "ours", 3: "theirs" } as const)[stage]] = object;
    if (!mode.startsWith("100")) sides.special = true;
    found.set(path, sides);
  }
  return [...found].map(([path, sides]) => ({ path, ...sides }));
}

/** Each message is a number of paths, the paths, its kind and a text. This kind alone leaves no path in conflict. */
function findUnplaced(messages: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at + 2 < messages.length;) {
    const count = Number(messages[at]);
    if (!Number.isInteger(count) || count < 0) break;
    const kind = messages[at + 1 + count] ?? "";
    if (kind.startsWith("CONFLICT(directory rename unclear split)")) found.push(...messages.slice(at + 1, at + 2));
    at += count + 3;
  }
  return found;
}
