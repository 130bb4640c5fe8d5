import type { Sha256 } from "../event-store.js";

/*
 * A stretch of a log as a tree, as RFC 6962 builds it: a leaf is the hash of an event, and leaves and inner nodes are
 * hashed with different first characters, so that neither can be passed off as the other. Hashes are written in hex.
 */

const leaf = (hash: string, sha256: Sha256) => sha256(`\u0000${hash}`);
const node = (left: string, right: string, sha256: Sha256) => sha256(`\u0001${left}${right}`);

/** The root of a tree that is handed its leaves one by one, holding only what it needs. */
export class MerkleTree {
  readonly #sha256: Sha256;
  /** Whole subtrees from the largest to the smallest: the ones of the number of leaves in binary. */
  readonly #parts: string[] = [];
  #leaves = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get leaves(): number {
    return this.#leaves;
  }

  add(hash: string): void {
    let part = leaf(hash, this.#sha256);
    for (let n = this.#leaves; n % 2 === 1; n = (n - 1) / 2)
      part = node(this.#parts.pop() as string, part, this.#sha256);
    this.#parts.push(part);
    this.#leaves++;
  }

  /** Contract: there is a leaf. */
  root(): string {
    return this.#parts.reduceRight((right, left) => node(left, right, this.#sha256));
  }
}

/** Contract: there is at least one hash. */
export function merkleRoot(hashes: readonly string[], sha256: Sha256): string {
  const tree = new MerkleTree(sha256);
  for (const hash of hashes) tree.add(hash);
  return tree.root();
}

/** The hashes needed beside one hash to compute the root, from the leaf upwards. */
export function merklePath(hashes: readonly string[], index: number, sha256: Sha256): string[] {
  if (hashes.length <= 1) return [];
  const split = splitOf(hashes.length);
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  return index < split
    ? [...merklePath(left, index, sha256), merkleRoot(right, sha256)]
    : [...merklePath(right, index - split, sha256), merkleRoot(left, sha256)];
}

/** The root that a hash at this place of so many leads to by this path; null when the path has another length. */
export function rootByPath(
  hash: string,
  index: number,
  size: number,
  path: readonly string[],
  sha256: Sha256,
): string | null {
  if (index < 0 || index >= size) return null;
  if (size === 1) return path.length === 0 ? leaf(hash, sha256) : null;
  const sibling = path.at(-1);
  if (sibling === undefined) return null;
  const split = splitOf(size);
  const rest = path.slice(0, -1);
  if (index < split) {
    const left = rootByPath(hash, index, split, rest, sha256);
    return left === null ? null : node(left, sibling, sha256);
  }
  const right = rootByPath(hash, index - split, size - split, rest, sha256);
  return right === null ? null : node(sibling, right, sha256);
}

/** The largest power of two under the number of leaves. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}
