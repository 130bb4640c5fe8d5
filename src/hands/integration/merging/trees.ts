import type { GitObjects } from "./git-objects.js";
import { type Tree, TREE_MODE, type TreeEntry } from "./object-bytes.js";

/** A path that two trees do not have alike; the object of each, null where it has none. */
export interface Change {
  readonly before: string | null;
  readonly after: string | null;
}

const MOST_FILES = 64;
const LARGEST_FILE = 256 * 1024;

/** The commits and trees of one session. An object that was read or written once is not asked for again. */
export class Trees {
  readonly #objects: GitObjects;
  readonly #known = new Map<string, Tree>();
  readonly #ofCommit = new Map<string, string>();
  readonly #files = new Map<string, Buffer>();

  constructor(objects: GitObjects) {
    this.#objects = objects;
  }

  /** The tree of a commit. */
  async ofCommit(commit: string): Promise<string> {
    return this.#ofCommit.get(commit) ?? (await this.commit(commit)).tree;
  }

  async commit(commit: string): Promise<{ readonly tree: string; readonly parents: readonly string[] }> {
    const found = await this.#objects.read(commit);
    const text = found?.type === "commit" ? found.content.toString("latin1") : "";
    const header = text.slice(0, text.indexOf("\n\n"));
    const tree = /^tree ([0-9a-f]+)$/m.exec(header)?.[1];
    if (tree === undefined) throw new Error(`${commit} is not a commit`);
    this.#ofCommit.set(commit, tree);
    return { tree, parents: [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent as string) };
  }

  writeCommit(tree: string, parents: readonly string[], message: string): string {
    const when = `${Math.floor(Date.now() / 1000)} +0000`;
    const people = [`author ${this.#objects.author} ${when}`, `committer ${this.#objects.committer} ${when}`];
    const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), ...people];
    const commit = this.#objects.writeCommit(`${lines.join("\n")}\n\n${message}`);
    this.#ofCommit.set(commit, tree);
    return commit;
  }

  async read(oid: string): Promise<Tree> {
    const known = this.#known.get(oid);
    if (known !== undefined) return known;
    const found = await this.#objects.read(oid);
    if (found?.type !== "tree") throw new Error(`${oid} is not a tree`);
    const tree = entriesOf(found.content, oid.length / 2);
    this.#known.set(oid, tree);
    return tree;
  }

  write(tree: Tree): string {
    const oid = this.#objects.writeTree(tree);
    this.#known.set(oid, tree);
    return oid;
  }

  /** The files two trees do not have alike, by their paths. */
  async changes(from: string | null, to: string | null, folder = ""): Promise<Map<string, Change>> {
    const found = new Map<string, Change>();
    if (from === to) return found;
    const [before, after] = [
      from === null ? NO_TREE : await this.read(from),
      to === null ? NO_TREE : await this.read(to),
    ];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [b, a] = [before.get(name), after.get(name)];
      if (isSame(b, a)) continue;
      const path = folder + name;
      for (const [inner, change] of await this.changes(folderOf(b), folderOf(a), `${path}/`)) found.set(inner, change);
      if (fileOf(b) !== null || fileOf(a) !== null) found.set(path, { before: fileOf(b), after: fileOf(a) });
    }
    return found;
  }

  /** The object of a file in a tree; null when it has no such file. */
  async fileAt(tree: string, path: string): Promise<string | null> {
    const [first = "", ...rest] = path.split("/");
    const entry = (await this.read(tree)).get(first);
    if (rest.length === 0) return fileOf(entry);
    const folder = folderOf(entry);
    return folder === null ? null : this.fileAt(folder, rest.join("/"));
  }

  /** A file's text; null for what is not text, or larger than `most`. */
  async text(oid: string, most: number): Promise<string | null> {
    const bytes = await this.bytes(oid, most);
    return bytes === null || bytes.includes(0) ? null : bytes.toString("utf8");
  }

  /** A file as it is; null for what is not a file, or larger than `most`. */
  async bytes(oid: string, most: number): Promise<Buffer | null> {
    const known = this.#files.get(oid);
    if (known !== undefined) return known.length > most ? null : known;
    const size = await this.#objects.sizeOf(oid);
    if (size === null || size > most) return null;
    const found = await this.#objects.read(oid);
    return found?.type === "blob" ? this.#keep(oid, found.content) : null;
  }

  writeFile(bytes: Buffer): string {
    const oid = this.#objects.writeBlob(bytes);
    this.#keep(oid, bytes);
    return oid;
  }

  /** A file that many change is needed again and again: the base, and its last result. */
  #keep(oid: string, bytes: Buffer): Buffer {
    if (this.#files.size >= MOST_FILES) this.#files.delete(this.#files.keys().next().value ?? "");
    if (bytes.length <= LARGEST_FILE) this.#files.set(oid, bytes);
    return bytes;
  }
}

export const NO_TREE: Tree = new Map();

export const isSame = (a: TreeEntry | undefined, b: TreeEntry | undefined): boolean =>
  a?.oid === b?.oid && a?.mode === b?.mode;

const folderOf = (entry: TreeEntry | undefined) => (entry?.mode === TREE_MODE ? entry.oid : null);
const fileOf = (entry: TreeEntry | undefined) => (entry === undefined || entry.mode === TREE_MODE ? null : entry.oid);

/** `mode name NUL id`, one after the other. */
function entriesOf(content: Buffer, idLength: number): Tree {
  const found = new Map<string, TreeEntry>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const end = content.indexOf(0, space);
    const next = end + 1 + idLength;
    found.set(content.toString("latin1", space + 1, end), {
      mode: content.toString("latin1", at, space),
      oid: content.toString("hex", end + 1, next),
    });
    at = next;
  }
  return found;
}
