import { CoordinatorError } from "../../model/errors.js";
import type { Cgit, GitCall } from "./cgit.js";

/*
 * Paths in git and on disk are bytes. Inside of this folder a path is a string with one character for each byte
 * (`latin1`), so that none is changed by being read; `shownPath` gives it as people and globs read it.
 */
export type BytePath = string;

export const shownPath = (path: BytePath): string => Buffer.from(path, "latin1").toString("utf8");

export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

export type Tree = ReadonlyMap<BytePath, TreeEntry>;

/** More entries than this are not a repository this program can look after on one machine. */
const MOST_TREE_ENTRIES = 1_000_000;

/** Contract: calls back with each record that ends in NUL; false stops. Throws when a record has no end. */
function splitter(onRecord: (record: string) => boolean): (chunk: Buffer) => boolean {
  let rest = "";
  return (chunk) => {
    const parts = (rest + chunk.toString("latin1")).split("\0");
    rest = parts.pop() ?? "";
    if (rest.length > 1_000_000) return false;
    return parts.every(onRecord);
  };
}

/** The trees that were read last, of those that are small: an attempt asks for the same few again and again. */
const recent = new Map<string, Tree>();
const MOST_RECENT = 8;
const MOST_KEPT_ENTRIES = 20_000;

/** Every file of a tree, in git's order. Contract: throws WORKSPACE_FAILED beyond the cap. */
export async function readTree(
  git: Cgit,
  gitDir: string,
  tree: string,
  most = MOST_TREE_ENTRIES,
): Promise<Map<BytePath, TreeEntry>> {
  // A tree by its id never changes; a name may mean something else by now.
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(tree)) return listTree(git, gitDir, tree, most);
  const key = `${gitDir}\0${tree}`;
  const known = recent.get(key);
  recent.delete(key);
  const entries = known !== undefined && known.size <= most ? known : await listTree(git, gitDir, tree, most);
  if (entries.size <= MOST_KEPT_ENTRIES) recent.set(key, entries);
  for (const oldest of recent.keys()) {
    if (recent.size <= MOST_RECENT) break;
    recent.delete(oldest);
  }
  return new Map(entries);
}

async function listTree(git: Cgit, gitDir: string, tree: string, most: number): Promise<Map<BytePath, TreeEntry>> {
  const entries = new Map<BytePath, TreeEntry>();
  await readRecords(
    git,
    `Reading the tree ${tree}`,
    { gitDir, args: ["ls-tree", "-r", "-z", "--full-tree", tree] },
    (record) => {
      const tab = record.indexOf("\t");
      const [mode = "", , oid = ""] = record.slice(0, tab).split(" ");
      entries.set(record.slice(tab + 1), { mode, oid });
      return entries.size <= most;
    },
  );
  return entries;
}

export interface RawChange {
  readonly path: BytePath;
  readonly status: string;
  readonly from: TreeEntry;
  readonly to: TreeEntry;
}

/** Lists differences between two trees, file by file, without guessing renames. */
export async function diffTrees(
  git: Cgit,
  gitDir: string,
  from: string,
  to: string,
  most: number,
): Promise<RawChange[]> {
  const changes: RawChange[] = [];
  let head: string | null = null;
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--full-index", from, to];
  await readRecords(git, "Comparing two trees", { gitDir, args }, (record) => {
    if (head === null) {
      head = record;
      return true;
    }
    const [fromMode = "", toMode = "", fromOid = "", toOid = "", status = ""] = head.slice(1).split(" ");
    head = null;
    changes.push({ path: record, status, from: { mode: fromMode, oid: fromOid }, to: { mode: toMode, oid: toOid } });
    return changes.length <= most;
  });
  return changes;
}

async function readRecords(
  git: Cgit,
  what: string,
  call: GitCall,
  onRecord: (record: string) => boolean,
): Promise<void> {
  const { code, stopped, stderr } = await git.call({ ...call, onOutput: splitter(onRecord) });
  if (code === 0) return;
  if (stopped === "reader")
    throw new CoordinatorError("WORKSPACE_FAILED", `${what} was given up: it has more entries than are looked at.`, {
      fix: "Narrow the scope of the task.",
    });
  throw new CoordinatorError("WORKSPACE_FAILED", `${what} failed: ${stopped ?? code} ${stderr.trim()}`, {
    fix: "Check that the repository is whole (git fsck).",
  });
}

/** The blobs of a tree that are small and wanted whole, such as the targets of links. */
export async function readBlobs(
  git: Cgit,
  gitDir: string,
  oids: readonly string[],
  mostBytes: number,
): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  if (oids.length === 0) return blobs;
  const wanted = [...new Set(oids)];
  const output = await git.must("Reading blobs", {
    gitDir,
    args: ["cat-file", "--batch"],
    input: `${wanted.join("\n")}\n`,
    mostOutput: mostBytes,
  });
  let at = 0;
  for (const oid of wanted) {
    const end = output.indexOf(10, at);
    const [, type, size] = output.toString("latin1", at, end).split(" ");
    if (type !== "blob")
      throw new CoordinatorError("WORKSPACE_FAILED", `The repository lacks the object ${oid}.`, {
        fix: "Run git fsck.",
      });
    blobs.set(oid, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return blobs;
}
