import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/* Git's objects as bytes: what they are named by, and many of them as the one stream that git reads them in from. */

export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

/** Names are kept as bytes: one character each. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export const TREE_MODE = "40000";
/** An entry that stands for a commit of another repository. */
export const LINK_MODE = "160000";

export type HashName = "sha1" | "sha256";

export interface NewObject {
  readonly type: "commit" | "tree" | "blob";
  readonly content: Buffer;
}

export function idOf({ type, content }: NewObject, hash: HashName): string {
  return createHash(hash).update(`${type} ${content.length}\0`).update(content).digest("hex");
}

/** Contract: in the order git has entries in, where a folder counts as if its name ended in a slash. */
export function treeBytes(tree: Tree): Buffer {
  const key = ([name, { mode }]: readonly [string, { readonly mode: string }]) =>
    mode === TREE_MODE ? `${name}/` : name;
  const entries = [...tree].map((entry) => ({ entry, key: key(entry) })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    entries.flatMap(({ entry: [name, { mode, oid }] }) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.from(oid, "hex"),
    ]),
  );
}

const TYPES = { commit: 1, tree: 2, blob: 3 } as const;

/** Version 2, every object whole. */
export function packOf(objects: readonly NewObject[], hash: HashName): Buffer {
  const header = Buffer.alloc(12);
  header.write("PACK", 0, "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([
    header,
    ...objects.flatMap(({ type, content }) => [
      sizeBytes(TYPES[type], content.length),
      deflateSync(content, { level: 1 }),
    ]),
  ]);
  return Buffer.concat([body, createHash(hash).update(body).digest()]);
}

/** Four bits of the size beside the type, then seven at a time; the highest bit says that more follows. */
function sizeBytes(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  let byte = (type << 4) | (size % 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, byte]);
}
